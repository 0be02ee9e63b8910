"""Leftovers in a text: phrases of a chatbot to its user, placeholders that were never replaced, and parts of prompts
(marks of chat templates, a model's thinking, instructions to the writer).

A chatbot's phrase that is quoted or reported is only a mention. Each pattern of one matches at the start of a sentence;
the rest of the sentence belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from burnish.core.findings import Severity
from burnish.languages.sentences import sentences
from burnish.languages.tables import joined_lines, table
from burnish.languages.words import Slip
from burnish.text.markdown import STANDS_FOR, Markdown, normal_label
from burnish.text.structure import Block


class Patterns(NamedTuple):
    """Patterns of chatbot phrases; each is explained in the data file."""

    openings: re.Pattern[str]
    alone: re.Pattern[str]
    closings: re.Pattern[str]
    about_itself: re.Pattern[str]
    people: re.Pattern[str]


@cache
def _patterns() -> Patterns:
    listed = table("chatbot")
    return Patterns._make(map(_joined, map(listed.__getitem__, Patterns._fields)))


def _joined(listed: list[str]) -> re.Pattern[str]:
    return re.compile(f"(?:{')|(?:'.join(map(joined_lines, listed))})", re.IGNORECASE)


SENTENCE_END = re.compile(r"[.!?:]+[\"”’)]*(?=\s|$)|[。！？]")
CLAUSE = re.compile(r"[,;:—–](?=\s)")
"""Places where another clause may begin."""
BLANKS = re.compile(r"\s*")
LONGEST_SENTENCE = 400
LONGEST_INTRODUCTION = 80
LONGEST_BLOCK = 4000
"""Only the start and the end of longer paragraphs are searched."""
PAIRS = (("“", "”"), ("«", "»"), ("„", "“"), ("(", ")"))


def chatbot_phrases(view: Markdown) -> Iterator[Slip]:
    """Yield every chatbot phrase, with the edit that removes it."""
    paragraphs = [block for block in view.prose_blocks if block.kind == "paragraph" and not block.quoted]
    if not paragraphs:
        return
    first = view.prose_blocks[0]
    speaks_of_itself = any(sign in view.prose for sign in table("chatbot")["signs"])
    for place, block in enumerate(paragraphs):
        # A text after a colon is shown, not said.
        before = view.text[max(0, block.start - 200) : block.start].rstrip(" \t\r\n>*_")
        if before.endswith((":", "：")):
            continue
        end = _leak_at_start(view, block, is_first=block is first)
        if end > block.start:
            yield _chatbot_slip(view, block, block.start, end)
        closing = place >= len(paragraphs) - 2
        if end < block.end and (speaks_of_itself or closing):
            for leak in _leaks_inside(view, block, end, closing=closing):
                yield _chatbot_slip(view, block, *leak)


def _leak_at_start(view: Markdown, block: Block, *, is_first: bool) -> int:
    """Return where the chatbot phrases at the start of the block end; its start if there are none."""
    prose, at = view.prose, block.start
    ended = at
    if not prose[at].isalpha() and prose[at] not in "¡¿(":
        return ended
    while at < block.end:
        end = _leaking_sentence(prose, at, block.end)
        if (
            end is None
            and is_first
            and at == block.start
            and (alone := _patterns().alone.match(prose, at, block.end)) is not None
        ):
            end = alone.end()
        if end is None:
            break
        ended = end
        blanks = BLANKS.match(prose, end, block.end)
        at = blanks.end() if blanks is not None else end
    rest = prose[ended : block.end].strip()
    # "I can help with that. This is the text:" is an introduction as a whole.
    is_introduction = ended > block.start and rest.endswith((":", "：")) and len(rest) <= LONGEST_INTRODUCTION
    return block.end if is_introduction else ended


def _leaking_sentence(prose: str, start: int, stop: int) -> int | None:
    known = _patterns()
    for pattern in (known.openings, known.closings, known.about_itself):
        match = pattern.match(prose, start, stop)
        if match is not None:
            end = _sentence_end(prose, match.end(), stop)
            if pattern is not known.closings or not known.people.search(prose, start, end):
                return end
    return None


def _sentence_end(prose: str, start: int, end: int) -> int:
    found = SENTENCE_END.search(prose, max(start - 1, 0), min(end, start + LONGEST_SENTENCE))
    return found.end() if found is not None else end


def _leaks_inside(view: Markdown, block: Block, start: int, *, closing: bool) -> Iterator[tuple[int, int]]:
    """Yield chatbot sentences after the first; neighbours are one leak. Closing phrases count only near the end."""
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
    known = _patterns()
    about_itself = known.about_itself.match(sentence) is not None
    farewell = closing and known.closings.match(sentence) is not None and not known.people.search(sentence)
    return (about_itself or farewell) and not _in_quotes(view.prose, block.start, begins)


def _in_quotes(prose: str, start: int, place: int) -> bool:
    before = prose[start:place]
    if before.count('"') % 2:
        return True
    return any(before.rfind(opening) > before.rfind(closing) for opening, closing in PAIRS)


def _chatbot_slip(view: Markdown, block: Block, start: int, end: int) -> Slip:
    shown = view.text[start:end]
    message = f"A chatbot speaks to its user here ({shown[:80]!r})."
    if _says_more(shown):
        return Slip(start, end, message, "Take the phrase away, and keep what the sentence says of the subject.")
    left, right = _with_blanks(view.text, block, start, end)
    return Slip(left, right, message, "Take the phrase away.", replacement="")


def _says_more(shown: str) -> bool:
    """Return whether a sentence with a chatbot's phrase has further clauses: "As an AI, I cannot taste bread, but yeast
    is a fungus." Clauses about the subject must not be removed with the phrase."""
    about_itself = _patterns().about_itself
    phrases = ((sentence.text, about_itself.match(sentence.text)) for sentence in sentences(shown))
    # The mark right after the phrase belongs to it: "As an AI, I cannot ...".
    return any(match is not None and CLAUSE.search(text, match.end() + 1) is not None for text, match in phrases)


