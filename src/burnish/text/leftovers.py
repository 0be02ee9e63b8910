"""Phrases that a chatbot said to its user and that were left in a text; quoted or reported, they are only mentions.

Each pattern begins where a sentence begins; the rest of the sentence belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.languages.sentences import sentences
from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block

OPENINGS = (
    # English
    r"(?:sure(?: thing)?|certainly|of course|absolutely|definitely|great(?: question)?|got it|no problem"
    r"|okay|ok|alright"
    r"|understood|gladly|happy to help)[!,.:]+\s*(?:here(?:'s|’s| is| are)\b|below (?:is|are)\b|i(?:'ll"
    r"|’ll| will|'d|’d| would"
    r"|'ve|’ve| have)\b|let me\b)",
    r"here(?:'s|’s| is| are) (?:the|your|a|an) (?:\w+[ -]){0,4}?(?:(?:revised|updated|improved|rewritten"
    r"|polished|edited"
    r"|corrected|requested|expanded|regenerated|final)\b|lesson\b|(?:section|introduction|conclusion|content|draft)"
    r"(?= (?:you|as|for you|based|with)|:))(?=[^.!?\n]{0,120}:)",
    # Spanish, Portuguese, Italian, French
    r"¡?(?:claro(?: que sí)?|por supuesto|desde luego|con gusto|entendido)[!,.]+\s*(?:aquí (?:tienes|está"
    r"|te|va)|a continuación|te )",
    r"aquí (?:tienes|está|te dejo|te presento) (?:la|el|tu|una|un) (?:\w+ ){0,3}?(?:lección|sección"
    r"|versión|introducción|borrador)"
    r"(?=[^.!?\n]{0,120}:)",
    r"(?:claro|com certeza|com prazer|entendido)[!,.]+\s*(?:aqui (?:está|vai|tem)|segue)",
    r"aqui está (?:a|o|sua|uma) (?:\w+ ){0,3}?(?:lição|seção|aula|versão|introdução)(?=[^.!?\n]{0,120}:)",
    r"(?:certo|certamente|ecco fatto|volentieri|con piacere)[!,.]+\s*ecco\b",
    r"ecco (?:la|il|una|un) (?:\w+ ){0,3}?(?:lezione|sezione|versione|introduzione)(?=[^.!?\n]{0,120}:)",
    r"(?:bien sûr|certainement|avec plaisir|d['’]accord|absolument)\s?[!,.]+\s*(?:voici|je (?:vais|vous))",
    r"voici (?:la|le|votre|une|un) (?:\w+ ){0,3}?(?:leçon|section|version|introduction)(?=[^.!?\n]{0,120}:)",
    # German, Russian
    r"(?:gerne?|natürlich|selbstverständlich|klar|sicher)[!,.]+\s*(?:hier (?:ist|sind|kommt)|ich )",
    r"hier (?:ist|kommt) (?:die|der|das|ihre|deine|eine) (?:\w+ ){0,3}?(?:lektion|abschnitt|version"
    r"|fassung|einleitung)(?=[^.!?\n]{0,120}:)",
    r"(?:конечно|разумеется|с удовольствием|хорошо)[!,.]+\s*(?:вот|ниже|я )",
    r"вот (?:ваш\w*|готов\w*|обновл\w*|исправл\w*|перераб\w*)? ?(?:урок|раздел|верси|введени"
    r"|текст урока)\w*(?=[^.!?\n]{0,120}:)",
)
"""Before the text."""

ALONE = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|great question|got it|no problem|understood|happy to help"
    r"|¡?claro(?: que sí)?|¡?por supuesto|bien sûr|avec plaisir|gerne|конечно|certamente|com certeza)\s?!(?=\s|$)",
    re.IGNORECASE,
)
"""The whole first sentence."""

CLOSINGS = (
    r"in conclusion,? i hope\b",
    r"i (?:really |sincerely )?hope (?:this|that|the|these|you|it)\b[^.!?\n]{0,80}(?:helps?\b|helpful"
    r"|clarif|meets? your|what you"
    r"|answers? your|found this|find this|enjoy(?:ed)? this|useful to you|useful for you)",
    r"(?:please )?(?:feel free|don['’]t hesitate|do not hesitate) to (?:ask|reach out|let me know"
    r"|contact me|request|message me)",
    r"(?:please |just )?let me know (?:if|whether|what|how|which|should|when)\b",
    r"(?:would you like|do you want) me to\b",
    r"(?:shall|should) i (?:continue|expand|add|write|go on|proceed|provide)\b",
    r"if you (?:have any|need|['’]d like|would like|want)\b[^.!?\n]{0,100}(?:feel free to ask|let me know"
    r"|just ask|i(?:['’]m| am) (?:here|happy)"
    r"|i can\b|i['’]d be (?:happy|glad)|i would be (?:happy|glad))",
    r"is there anything else\b[^.!?\n]{0,60}\bi\b",
    r"i(?:['’]d| would) be (?:happy|glad) to (?:help|assist|expand|provide|elaborate|adjust|revise|explain)",
    r"i(?:['’]m| am) (?:always )?(?:here|happy|glad) to (?:help|assist|answer)",
    r"i can also (?:provide|write|create|expand|generate|add|adapt|turn)\b",
    r"espero que (?:esto|esta información|esta respuesta)\b[^.!?\n]{0,40}(?:ayud|sirv|útil)",
    r"(?:no dudes|no dude) en (?:preguntar|consultar|decirme|escribirme|avisarme)|(?:avísame|dime"
    r"|házmelo saber) si\b",
    r"¿(?:quieres|te gustaría|deseas) que (?:continúe|amplíe|añada|escriba|haga|te )",
    r"si (?:tienes|necesitas|quieres)\b[^.!?\n]{0,80}(?:no dudes en|avísame|dime|házmelo saber|estoy aquí)",
    r"j['’]espère que (?:cela|ceci|ça|cette réponse)\b[^.!?\n]{0,40}(?:aid|utile)"
    r"|n['’]hésitez pas à (?:me |poser)|dites-moi si\b"
    r"|souhaitez-vous que je\b|voulez-vous que je\b",
    r"ich hoffe,? (?:das|dies)\b[^.!?\n]{0,30}(?:hilft|geholfen|hilfreich)|lass(?:en sie)? (?:es )?mich wissen\b"
    r"|soll ich\b[^.!?\n]{0,60}\?|möchten sie,? dass ich\b|(?:melde dich|melden sie sich) gerne?\b"
    r"|zögern sie nicht, (?:mich|zu fragen)",
    r"spero che (?:questo|ciò|questa risposta)\b[^.!?\n]{0,30}(?:aiut|utile)|(?:fammi|mi faccia) sapere\b"
    r"|vuoi che (?:io )?(?:continui|aggiunga|ampli)"
    r"|non esitare a (?:chiedere|contattarmi)",
    r"espero que (?:isso|isto)\b[^.!?\n]{0,30}(?:ajud|útil)|(?:me avise|avise-me|me diga) se\b|gostaria que eu\b"
    r"|não hesite em (?:perguntar|me )|fique à vontade para (?:perguntar|me )",
    r"надеюсь,? (?:это|этот ответ)\b[^.!?\n]{0,30}(?:помо|полез)|дайте (?:мне )?знать\b|хотите,? чтобы я\b"
    r"|если (?:у вас|вам)\b[^.!?\n]{0,80}(?:дайте знать|обращайтесь|спрашивайте|я готов|я буду рад)"
    r"|не стесняйтесь (?:спрашивать|задавать)",
)
"""After the text."""

SELF = (
    r"as an? (?:ai|artificial intelligence)(?: language model| assistant| model| chatbot"
    r"| system)?,? (?:i\b|my\b|it(?:['’]s| is) my)",
    r"as a (?:large )?language model\b[^.!?\n]{0,40}?,? i\b",
    r"(?:please note that |note that |remember that )?i(?:['’]m| am) (?:just |only |merely )?an? (?:ai"
    r"|artificial intelligence|(?:large )?language model)\b",
    r"(?:as of |since |because |please note that )?my (?:last |latest )?(?:knowledge"
    r"|training)(?: data)? (?:cutoff|cut-off|update|only|extends|ends|goes)",
    r"(?:i['’]m sorry|i am sorry|i apologi[sz]e|unfortunately|i['’]m afraid)[,.]? (?:but )?(?:as an ai\b"
    r"|i (?:can['’]?t|cannot|am unable|am not able) "
    r"(?:help|assist|provide|fulfil|generate|access|browse|comply|continue|complete))",
    r"i (?:cannot|can['’]t|am unable to|don['’]t have the ability to) (?:browse|access the internet"
    r"|access real|assist with|fulfil|comply with|generate content)",
    r"(?:\(?note: )?i(?:['’]ve| have) (?:\w+ )?(?:revised|rewritten|updated|fixed|corrected|removed|added"
    r"|kept|simplified|improved|adjusted|expanded|shortened)\b"
    r"[^.!?\n]{0,100}(?:as (?:you )?requested|your (?:request|instructions|feedback|requirements|specifications?))",
    r"como (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje)\b[^.!?\n]{0,40}?,? (?:no (?:puedo"
    r"|tengo)|yo|mi)\b",
    r"(?:soy|sou) (?:una|un|uma|um) (?:ia|inteligencia artificial|inteligência artificial"
    r"|modelo de (?:lenguaje|linguagem))\b",
    r"en tant qu['’](?:ia|intelligence artificielle|assistant)\b[^.!?\n]{0,40}?,? je\b"
    r"|en tant que modèle de langage\b|je suis une (?:ia|intelligence artificielle)\b",
    r"als (?:eine? )?(?:ki|künstliche intelligenz|sprachmodell)\b[^.!?\n]{0,40}?\b(?:kann ich|bin ich"
    r"|habe ich)|ich bin (?:nur )?(?:eine ki|ein sprachmodell)\b",
    r"come (?:ia|intelligenza artificiale|modello linguistico)\b[^.!?\n]{0,40}?,? (?:non (?:posso|ho)"
    r"|io)\b|sono (?:un['’]ia|un modello linguistico)\b",
    r"como (?:uma )?(?:ia|inteligência artificial|modelo de linguagem)\b[^.!?\n]{0,40}?,? (?:não (?:posso"
    r"|tenho)|eu)\b",
    r"(?:как|будучи) (?:ии|искусственный интеллект|языков\w+ модель\w*|нейросеть)\b[^.!?\n]{0,40}?,? я\b"
    r"|я (?:—|-|–|всего лишь) ?(?:ии|языковая модель|нейросеть)\b",
)
"""About itself, anywhere."""

SELF_SIGNS = (
    "AI", "language model", "artificial intelligence", "IA", "KI", "ИИ", "inteligencia artificial",
    "inteligência artificial", "modelo de len", "modelo de lin", "modèle de langage", "intelligence artificielle",
    "Sprachmodell", "künstliche Intelligenz", "modello linguistico", "intelligenza artificiale", "языков",
    "нейросеть", "искусственный интеллект", "my knowledge", "My knowledge", "my training", "My training", "my last",
    "My last", "I can't", "I cannot", "I am unable", "I can’t", "I'm sorry", "I’m sorry", "I've ", "I have ",
    "I apolog",
)  # fmt: skip
"""One of these stands in every sentence of SELF: texts without them are not searched."""

PEOPLE = re.compile(
    r"\b(?:forum|community|instructor|teacher|lecturer|classmates?|partner|github|e-?mail|slack|discord"
    r"|comments?|editors?|us|our|tutor"
    r"|mentor|professor|office hours|issue|foro|comunidad|profesor\w*|nosotros|nuestr\w+|uns|nous|нам"
    r"|форум\w*|преподавател\w*)\b",
    re.IGNORECASE,
)
"""Who is to be asked: with one of these the sentence is an author's."""


