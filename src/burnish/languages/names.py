"""Names of a text: words whose capital, place or neighbours show that a translation keeps them.

German writes every noun with a capital, so that a capital says nothing there: its everyday nouns, polite forms, numbers
and titles are listed by hand, and a compound is known by the noun it ends with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from burnish.languages.cache import kept
from burnish.languages.dates import date_words
from burnish.languages.scripts import scripts_of
from burnish.languages.translated_names import ALIKE_EVERYWHERE, ANYWHERE, INSTITUTIONS
from burnish.languages.word_forms import are_alike, latin, sound
from burnish.languages.words import word_set

NEVER_NAMES = word_set(
    """
    sie ihr ihre ihren ihrem ihrer ihnen ihres du dich dir dein deine euch euer eure er es wir uns unser unsere ich
    mich mir mein meine sein seine kein keine jeder jede jedes dieser diese dieses jener jene alle alles einige
    viele wenige mehr manche mancher beide beiden solche welche welcher welches etwas nichts niemand jemand man
    ein eine einen einem einer eines eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig
    vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend zweitausend dreizehn vierzehn fünfzehn sechzehn
    siebzehn achtzehn neunzehn erste ersten erster erstes zweite zweiten zweiter zweites dritte dritten dritter
    drittes vierte letzte letzten letzter letztes halbe halber halbes
    million millionen milliarde milliarden dutzend dutzende paar hälfte drittel viertel achtel mal prozent
    herr herrn herren frau frauen fräulein dame damen doktor dr prof professor professorin pater bruder schwester
    onkel tante vater mutter meister könig königin kaiser kaiserin graf gräfin fürst prinz prinzessin papst bischof
    weiß weißt kommen komm gehen geh darf dürfen kann können muss müssen soll sollen will wollen mag möchte ist sind
    war waren hat haben habe hast hatte hatten wird werden wurde wurden gibt gab lass lassen sehen sieh hören nehmen
    nimm bitte danke ja nein doch gut guten guter gute gutes lieber liebe liebes alt alte alten alter neue neuen neu
    große großen großer großes kleine kleinen kleiner heute gestern morgen abend mittag nacht früh später damals
    einst bald immer nie oft vielleicht leider wirklich sicher natürlich endlich plötzlich vorwärts
    groß klein deutsch deutsche deutschen englisch englische französisch französische russisch amerikanische
    """
)
NOUNS = word_set(
    """
    jahr tag woche monat stunde minute sekunde zeit uhr jahrhundert jahrzehnt anfang ende mitte abend morgen nacht
    frühling sommer herbst winter wetter regen schnee wind sturm sonne mond stern himmel erde welt land stadt dorf
    straße weg platz brücke fluss see meer küste insel berg tal wald feld wiese garten park haus wohnung zimmer
    küche tür fenster wand dach boden treppe keller hof schule lehrer schüler student universität klasse buch seite
    wort satz sprache brief zeitung nachricht bild foto film musik lied theater kunst künstler dichter maler
    mensch leute mann kind junge mädchen sohn tochter eltern familie freund feind gast wirt nachbar arbeiter bauer
    bürger einwohner bewohner soldat offizier polizist richter anwalt arzt ärztin kranke pfleger händler kaufmann
    fuhrmann kapitän matrose wärter minister präsident kanzler regierung staat volk partei wahl gesetz recht gericht
    krieg frieden kampf schlacht armee waffe sieg niederlage gefahr angst mut hoffnung freude glück leid schmerz
    krankheit gesundheit tod leben geburt hand fuß füße kopf auge augen ohr nase mund gesicht haar herz arm bein
    finger rücken blut körper seele geist gott glaube kirche arbeit beruf geld preis lohn miete steuer bank markt
    laden geschäft firma unternehmen fabrik maschine auto wagen zug bahn bahnhof schiff boot hafen flugzeug rad
    reise fahrt weg ziel karte brot butter milch ei eier käse fleisch fisch wurst gemüse obst apfel kartoffel suppe
    kuchen zucker salz mehl kaffee tee wasser wein bier saft glas tasse teller flasche topf löffel messer gabel
    tisch stuhl bett schrank lampe spiegel kleid hemd hose schuh handschuh mantel hut tuch stoff papier holz stein
    eisen stahl gold silber kohle öl gas feuer licht luft dampf farbe zahl nummer meter kilometer zentimeter meile
    liter kilo gramm kilogramm pfund zentner tonne mark euro dollar cent pfennig franken rubel krone grad
    sack säcke kiste korb menge reihe stück teil hälfte art weise form größe länge höhe tiefe breite gewicht
    hund katze pferd kuh schaf schwein huhn vogel möwe tier maultier esel blume baum gras blatt wurzel frucht
    frage antwort grund ursache folge wirkung sache ding fall beispiel problem lösung idee gedanke plan versuch
    fehler erfolg anfang regel ordnung macht kraft gewalt freiheit wahrheit lüge spiel sport ball mannschaft
    spieler sieger verein gruppe mitglied gesellschaft kultur geschichte wissenschaft forscher forschung natur
    technik rechner computer telefon fernsehen internet netz programm datei bericht kapitel abschnitt band ausgabe
    verlag autor leser schriftsteller erzähler roman gedicht märchen titel name vorname nachname ort gebiet gegend
    grenze norden süden osten westen richtung nähe ferne rand ecke spitze dienst hilfe schutz pflicht schuld
    premier trainer leiter chef direktor sprecher vertreter beamter abgeordneter senator bürgermeister gouverneur
    """
)
NOT_IN_COMPOUNDS = word_set("berg tal wald feld dorf hof stadt land see stein mann bauer haus bach ei art tee öl gas")
"""Nouns with which names end too, or which are too short to tell."""
ENDINGS = ("", "e", "n", "en", "s", "es", "er", "ern", "nen", "in", "innen")
SHORTEST_NOUN = 4


@lru_cache(maxsize=20_000)
def is_german_word(word: str) -> bool:
    """Whether a word with a capital is surely no name in German, in any of its forms."""
    letters = word.lower()
    if letters in NEVER_NAMES:
        return True
    stems = {letters.removesuffix(ending) for ending in ENDINGS}
    return any(stem in NOUNS or _ends_with_noun(stem) for stem in stems)


def _ends_with_noun(stem: str) -> bool:
    """ "Weltkrieg", "Seemeile"; at least three letters stand before the noun."""
    ends = (stem[start:] for start in range(3, len(stem) - SHORTEST_NOUN + 1))
    return any(end in NOUNS and end not in NOT_IN_COMPOUNDS for end in ends)


NAME_TOKEN = re.compile(r"[^\W\d_][^\W_]*")
ENDS_SENTENCE = '.!?¡¿…:;。！？\n|>/"“„«»‘([*_#—–\ufffc'
COMPARABLE = frozenset({"Latin", "Cyrillic", "Greek"})
CAPITALS_MEAN_NAMES = word_set("es fr it pt ru pl cs mk bg uk sr hr sk sl ca ro nl sv da no")
"""Languages that write only names with a capital inside a sentence: no nouns, no days, no peoples' languages."""
SHORTEST = 3
LONGEST_STEM = 9
SHORT_STEM = 3
"""A stem of so few letters is a whole word, not a beginning."""
MOST_WORDS = 3000
"""In a longer paragraph names are not compared: each is held against every word."""
TITLE_SHARE = 0.7
"""With more capitals than this a text is a title, in which they mean nothing."""
LINKS = word_set("de del la los las le les du des di della delle dei do da dos das of the and y e et")
ORDINAL = re.compile(
    r"[IVXLC]+(?:e|è|er|ère|ème|eme|th|st|nd|rd)|(?:prem|deux|trois|quatr|cinqu|second|prim|terc|terz|quart|quint)\w{0,7}",
    re.IGNORECASE,
)
"""A century, a king's number, the first of two wars: said in each language's own words."""
TABLE_ROW = re.compile(r"\s*\|")
GERMAN_ENDINGS = (
    r"ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|nis|nisse|chen|lein|tum|ismus|isten?|ling|linge|"
    r"ment|mente|ments|enz|anz|zeug|werk|haus|zeit|jahr|jahre|teil|teile|recht|rechte|punkt|stelle|weise|frage|leute|menschen"
)
GERMAN_NOUN = re.compile(rf".+(?:{GERMAN_ENDINGS})")
GERMAN_NOUN_PERHAPS = re.compile(
    rf".+(?:{GERMAN_ENDINGS}|ern?|ens?|els?|eln|ig|ich|iv|ur|ie|ik|ekt|land|stadt|tag|[estdnfghl])"
)
UNLIKE_GERMAN = re.compile(r"y$|ey|[aeiou]y|c(?![hk])|q(?!u)|[^a-zäöüß]|[bdfgk]h|[aeiou]w")
"""Letters that hardly stand so in a German noun."""
GERMAN_OPENERS = word_set(
    """
    als nach in im am an auf aus bei mit von zu vor für gegen durch über um unter ohne seit während wegen trotz wenn
    weil da dass ob und
    oder aber doch denn so wie was wer wo der die das den dem des ein eine einen einem einer er sie es wir ihr ich du
    man hier dort nun dann auch nur schon noch nicht ist war hat
    """
)
PREPOSITIONS = word_set(
    "in aus nach von bei mit für gegen durch über um an auf zwischen und sagte sagt erzählte so wie als"
)
SPEECH = word_set(
    "sagte sagt erzählte erklärte erklärt meinte meint betonte betont berichtete fügte schrieb rief antwortete fragte"
)
PARTICLES = word_set("de von van di da du la le el del della bin ibn al")
GIVEN_NAMES = word_set(
    """
    adam agatha albert alan alfred alice amy andrew angela ann anna anne anthony arthur barack barbara ben benjamin
    bernard bill bob brian bruce
    carl caroline catherine charles charlie chris christine clara daniel david deborah dennis diana donald dorothy
    douglas edgar edith edward
    elizabeth ellen emily emma eric ernest eugene eva florence frank fred frederick gary geoffrey george gerald
    gordon grace graham gregory
    harold harry helen henry herbert howard hugh ian irene isaac jack jacob james jane janet jason jeff jennifer
    jerry jessica jim joan joe john
    jonathan joseph joshua judith julia julie karen karl kate katherine keith kenneth kevin larry laura lawrence
    leonard leslie lewis linda lisa
    louis lucy margaret maria marie mark martha martin mary matthew max maurice michael michelle mike nancy nicholas
    noah oliver oscar pamela
    patricia patrick paul peter philip rachel ralph raymond rebecca richard robert roger ronald rose roy russell ruth
    ryan sam samuel sandra sarah
    scott sharon sidney simon sophie stanley stephen steven stuart sue susan ted teresa terry theodore thomas tim
    timothy tom tony victor victoria
    vincent virginia walter wayne william woodrow
    """
)
Words = tuple[tuple[str, int, int], ...]
"""Each with its start and end."""