def _with_blanks(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """Extend a sentence by the blanks that would be left over, or a whole paragraph by its empty line."""
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


_ORDERS = (
    r"(?:please )?(?:insert|add|put|write|enter|fill in|describe|provide|include|your|replace|placeholder|to be|tbd|tba"
    r"|todo|fixme|content|example|text|image|link|topic|lesson|section|explanation)\b[^\[\]<>\n]{0,120}"
    r"(?:\bhere\b|\.\.\.|…|\b(?:added|written|completed|filled in|determined|inserted|announced)\b)[^\[\]<>\n]{0,20}",
    r"(?:insert|placeholder|tbd|tba|todo|fixme)\b(?=: | \w)[^\[\]<>\n]{0,120}|(?:placeholder|tbd|tba|todo|fixme)",
    r"(?:insert[ae]r?|añad[ei]r?|agregue|escrib[ae]|(?:por )?completar|por (?:definir|hacer))\b[^\[\]\n]{0,120}",
    r"(?:insérer|insérez|ajouter|ajoutez|à compléter|à définir)\b[^\[\]\n]{0,120}",
    r"(?:rédiger|écrire|décrire|escribir|redactar|describir|escrever|redigir|descrever|scrivere|descrivere)\b"
    r"[^\[\]\n]{0,80}\b(?:aquí|ici|aqui|qui)",
    r"(?:[^\W\d_]+ ){0,3}(?:texto?|texte|text|testo|contenido|contenu|inhalt|contenuto|conteúdo|текст|содержание)"
    r"(?: [^\W\d_]+){0,2} (?:aquí|ici|hier|qui|aqui|здесь|сюда|eingeben|eintragen)",
    r"hier (?:[^\W\d_]+ ){0,2}(?:text|inhalt) (?:eingeben|eintragen|schreiben)",
    r"[^\[\]\n]{0,60}\b(?:einfügen|ergänzen|hier einsetzen)",
    r"(?:inserire|inserisci|aggiung\w+|da completare|inserir|insira|adicionar|a completar)\b[^\[\]\n]{0,120}",
    r"(?:вставьте|вставить|добавьте|добавить|впишите|заполнить|здесь будет)\b[^\[\]\n]{0,120}",
    r"(?:在此|请|此处)[^\[\]【】\n]{0,40}(?:插入|填写|添加|输入)[^\[\]【】\n]{0,40}",
)
OPENING = re.compile(r"[\[<【]")
BRACKETED = re.compile(
    "|".join(
        rf"(?<![\w\])!\\]){opening}(?:{'|'.join(_ORDERS)}){closing}(?![\[(:])"
        for opening, closing in ((r"\[", r"\]"), ("<", ">"), ("【", "】"))
    ),
    re.IGNORECASE,
)
"""An instruction to the author in brackets. A link or a reference does not count."""

_WHAT = (
    r"(?:first |last |full |exact |company |city |product |student |school |course |file |user )?(?:name|number|year"
    r"|date|author|city|country|company|price|amount|e-?mail(?: address)?|topic|title|source|unit|place|percentage"
    r"|value|figure|statistic|link|url|example|reference|citation|quote)s?"
    r"|nombre|número|año|fecha|autor[ae]?s?|ciudad|país|empresa|precio|tema|título|fuente|ejemplo|nom|année|ville|pays"
    r"|auteurs?|entreprise|prix|sujet|titre|exemple|name|zahl|jahr|datum|stadt|land|firma|preis|thema|titel|quelle"
    r"|beispiel|nome|ano|data|cidade|preço|anno|città|paese|azienda|prezzo|argomento|titolo|fonte|esempio|autore"
    r"|имя|название|число|год|дата|города?|страна|компани[яи]|цена|тема|автор|источник|пример"
)
_OF = r"(?:of|de|du|des|della?|dell'|do|da|der|von|la|le|les|el|los|the|your|l'|su|sua|il)"
SLOT = re.compile(
    rf"(?i:(?:(?:your|the|a|an|some|tu|votre|dein|seu|tuo)\s+)?(?:{_WHAT})(?:\s+{_OF}){{0,2}}"
    r"(?:[ ,/]+(?:[^\W\d_]+\.?|20XX)){0,3})"
    r"|[A-ZÀ-ÞА-Я]{2,}(?:[ _-][A-ZÀ-ÞА-Я]{2,}){0,4}|[^\[\]<>\n]{0,40}\b(?:19|20)XX|citation needed"
)
"""A gap in brackets: a noun such as "year" or "company name", or words in capitals."""
WORDS = re.compile(r"(?!(?:sic|et al|ibid|ndt|sc)\b)[^\W\d_]+(?:['’ -][^\W\d_]+){0,4}")
"""A few plain words in square brackets inside a sentence are a gap, too, unless they are a link."""
KEYS = frozenset(
    ["ENTER", "ESC", "ESCAPE", "TAB", "CTRL", "SHIFT", "ALT", "CMD", "SPACE", "DEL", "SIC", "HOME", "END", "RETURN"]
)
SLOTTED = re.compile(r"(?<![\w\])!\\])\[(?P<square>[^\[\]\n]{2,60})\](?![\[(:])|<(?P<angle>[a-z][a-z _-]{2,30})>")
UNFILLED = re.compile(
    r"(?<![\w./-])X{4,}(?![\w./-])|(?<!\w)[12]\dXX(?!\w)|(?<![\w-])TB[DA](?![\w-])|(?<=\s)\?{3,}(?=[\s,.;)])"
    r"|(?<![\w\\$}])\{[a-z]+(?:_[a-z]+)+\}|(?<=[ (])\{[^\W\d_]{3,30}\}(?=[ ,.;:!?)])"
    r"|(?<!\w)[$€£]X{2,}(?!\w)|(?<!\w)XX:XX(?!\w)|(?<!\w)XX(?= ?%| per ?cent)|\((?:link|date|name) to be added\)"
    r"|\((?:insert|add|put|insertar?|inserte|añad[ae]|insérer|ajouter|einfügen|inserir|inserire|вставить)\b[^()\n]{0,80}"
    r"\b(?:here|aquí|ici|hier|aqui|qui|здесь|сюда)\)"
    r"|\((?:insert|add) (?:an? |the )?(?:citation|reference|source|figure|image|example|date|name|link|number)s?\)"
    r"|(?<=[.!?] )(?:TODO|FIXME)(?=:| [a-z])"
)
"""Gaps inside a sentence: missing years, numbers and names."""

NOTES = re.compile(
    r"(?:TODO|FIXME|TBD|TBA|XXX+|TK TK|PENDIENTE|À COMPLÉTER|ПОДЛЕЖИТ УТОЧНЕНИЮ)(?=\s*(?:[:：\-–—]|$))"
    r"|(?:(?:[^\W\d_]+ ){0,2}"
    r"(?:to be (?:added|written|completed|determined|continued)|coming soon|to follow|under construction)"
    r"|content (?:goes|will go) here|(?:your )?text (?:goes )?here|write something here|work in progress"
    r"|placeholder(?: text)?|(?:pendiente de|por|falta) (?:completar|redactar|escribir|definir)"
    r"|(?:[^\W\d_]+ )?(?:próximamente|en construcción|en construction|em construção|in costruzione)"
    r"|à (?:venir|compléter|rédiger|définir)"
    r"|(?:[^\W\d_]+ )?(?:wird noch (?:ergänzt|geschrieben)|noch zu (?:schreiben|ergänzen)|in arbeit|folgt(?: noch)?)"
    r"|demnächst|in arrivo|da (?:completare|scrivere|definire)|em breve|a (?:completar|escrever|definir)"
    r"|(?:скоро )?будет (?:дополнено|написано|добавлено)|скоро будет)\W*$",
    re.IGNORECASE,
)
"""A note instead of text at the start of a block. The words in capitals count only in capitals."""
CAPITALS = re.compile(r"[A-ZÀ-ÞЀ-Я ]{2,}")
LOREM = re.compile(r"\blorem ipsum\b(?P<more>\s+dolor)?", re.IGNORECASE)
DOTS = re.compile(r"(?:\.{2,}+|…|\?{2,}+|x{3,}+|n/?a|none|null|undefined|nan|string)+\.?", re.IGNORECASE)
"""A text that consists only of these was never written."""
TEMPLATE = re.compile(r"\{\{\s?[a-z]{1,30}(?:_[a-z]{1,30}){1,4}\s?\}\}")
"""A slot that no program filled. Pages about templates show slots as code; one word may be a command of the site."""
QUOTES = "\"'“‘«„`*_"
MARKS = "".join(("*_`#>-", " \t\r\n", "\"'", "()[]{}<>"))
SUGGESTION = "Write what belongs here."


def is_placeholder(text: str) -> bool:
    """Return whether the whole text is a placeholder."""
    bare = text.strip(MARKS)
    if not bare:
        return bool(DOTS.fullmatch(text.strip()))
    note = NOTES.match(bare)
    return bool(DOTS.fullmatch(bare)) or (note is not None and not bare[note.end() :].strip(".…!: "))


def placeholders(view: Markdown, labels: Collection[str] = ()) -> Iterator[Slip]:
    """Yield every placeholder of a text. `labels`: labels of links that the document defines elsewhere."""
    text = view.text
    if len(text) < 200 and text.strip() and is_placeholder(text):
        yield _placeholder_slip(0, len(text.rstrip()), text.strip()[:60])
        return
    has_filler = "orem ipsum" in view.prose
    for block in view.prose_blocks:
        yield from _in_block(view, block, labels)
        if has_filler:
            # The filler text itself. A text that only mentions it puts it in quotes or continues differently.
            for match in LOREM.finditer(view.prose, block.start, block.end):
                begins = match.start() == block.start
                if (match["more"] or begins) and not _quoted(view.text, match) and not block.quoted:
                    yield _placeholder_slip(match.start(), match.end(), match.group())


def _in_block(view: Markdown, block: Block, labels: Collection[str]) -> Iterator[Slip]:
    prose = view.prose
    note = NOTES.match(prose, block.start, block.end)
    if note is not None and _is_note(view, note, block):
        yield _placeholder_slip(note.start(), note.end(), note.group())
    for sign in OPENING.finditer(view.text, block.start, block.end):
        match = BRACKETED.match(view.text, sign.start(), block.end)
        if match is not None and text_is_prose(view, match.start()) and not _quoted(view.text, match):
            yield _bracketed(view, match, block)
    if block.kind in ("paragraph", "item") and not block.quoted:
        yield from _unfilled(view, block, labels)


def _bracketed(view: Markdown, match: re.Match[str], block: Block) -> Slip:
    """Return the slip of an instruction in place of text; inside a sentence, where it may be a gap, an error only."""
    before = view.text[block.start : match.start()].rstrip()
    after = view.text[match.end() : block.end].strip(" .!")
    stands_alone = (not before or before[-1] in ".!?:") and (not after or after[0] == "\n" or after[0].isupper())
    slip = _placeholder_slip(match.start(), match.end(), match.group())
    return slip if stands_alone else replace(slip, severity="error")


def _unfilled(view: Markdown, block: Block, labels: Collection[str]) -> Iterator[Slip]:
    """Yield gaps inside a sentence. They may be meant for learners, so they are only warnings."""
    found = list(UNFILLED.finditer(view.prose, block.start, block.end))
    for match in TEMPLATE.finditer(view.text, block.start, block.end):
        if not any(start <= match.start() < end for start, end in view.structure.code):
            found.append(match)
    for match in SLOTTED.finditer(view.text, block.start, block.end):
        words = match["square"] or match["angle"]
        if words in KEYS or not text_is_prose(view, match.start()):
            continue
        if _abbreviates(words, view.text[block.start : match.start()]):
            continue
        if SLOT.fullmatch(words) is None and (normal_label(words) in labels or not _is_gap(view, match, block)):
            continue
        if BRACKETED.match(view.text, match.start(), block.end) is None:
            found.append(match)
    for match in found:
        if not _in_quotes(view.prose, block.start, match.start()) and not _quoted(view.text, match):
            yield replace(_placeholder_slip(match.start(), match.end(), match.group()), severity="warning")


def _abbreviates(words: str, before: str) -> bool:
    """Return whether the letters are the initials of the name before them: "the World Health Organization [WHO]"."""
    initials = "".join(word[0] for word in re.findall(r"\w+", before[-200:]) if word[0].isupper())
    return len(words) > 1 and words.isupper() and initials.endswith(words)


def _is_gap(view: Markdown, match: re.Match[str], block: Block) -> bool:
    """Return whether plain words in square brackets are inside a sentence and are not a link."""
    words = match["square"]
    if words is None or WORDS.fullmatch(words) is None or match.start() == block.start:
        return False
    before, after = view.text[match.start() - 1], view.text[match.end() : match.end() + 1]
    if before not in " (" or (after and after not in " ,.;:!?)"):
        return False
    return not any(link.start <= match.start() < link.end for link in view.links)


def text_is_prose(view: Markdown, place: int) -> bool:
    """Return whether the character is in prose or begins an apparent tag: code is blanked with another character."""
    return view.prose[place] == view.text[place] or (view.text[place] == "<" and view.prose[place] != STANDS_FOR)


def _is_note(view: Markdown, note: re.Match[str], block: Block) -> bool:
    word = note.group()
    if CAPITALS.match(word.upper()) and word.lower().split()[0] in _CAPITAL_NOTES and not word[:2].isupper():
        return False
    return not (block.kind == "heading" and len(word) == block.end - block.start and word.istitle())


_CAPITAL_NOTES = frozenset({"todo", "fixme", "tbd", "tba", "tk", "xxx", "pendiente"})


def _quoted(text: str, match: re.Match[str]) -> bool:
    return match.start() > 0 and text[match.start() - 1] in QUOTES


def _placeholder_slip(start: int, end: int, shown: str) -> Slip:
    return Slip(start, end, f"This is a placeholder ({shown[:60]!r}), not text.", SUGGESTION, severity="critical")


PROMPT_TOKENS = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?(?:think|thinking|thought|reasoning|scratchpad|reflection|analysis|inner_monologue)>|<(?:start|end)_of_turn>"
    r"|^\s{0,3}#{2,4} (?:Instruction|Response|Input|Prompt|System|Assistant|User):[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
PROMPT_SUGGESTION = "Take it away, and make sure that the text around it is whole."
LONGEST_BEGINNING = 600
"""Characters of a block that are searched: instructions are at its start."""
LONGEST_ORDER = 160
"""The longest paragraph that is only an instruction, in characters."""


@cache
def _prompt_patterns(name: str) -> re.Pattern[str]:
    return _joined(table("prompts")[name])


@cache
def _orders_by_vocabulary() -> re.Pattern[str]:
    """Match a verb of instruction, followed in the same block by a word of instructions."""
    found = []
    for words in table("prompts")["vocabulary"].values():
        strong, weak = words["strong"], words["weak"]
        behind = rf"(?:\b{strong}|\b{weak}\b[^\n]{{0,80}}?\b{weak}\b)"
        found.append(rf"{words['verbs']}\b[^\n]{{0,100}}?{behind}|(?:{words['answers']})\b")
    return re.compile("|".join(f"(?:{pattern})" for pattern in found), re.IGNORECASE)


def _is_order(prose: str) -> re.Match[str] | None:
    """Match a short block that is an instruction by its vocabulary. A longer one may only begin with advice."""
    return _orders_by_vocabulary().match(prose) if len(prose.strip()) <= LONGEST_ORDER else None


def prompts(view: Markdown) -> Iterator[Slip]:
    """Yield leftovers of prompts: marks, word counts and instructions."""
    code = [(b.start, b.end) for b in view.blocks if b.kind == "code"]
    for token in PROMPT_TOKENS.finditer(view.text):
        if not any(start <= token.start() < end for start, end in (*code, *view.structure.code)):
            yield _prompt_slip(view, *token.span(), "error")
    for block in view.prose_blocks:
        if block.quoted or block.kind in ("table", "footnote"):
            continue
        prose = view.prose[block.start : min(block.end, block.start + LONGEST_BEGINNING)].lstrip("*_ \t")
        shift = block.end - block.start - len(view.prose_of(block).lstrip("*_ \t"))
        for name, severity in PROMPT_SEVERITIES:
            match = _prompt_patterns(name).match(prose)
            if match is not None:
                yield _prompt_slip(view, block.start + shift, block.start + shift + match.end(), severity)
                break
        else:
            order = _is_order(prose) if block.kind == "paragraph" else None
            if order is not None:
                yield _prompt_slip(view, block.start + shift, block.start + shift + order.end(), "warning")


PROMPT_SEVERITIES: tuple[tuple[str, Severity], ...] = (("counted", "error"), ("orders", "error"), ("likely", "warning"))
"""Lists of the data file, and the severity of their matches."""


def _prompt_slip(view: Markdown, start: int, end: int, severity: Severity) -> Slip:
    shown = " ".join(view.text[start:end].split())[:60]
    return Slip(start, end, f"This is left over from a prompt ({shown!r}).", PROMPT_SUGGESTION, severity=severity)
