"""German words with a capital that are no names: nouns of every day, polite forms, numbers, titles. Written by hand.

German writes every noun with a capital, so that a capital says nothing; a compound is known by the noun it ends with.
"""

from __future__ import annotations

from functools import lru_cache

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