class Name(NamedTuple):
    """A word that is a name, or part of one."""

    start: int
    end: int
    text: str
    sound: str
    acronym: bool
    in_run: bool
    """Whether another capitalised word stands right beside it."""
    sure: bool = True
    """Whether it can be nothing else: no ordinal, no noun of a language that writes them with a capital."""


def can_compare(language: str) -> bool:
    """Whether the language is written in letters that can be brought to Latin ones."""
    return bool(COMPARABLE & set(scripts_of(language)))


@kept
def _words(prose: str) -> Words:
    return tuple((match[0], match.start(), match.end()) for match in NAME_TOKEN.finditer(prose))


@kept
def _sounds(text: str) -> tuple[str, ...]:
    """Every word of a text by its sound, each once; also what stands in links and code, because names stand there."""
    return tuple({sound(match[0]) for match in NAME_TOKEN.finditer(text)})


def names(prose: str, language: str) -> Iterator[Name]:
    """Words that are surely names, as far as the language shows them by capitals."""
    words = _words(prose)
    if len(words) > MOST_WORDS or prose.isupper():
        return
    dated = {word.start for word in date_words(prose, language)}
    later = words[1:]
    mostly_capitals = sum(word[0].isupper() for word, _, _ in later) > len(later) * TITLE_SHARE
    cased = can_compare(language)
    for place, (word, start, end) in enumerate(words):
        if not word[0].isupper() or len(word) < 2 or start in dated:
            continue
        acronym = len(word) >= SHORTEST and word.isupper() and not mostly_capitals
        run = _runs_on(prose, words, place)
        found = Name(
            start, end, word, sound(word), acronym, run, acronym or _is_certain(prose, language, words, place, run)
        )
        if cased and (mostly_capitals or not _is_surely_name(prose, language, words, place, found)):
            continue
        if is_kept(word, language) and not _belongs_to_institution(words, place, language):
            yield found