def _joined(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


OPENING, CLOSING, ABOUT_ITSELF = _joined(OPENINGS), _joined(CLOSINGS), _joined(SELF)


SENTENCE_END = re.compile(r"[.!?:]+[\"”’)]*(?=\s|$)|[。！？]")
BLANKS = re.compile(r"\s*")
LONGEST_SENTENCE = 400
LONGEST_BLOCK = 4000
"""Longer paragraphs are looked at from their beginning and their end only."""
PAIRS = (("“", "”"), ("«", "»"), ("„", "“"), ("(", ")"))


def chatbot_phrases(view: Markdown) -> Iterator[Slip]:
    """Every leak, with the edit that takes it away."""
    paragraphs = [block for block in view.prose_blocks if block.kind == "paragraph" and not block.quoted]
    if not paragraphs:
        return
    first = view.prose_blocks[0]
    speaks_of_itself = any(sign in view.prose for sign in SELF_SIGNS)
    for place, block in enumerate(paragraphs):
        if _is_introduced(view, block):
            continue
        end = _leak_at_start(view, block, is_first=block is first)
        if end > block.start:
            yield _slip(view, block, block.start, end)
        closing = place >= len(paragraphs) - 2
        if end < block.end and (speaks_of_itself or closing):
            for leak in _leaks_inside(view, block, end, closing=closing):
                yield _slip(view, block, *leak)


def _is_introduced(view: Markdown, block: Block) -> bool:
    """Whether the text before it ends with a colon: then it is shown, not said."""
    before = view.text[max(0, block.start - 200) : block.start].rstrip(" \t\r\n>*_")
    return before.endswith((":", "："))


def _leak_at_start(view: Markdown, block: Block, *, is_first: bool) -> int:
    """Where the leak ends with which the block begins, sentence after sentence; its start where there is none."""
    prose, at = view.prose, block.start
    ended = at
    if not prose[at].isalpha() and prose[at] not in "¡¿(":
        return ended
    while at < block.end:
        end = _leaking_sentence(prose, at, block.end)
        if end is None and is_first and at == block.start and (alone := ALONE.match(prose, at, block.end)) is not None:
            end = alone.end()
        if end is None:
            break
        ended = end
        blanks = BLANKS.match(prose, end, block.end)
        at = blanks.end() if blanks is not None else end
    return ended


def _leaking_sentence(prose: str, start: int, stop: int) -> int | None:
    for pattern in (OPENING, CLOSING, ABOUT_ITSELF):
        match = pattern.match(prose, start, stop)
        if match is not None:
            end = _sentence_end(prose, match.end(), stop)
            if pattern is not CLOSING or not PEOPLE.search(prose, start, end):
                return end
    return None


def _sentence_end(prose: str, start: int, end: int) -> int:
    found = SENTENCE_END.search(prose, max(start - 1, 0), min(end, start + LONGEST_SENTENCE))
    return found.end() if found is not None else end


def _leaks_inside(view: Markdown, block: Block, start: int, *, closing: bool) -> Iterator[tuple[int, int]]:
    """Sentences after the first; neighbours make one leak. Only the last paragraphs may say farewell."""
    start = max(start, block.end - LONGEST_BLOCK)
    leak: tuple[int, int] | None = None
    for sentence in sentences(view.prose[start : block.end]):
        begins, ends = start + sentence.start, start + sentence.end
        if begins == block.start or not _leaks(view, block, sentence.text, begins, closing):
            continue
        if leak is not None and not view.prose[leak[1] : begins].strip():
            leak = (leak[0], ends)
            continue
        if leak is not None:
            yield leak
        leak = (begins, ends)
    if leak is not None:
        yield leak


def _leaks(view: Markdown, block: Block, sentence: str, begins: int, closing: bool) -> bool:
    about_itself = ABOUT_ITSELF.match(sentence) is not None
    farewell = closing and CLOSING.match(sentence) is not None and not PEOPLE.search(sentence)
    return (about_itself or farewell) and not _in_quotes(view.prose, block.start, begins)


def _in_quotes(prose: str, start: int, place: int) -> bool:
    before = prose[start:place]
    if before.count('"') % 2:
        return True
    return any(before.rfind(opening) > before.rfind(closing) for opening, closing in PAIRS)


def _slip(view: Markdown, block: Block, start: int, end: int) -> Slip:
    shown = view.text[start:end]
    left, right = _with_blanks(view.text, block, start, end)
    return Slip(
        left,
        right,
        f"A chatbot speaks to its user here ({shown[:80]!r}).",
        "Take the phrase away.",
        replacement="",
    )


def _with_blanks(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """The sentence with the blanks that would be left over: of a whole paragraph, with its empty line."""
    if start > block.start:
        while start > block.start and text[start - 1] in " \t":
            start -= 1
        return start, end
    while end < len(text) and text[end] in (" \t" if end < block.end else " \t\r\n"):
        end += 1
    if end < block.end or end < len(text):
        while end < block.end and text[end] in "\r\n":
            end += 1
        return start, end
    while start and text[start - 1] in " \t\r\n":
        start -= 1
    return start, end
