"""Negation in each language: words that deny, words in which a denial may hide, and whether a text denies something."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from burnish.languages.cache import kept
from burnish.languages.words import word_set

DENYING: dict[str, str] = {
    "en": r"\w+n['’]t|not|cannot|never|no|none|nobody|noone|nothing|nowhere|neither|nor|without|ain['’]t",
    "es": r"no|ni|nunca|jamás|nada|nadie|ninguno|ninguna|ningún|ningunos|ningunas|sin|tampoco",
    "fr": r"ne|n['’]|pas|jamais|rien|personne|aucun|aucune|ni|sans|nul|nulle|nullement|guère|non",
    "de": r"nicht|nichts|nie|niemals|niemand|niemandem|niemanden|kein|keine|keinen|keinem|keiner|keines|keins|weder|"
    r"noch nie|"
    r"nirgends|nirgendwo|ohne|nein|keinerlei|keineswegs|nix",
    "it": r"non|né|mai|nulla|niente|nessuno|nessuna|nessun|senza|neanche|nemmeno|neppure|no",
    "pt": r"não|nem|nunca|jamais|nada|ninguém|nenhum|nenhuma|nenhuns|sem|tampouco",
    "ru": r"не|нет|ни|без|нельзя|никто|никого|никому|ничто|ничего|ничему|никогда|нигде|никуда|никак|никакой|никаких|"
    r"никакого|никакая|никакие|нету|незачем|некого|нечего|некому|негде|некуда|некогда",
    "mk": r"не|нема|нити|без|никој|никого|никому|ништо|никогаш|никаде|никако|никаков|никаква|немам|немаш|немаме|"
    r"немате|немаат|"
    r"немав|немаше|немал|немаа|нејќам|нејќе|нели|немој|ниту|ниеден|ниедна|ниедно",
    "bg": r"не|няма|нямам|нямаш|нямаме|нямате|нямат|нямах|нямаше|нито|ни|без|никой|никого|никому|нищо|никога|никъде|"
    r"никак|никакъв|никаква|"
    r"никакви|недей|недейте|нали",
    "pl": r"nie|ni|bez|nikt|nikogo|nikomu|nic|niczego|niczym|nigdy|nigdzie|żaden|żadna|żadne|żadnego|żadnej|żadnych|"
    r"ani|brak|nijak",
    "cs": r"ne|ni|bez|nikdo|nikoho|nikomu|nic|ničeho|nikdy|nikde|nikam|žádný|žádná|žádné|žádného|ani|není|nejsou|nelze",
    "uk": r"не|нема|немає|ні|без|ніхто|нікого|ніщо|нічого|ніколи|ніде|жоден|жодна",
    "hi": r"नहीं|न|ना|मत|बिना|बगैर|नही",
}
"""Whole words, as a pattern without case."""

HIDDEN: dict[str, str] = {
    "en": r"un(?!it|iq|iv|ion|der|til|to|less\b|cle)\w{3,}|"
    r"in(?:ab|adeq|cap|correct|eff|evit|ex|justice|secure|signif|suff|tol|valid|vis|comp|"
    r"consist|def|finit|appro|stab|dep|cred|direct)\w*|im(?:poss|patien|perf|material|mob|probab|prop|mort|mun)\w*|irr(?:eg|"
    r"el|esp|at|ev)\w*|"
    r"illeg\w*|dis(?!t|c|h|k|m|p)\w{3,}|non\w*|\w{3,}less(?:ly)?|lack\w*|fail\w*|refus\w*|avoid\w*|den(?:y|ied|ies|ying|ial)|"
    r"prevent\w*|"
    r"hardly|scarcely|barely|rarely|seldom|few|unless|until|except\w*|instead|rather|absen\w+|miss(?:ing|es|ed)?|"
    r"forb(?:id|ad|ade|idden)\w*|"
    r"prohibit\w*|stop\w*|reject\w*|neglect\w*|free|quit|doubt\w*|exclud\w*|zero|otherwise|ceas\w*|"
    r"ignor\w*|false\w*|wrong\w*|"
    r"empty|vain|difficult\w*|only|beware|loss|lost|lose\w*|"
    r"escap\w*|forg[eo]t\w*|hate\w*|"
    r"abstain\w*|declin\w*|opposite|out of|short of|closed|yet|awake|bad at|ever seen|sure to|remember to|anything but|"
    r"less",
    "es": r"imposib\w+|incapa\w+|inút\w+|innecesar\w+|inexist\w+|ilegal\w*|incorrect\w*|"
    r"falt\w*|fracas\w*|neg(?:ar|ó|aron|aba|ativa|ado)\w*|"
    r"nieg\w+|"
    r"rechaz\w*|evit\w*|impid\w*|impedi\w*|carec\w*|carenc\w*|apenas|poc[oa]s?|"
    r"salvo|excepto|sino|dej(?:a|ar|ó|e|en|ado|aron) de|"
    r"prohib\w*|"
    r"rara|raramente|dud\w*|difícil\w*|nul[oa]|olvid\w+|ignor\w+|cuidado|hasta que|antes|perd\w+|lejos|igual|mismo|"
    r"vale|al revés|mal|libre|desconoc\w+|importa|solo|sólo",
    "fr": r"impossib\w+|incapab\w+|inutil\w+|inconnu\w*|illégal\w*|incorrect\w*|manqu\w*|échou\w*|échec|refus\w*|"
    r"évit\w*|empêch\w*|peu|sauf|excepté|"
    r"à moins|rare\w*|interdi\w*|défen(?:d|se)\w*|absen\w*|faute|à peine|dépourvu\w*|sinon|avant|plutôt|dout\w*|"
    r"oubli\w*|ignor\w*|privé\w*|cess\w*|seul\w*|difficil\w*",
    "de": r"un(?!d|s|t|g|w\b|ser|ter|gar|iv|ion|if)\w{3,}|\w{4,}los(?:e|en|er|es)?|fehl\w*|verweiger\w*|weiger\w*|"
    r"vermeid\w*|verhinder\w*|verbiet\w*|verbot\w*|"
    r"kaum|wenig\w*|statt|anstatt|sondern|außer|ausser|mangel\w*|selten|bevor|ablehn\w*|abgelehnt|ausbleib\w*|"
    r"scheitert\w*|sonst|schwer\w*|vergess\w*|"
    r"falsch\w*|verpass\w*|versäum\w*|egal|bis|nur|leer\w*",
    "it": r"impossib\w+|incapac\w+|inutil\w+|illegal\w*|scorrett\w*|sconosciut\w*|"
    r"manc\w*|fallit\w*|nega(?:re|to|va|rono|no)\b|"
    r"rifiut\w*|evit\w*|imped\w*|poc[hoa]\w?|"
    r"tranne|eccetto|a meno|bensì|anziché|appena|raramente|viet\w*|proib\w*|priv[oaie]|finché|invece|diment\w*|"
    r"ignor\w*|smett\w*|dubbi\w*|difficil\w*|solo|prima",
    "pt": r"impossív\w+|incapaz\w*|inútil|ilegal|desconhec\w+|falt\w*|fracass\w*|nega(?:r|do|ram|va)\b|recus\w*|"
    r"evit\w*|imped\w*|carec\w*|apenas|pouc[oa]s?|salvo|exceto|"
    r"senão|a menos|proib\w*|raramente|deix(?:a|ar|ou|e|em) de|difícil|esquec\w+|duvid\w*|só|antes",
    "ru": r"не(?!дел|котор|скол|кто|что|бо\b|бе|мец|рв)\w{3,}|бес(?!ед)\w{3,}|без\w{3,}|отсутств\w*|отказ\w*|"
    r"отриц\w*|избе[жг]\w+|запре\w*|кроме|едва|вряд|мало|редко|лишен\w*|лишён\w*|"
    r"помеш\w*|вместо|ненави\w*|хватит|прекрат\w*|переста\w*|брось\w*|забы\w*|потеря\w*|трудно|сложно|плох\w*|иначе|"
    r"разве|ошиб\w*|мимо|сомн\w*|зря|отклон\w*|препят\w*|"
    r"скры\w*|долой|закры\w*|ничем|нич\w+|ник\w{2,}|от\w{5,}|рано|поздно|пока|только|лишь|раз|всё равно|все равно|"
    r"плевать|чужд\w*",
    "mk": r"не(?!дел|кој|што|ког|каде|как|кол|го\b|а\b)\w{3,}|без\w{3,}|бес\w{3,}|недост\w*|одби\w*|одбе\w*|"
    r"избегн\w*|избега\w*|забран\w*|освен|одвај|едвај|малку|ретко|наместо|туку|"
    r"дури|тешко|мрз\w*|престан\w*|заборав\w*|изгуб\w*|лош\w*|инаку|зар|доста|сомнева\w*|греш\w*|одреч\w*|само|"
    r"сеедно|пред|молч\w*|пречи|вреди|гајле|јас",
    "bg": r"не(?!дел|що|го\b|я\b|и\b|йн)\w{3,}|без\w{3,}|бес\w{3,}|липс\w*|отказ\w*|отрич\w*|избяг\w*|забран\w*|"
    r"освен|едва|малко|рядко|вместо|докато|трудно|мраз\w*|стига|спр\w*|престан\w*|"
    r"забрав\w*|загуб\w*|лош\w*|иначе|нима|съмн\w*|греш\w*|само|преди|все едно|писна\w*|дали",
    "pl": r"nie(?!dziel|mc|bo\b|mi\w|któr|ch\b|jed)\w{3,}|bez\w{3,}|brak\w*|odm[oó]w\w*|unik\w*|zakaz\w*|oprócz|"
    r"ledwo|mało|rzadko|dopóki|zanim|zamiast|zapobie\w*|pozbaw\w*|zaprzecz\w*|"
    r"odrzu\w*|trudn\w*|poza|tylko|niejed\w+",
    "cs": r"bez\w{3,}|chyb\w*|odmí\w*|vyhn\w*|zaká\w*|kromě|sotva|málo|zřídka|dokud|místo|nýbrž|zabrán\w*|zamít\w*|"
    r"postrád\w*|pouze|jen|jenom|teprve|těžk\w*",
    "uk": r"не\w{3,}|без\w{3,}|відсут\w*|відмов\w*|крім|ледь|мало|рідко|доки|поки|замість|лише|тільки",
    "hi": r"असंभव|अयोग्य|अन(?:जान|पढ़)\S*|बेकार|रहित|इनकार|इंकार|कम|बजाय|रोक\S*|मना|मुश्किल|वंचित|गैर\S*|ग़ैर\S*|"
    r"विफल|असफल|अज्ञात|नाकाम\S*|केवल|सिर्फ",
}
"""Words in which a denial may hide, or from which one may come: they excuse, and prove nothing."""

TURNED: dict[str, str] = {
    "en": r"out|away|hard|single|awake|silent|quiet|still|before|yet|too|other|far|open|wherever|whatever|whoever|"
    r"however|sure|remember\w*|any|anyone|anybody|anything|poor\w*|bad\w*|cheat\w*",
}
"""Words by which a translation may say a denied thing the other way round: not asleep, still awake."""

HAN_DENYING = r"不|没|沒|未|无|無|否|勿|别|別"
HAN_HIDDEN = r"非|免|缺|禁|拒|绝|失|仅|僅|只|难|難|少ない|まで|以外"
HAN_NOT_DENYING = (
    r"少ない|少なく|非常|不断|不斷|不仅|不僅|不但|不过|不過|不久|未来|未來|不同|不少|无论|無論|不管|别人|別人|区别|區別|特别|特別|分别|分別|"
    r"级别|級別|性别|性別|个别|個別|绝对|絕對|至少|多少|青少年|少年|少女|减少|減少|只要|只有|不得不|非洲|是非|差不多|缺乏|反应|反應|反对|反對|"
    r"不如|避免|禁止|拒绝|拒絕|难民|難民|失去|损失|損失|少数|少數|缺点|缺點|除非|莫斯科|别墅|無事|無料|無線|非公式|不動産|不思議|未満|未滿|"
    r"识别|識別|告别|告別|无疑|無疑|无线|拒收"
)
KANA_DENYING = r"な[いかくけ]|ません|ず(?:に|、|。|$)|ぬ[。、]|まい[。、]|なし|無し"


Span = tuple[int, int]

PASSED_OVER: dict[str, str] = {
    "en": r"whether or not|or not|not only|not just|not merely|not least|if not|no doubt|no matter|nothing but|"
    r"no sooner|"
    r"why not|no\.\s?\d|can(?:no|['’])t help(?: it| \w+ing)|not to mention|do you mind|no wonder|not until|not unlike|"
    r"almost \w+n['’]t|nothing short|not surprisingly|no more \w+ than",
    "es": r"no solo|no sólo|no más|nada más|¿no\?|no bien|por qué no|si no|o no|no \w+ (?:sino|más que)|no olvid\w+",
    "fr": r"non seulement|pas seulement|n['’]est-ce pas|n(?:e |['’])\w+ que|ou non|ou pas",
    "de": r"nicht nur|nicht zuletzt|nicht wahr|oder nicht|wenn nicht",
    "it": r"non solo|non soltanto|non appena|o no|se non|non \w+ che",
    "pt": r"não só|não apenas|não é\?|ou não|se não",
    "ru": r"не только|не раз|не так ли|без сомнения|как ни|чуть не|едва не|пока (?:\w+ ){0,3}не|не \w+ ли|"
    r"если не|не прочь|или нет|"
    r"не могу на\w+|"
    r"(?:бы|кто|что|куда|где|как\w*) \w{0,4} ?ни",
    "mk": r"не само|нели|без сомнение|без разлика|додека не|или не|не знам што|да не",
    "bg": r"не само|нали|без съмнение|докато (?:\w+ ){0,3}не|или не|да не",
    "pl": r"nie tylko|nieprawdaż|czy nie|niejednokrotnie|nieraz",
    "cs": r"nejen|nejenom|či ne",
}
"""Turns of phrase in which the word denies nothing: they prove nothing, and excuse one denial of the other side."""
WITHOUT_DENIAL: dict[str, str] = {
    "es": r"sin embargo|sin duda|no obstante",
    "fr": r"sans doute|néanmoins|personne (?!n)",
    "de": r"ohne weiteres|zweifelsohne|nichtsdestotrotz",
    "it": r"senza dubbio|nonostante|ciò nonostante|mai più di",
    "pt": r"sem dúvida|não obstante",
    "ru": r"тем не менее|нельзя ли",
    "pl": r"niemniej|bez wątpienia",
    "cs": r"nej\w+|nebo|neboť|než\w*|něj\w*|někd\w*|něk\w*|něc\w*|neděl\w*|nech\w*|nemoc\w*|nest\w{0,2}|net\w*|"
    r"neu\w*|bezpe\w*",
}
"""Words that only look like denials: they neither prove nor excuse."""
SENTENCE = re.compile(r"[^.?!…。！？\n]*+(?P<mark>[.?!…。！？\n]?)")
CZECH_VERB = r"ne\w{2,}"


ANSWERING = word_set(
    """
    pas jamais rien personne aucun aucune nul nulle nullement guère ni nada nadie nunca jamás ninguno ninguna ningún
    né mai nulla niente
    nessuno nessuna nessun nem ninguém nenhum nenhuma
    никто никого никому ничто ничего ничему никогда нигде никуда никак никакой никаких никакого никакая никакие ни
    никој никого никому ништо никогаш никаде никако никаков никаква ниту нити ниеден ниедна ниедно
    никой нищо никога никъде никакъв никаква никакви нито
    nikt nikogo nikomu nic niczego nigdy nigdzie żaden żadna żadne żadnego żadnej żadnych ani nikdo nikoho nikomu
    ničeho nikdy nikde žádný
    žádná žádné žádného nor
    """
)
"""Words that mostly stand beside another denial of the same statement."""


class Denials(NamedTuple):
    """What a text denies."""

    plain: tuple[Span, ...]
    """Where it does so in a word that can mean nothing else."""
    clauses: int
    """How many statements are denied at least: of "no ... nada" only one word counts, and questions state nothing."""
    turned: int
    """How many words there are by which a denied thing may be said the other way round."""
    hidden: int
    """How many words there are, however faint, that another language may turn into a denial."""


class _Patterns(NamedTuple):
    without_denial: re.Pattern[str] | None
    passed_over: re.Pattern[str] | None
    plain: re.Pattern[str]
    hidden: re.Pattern[str]
    turned: re.Pattern[str] | None


def knows_denials(language: str) -> bool:
    return language in DENYING or language in ("zh", "ja")


@cache
def _patterns(language: str) -> _Patterns:
    if language in ("zh", "ja"):
        kana = f"|{KANA_DENYING}" if language == "ja" else ""
        signs = re.compile(HAN_DENYING + kana)
        return _Patterns(re.compile(HAN_NOT_DENYING), None, signs, re.compile(HAN_HIDDEN), None)
    denying = DENYING[language] + (f"|{CZECH_VERB}" if language == "cs" else "")
    return _Patterns(
        _words(WITHOUT_DENIAL[language], language) if language in WITHOUT_DENIAL else None,
        _words(PASSED_OVER[language], language) if language in PASSED_OVER else None,
        _words(denying, language),
        _words(HIDDEN[language], language),
        _words(TURNED[language], language) if language in TURNED else None,
    )


def _words(listed: str, language: str) -> re.Pattern[str]:
    # The vowel signs of Hindi are no letters to a pattern, so that its words end at blanks and marks.
    left, right = (r"(?<![\u0900-\u097f])", r"(?![\u0900-\u097f])") if language == "hi" else (r"\b", r"(?<=\W)|\b")
    return re.compile(rf"{left}(?:{listed})(?:{right})", re.IGNORECASE)


@kept
def denials(prose: str, language: str) -> Denials:
    """Only for languages that are known (`knows_denials`)."""
    patterns = _patterns(language)
    read, excuses = prose, 0
    if patterns.without_denial is not None:
        read = patterns.without_denial.sub(_blanks, read)
    if patterns.passed_over is not None:
        read, excuses = patterns.passed_over.subn(_blanks, read)
    found = [match.span() for match in patterns.plain.finditer(read)]
    stated = SENTENCE.sub(_without_question, read)
    clauses = sum(stated[start:end].strip() != "" and read[start:end].lower() not in ANSWERING for start, end in found)
    turned = len(patterns.turned.findall(read)) if patterns.turned is not None else 0
    return Denials(tuple(found), clauses, turned, excuses + sum(1 for _ in patterns.hidden.finditer(read)))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_question(match: re.Match[str]) -> str:
    return _blanks(match) if match["mark"] in ("?", "？") else match[0]