def _is_certain(prose: str, language: str, words: Words, place: int, in_run: bool) -> bool:
    word, start, _ = words[place]
    if ORDINAL.fullmatch(word) or TABLE_ROW.match(prose):
        return False
    if language != "de" or begins_with_any(latin(word), ALIKE_EVERYWHERE):
        return True
    before = words[place - 1][0] if place else ""
    if before in SPEECH or before in PARTICLES or (before in PREPOSITIONS and UNLIKE_GERMAN.search(word.lower())):
        return True
    beside = [words[n][0] for n in (place - 1, place + 1) if 0 <= n < len(words)]
    named = any(near[0].isupper() and not is_german_word(near) for near in beside)
    return in_run and named and not _opens_sentence(prose, start)


def _belongs_to_institution(words: Words, place: int, language: str) -> bool:
    """ "Ministerio de Salud": what such a name says is translated with it."""
    linked = place > 1 and words[place - 1][0] in LINKS
    back = next((n for n in range(place - 1, max(-1, place - 4), -1) if words[n][0] not in LINKS), -1)
    return linked and back >= 0 and words[back][0][0].isupper() and not is_kept(words[back][0], language)


def _runs_on(prose: str, words: Words, place: int) -> bool:
    """Whether the word before or behind begins with a capital too."""
    _, start, end = words[place]
    before = place > 0 and words[place - 1][0][0].isupper() and prose[words[place - 1][2] : start] in (" ", "-")
    after = (
        place + 1 < len(words) and words[place + 1][0][0].isupper() and prose[end : words[place + 1][1]] in (" ", "-")
    )
    return before or after


def _is_surely_name(prose: str, language: str, words: Words, place: int, name: Name) -> bool:
    if name.acronym:
        return True
    if language == "de":
        return _is_german_name(prose, words, place, name)
    if len(name.text) < SHORTEST or _opens_sentence(prose, name.start):
        return begins_with_any(latin(name.text), ALIKE_EVERYWHERE)
    if language in CAPITALS_MEAN_NAMES:
        return True
    return name.in_run and _has_given_name(words, place)


def _has_given_name(words: Words, place: int) -> bool:
    """English writes titles and labels with capitals as well: only what stands beside a first name is a person's."""
    beside = (words[number][0].lower() for number in (place - 1, place - 2) if number >= 0)
    return any(word in GIVEN_NAMES for word in beside)


def begins_with_any(letters: str, stems: frozenset[str]) -> bool:
    """Whether a word begins with one of the stems; a very short stem is a whole word."""
    longest = min(len(letters), LONGEST_STEM)
    return any(letters[:n] in stems and (n > SHORT_STEM or n == len(letters)) for n in range(1, longest + 1))


def _opens_sentence(prose: str, start: int) -> bool:
    before = prose[max(0, start - 4) : start].rstrip(" \u00a0")
    return not before or before[-1] in ENDS_SENTENCE or (before[-1] in "'’" and len(before) == 1)


def _is_german_name(prose: str, words: Words, place: int, name: Name) -> bool:
    """German writes every noun with a capital: what stands in a run of them, or bare and unlike a noun."""
    if len(name.text) < SHORTEST or is_german_word(name.text):
        return False
    if _opens_sentence(prose, name.start) or not place:
        word = name.text.lower()
        bare = word not in GERMAN_OPENERS and not GERMAN_NOUN_PERHAPS.fullmatch(word)
        return (name.in_run and bare) or begins_with_any(latin(name.text), ALIKE_EVERYWHERE)
    previous, begun, ended = words[place - 1]
    if previous in PARTICLES and place > 1:
        previous, begun, _ = words[place - 2]
        return previous[0].isupper()
    if previous[0].isupper() and prose[ended : name.start] == " ":
        if not _opens_sentence(prose, begun):
            return True
        return previous.lower() not in GERMAN_OPENERS and not GERMAN_NOUN.fullmatch(name.text.lower())
    if prose[ended : name.start].strip(" \u00a0"):
        return False  # a number or a mark stands between
    return previous in SPEECH or (previous in PREPOSITIONS and not GERMAN_NOUN_PERHAPS.fullmatch(name.text.lower()))


@lru_cache(maxsize=20_000)
def is_kept(word: str, language: str) -> bool:
    """Whether a name stands in every language as it is; countries, saints and institutions do not."""
    letters = latin(word)
    institutions = INSTITUTIONS.get(language, frozenset[str]())
    if begins_with_any(letters, ALIKE_EVERYWHERE):
        return True
    return not begins_with_any(letters, ANYWHERE) and not begins_with_any(letters, institutions)


def answered(heard: str, other: str) -> bool:
    """Whether the other text has a word of this sound; it may be part of a longer one: Texan, Putins."""
    sounds = _sounds(other)
    return len(sounds) > MOST_WORDS or heard in " ".join(sounds) or any(are_alike(heard, word) for word in sounds)
