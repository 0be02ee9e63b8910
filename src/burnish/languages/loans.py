"""How words of a language look: its letters and endings, its loans, and words that two languages share."""

from __future__ import annotations

import re
from functools import cache

from burnish.languages.words import word_set

EVERYWHERE = word_set(
    """
    api apis app apps bit bits blog blogs bot bots browser byte bytes chat click cm copyright csv design e-mail email
    euro euros fax feedback film films golf gps hardware hip-hop hiphop html http https internet intranet jazz jeans
    json kb kg km laptop link links login mail marketing mb mg ml mm mp3 ms net offline ok okay online pc pdf pixel
    pixels podcast pop punk rap rock router rss script scripts server smartphone sms software spam sport status stop
    streaming sushi tag tags taxi test tests token tokens tsunami url urls usb video virus vs web wi-fi wifi www xml
    yoga
    """
)
"""Words that most languages took over as they are, and units."""

_ENGLISH_LOANS = word_set(
    """
    abacus actor adagio adieu agenda alga algebra alibi alpaca alto amateur amigo amnesia anaconda anchovy anemia
    angina angst animal antenna anterior antique aorta apparatus arabesque area arena aria armada aroma audio aura
    aurora auto autobahn avalanche avocado balcony ballerina ballet bambino banana bandana banjo barista baroque
    bazaar beta billion blitz bonanza bonsai bonus boulevard bouquet boutique bravo brioche broccoli bronco brusque
    bureau burlesque burrito cabaret cabinet cacao cactus cafe café camera camouflage canoe canto capital cappuccino
    carafe caramel cargo carnival casino caste catalogue cathedra cello central centre chalet champagne chandelier
    chaperone charade chateau chauffeur chef chic chorale cinema circa civil clarinet cliché clichés clique coca cocoa
    cola collage cologne color coma combo commando commune concerto concierge confetti confusion connoisseur contra
    contralto copula corona corpora corpus corral cortège cosmos coup coupé couscous credo crepe crescendo criteria
    critique croissant croquette crouton cruel crème crêpe cuisine cul-de-sac cultural d'oeuvre dachshund dank data
    debris debut debutante decision delicatessen delta demo denim dental dentist depot desperado devotee diaspora
    digital dilemma dinghy diorama diploma director disco diva division doctor dodo dogma domino doppelgänger dossier
    double douche dragon dragons drama ducat duet duo décor déjà détente echo edelweiss editor ego elite embargo
    emeritus emigre emu en enigma ennui ensemble entourage entrepreneur entrée era errata error ersatz espresso esprit
    et etc etiquette euphoria exposé exterior extra facade factor fatal fauna faux façade femme fiancé fiancée fiasco
    fiddle fiesta filet final finale finesse flambé flamenco flora folio fondue formal forte forum foyer fresco
    fuselage gaffe gala garage gauche gaucho gazpacho gelato gendarme genera general genes genesis genre gestalt
    ghetto gigolo global glockenspiel gondola gorilla gourmet graffiti grandeur gratin grotesque guano guerrilla guru
    gusto hacienda halo hegemony hero hiatus hinterland hippo hobby hollandaise honor horror hors hospital hotel hula
    humor hyena hyperbola hysteria idea ideal image impasse impresario incognito indigo inertia inferior inferno
    influenza info insignia intelligentsia interim interior international iota judo jumbo junior junta kangaroo
    karaoke karate karma kilo kimono kindergarten kitsch kiwi koala labyrinth lacuna lager larva lasagna lasso latte
    lava legal leitmotif lever liaison libido libretto limbo lingerie lingua lion lions liqueur lira llama local
    locale loco logo lotto luna macabre macaroni machine macho macro madame mafia magazine magenta magma malaise
    malaria mamba mambo manga mango mania manifesto mantra marina martini mascara massage masseur matador material
    matinée maxima maximum mayonnaise mayor maître media melancholia melange melée memento memo memoir mental menu
    meringue merino mesa message metro micro milieu million minima minimum minor minus mirage mission mobile mocha
    momentum morale moratorium mosaic mosquito motif moto motor motto mousse mulatto museum mystique mélange mêlée
    nation national natural nature nausea naïve nebula nectar negligee niche nom noodle normal nougat nova nuance
    oasis objet oblique oboe octavo omega omen omnibus onus opaque opera operetta opinion opus oratorio orca orchestra
    origami ouster ouvre paella page palazzo pampa panache panda panorama papa paparazzi papaya papier-mâché paprika
    papyrus para paradox parasol parfait pariah parmesan passage pasta pastel pastiche patina patio penchant peninsula
    penumbra peon peplum per pergola persona personal peso pesto petite phenomena phobia photo physique piano piazza
    piccolo picnic picturesque pilaf pimento piste pizza pizzeria piñata plaque plasma plateau plaza police polka
    poltergeist poncho porcelain portfolio portrait post prestige pretzel prima primate primo pro promenade propaganda
    prosciutto proton protozoa protégé provenance proviso provolone pseudo public puma puree purée pyjama pâté quasi
    questionnaire queue quiche quinoa quota raconteur radar radio radius ragout rapport rapprochement ratio rationale
    ravioli real realpolitik rebozo recto regatta reggae regime region regional religion rendezvous repertoire replica
    reportage requiem restaurant restaurateur reverie revolution ricotta risotto risqué robot robots rodeo role
    romance rondo rosé roulette rucksack rumba rumor rupee régime résumé rôle sabotage saboteur sachet saga salami
    salmonella salon salsa salvo samba sarcoma sauna saute sauté savanna savant scenario schadenfreude schema
    schnitzel scuba sector senior sepia sequoia serenade service señor señora sierra siesta silhouette silo simile
    sinus social soda sofa soiree soirée solo solution sombrero sonar sonata soprano sorbet soufflé source souvenir
    spaghetti spectra spritz sputnik stadium stanza station status stigma stiletto stratum strudel stucco studio suite
    sultana summa superior syndrome synopsis séance table tableau taco tacos tango tapas tapioca tarantula technique
    television tempo tequila terminus terra terracotta terrain terrine terror tiara tiger tigers tilde tobacco toccata
    toga toilette tomato tombola tornado torso tortilla total toto touché toupee tour trauma trio triple troika
    trousseau tuba tumor tuna tundra turbo tutor tutti tzatziki ultra umbra umlaut union unique utopia vanilla
    vaudeville vector velour vendetta veranda verbatim version verso veto via vibrato vice vigilante vignette villa
    village vinaigrette vino viola virtuoso vis-à-vis visa visage vista vital viva vodka volcano voyage voyeur waltz
    wanderlust weltanschauung wunderkind wurst yoga yogurt zebra zeitgeist zero zeta zigzag zoo éclair élite émigré
    """
)

AT_HOME: dict[str, frozenset[str]] = {
    "en": _ENGLISH_LOANS,
    "es": word_set(
        """
        actor airbag animal array arrays bacon bar bash beige best-seller bikini bingo blues boom box boxer boxes
        bypass camping casting catering central chalet chip chips clic clip club clubs color control corpus cowboy
        crack cultural cómic data digital director doctor editor error estand estrés exterior factor final flash folk
        fútbol gay general global hobby hockey holding horror hospital humor inferior interior internacional jersey
        jogging kit legal lifting local look lunch manager material motel motor multimedia máster nacional natural
        newsletter normal paddle parking performance personal piercing plugin plugins poster prompt pub punk póster
        rally ranking real reality regional récord sandwich sector set sets sexy shell shock show shows sketch social
        spa sprint stand stock stress string strings strip suite superior surf swing tablet terror test textual ticket
        top total tour trailer tráiler tweet tweets vector virtual visual wok workshop
        """
    ),
    "fr": word_set(
        """
        baby-sitter badminton basket best-seller bowling box boxer brunch bulldozer camping cash casting challenge
        charter club coach cocktail cool corpus cow-boy crash cross dealer dumping fair-play fan fans fast-food flash
        football forum gadget gag gang goal grog handicap hockey holding interview job jogging jury kidnapping kit
        leader live lobby look manager match meeting missile monitoring music-hall parking performance planning plugin
        poster pressing pull-over puzzle raid ranch record reporter sandwich scanner score self-service set sexy
        shampooing shopping short shorts show sketch slip slogan smoking snack snob speaker sponsor sprint stand
        standard star start-up steak stock stress stretching suspense sweat-shirt tag tee-shirt tennis ticket toast
        top tramway trust tunnel tweet wagon week-end weekend western whisky yacht zoom
        """
    ),
    "de": word_set(
        """
        also am an arm band bank bar best bus camp camping chance clown club clubs comic computer container cool couch
        cowboy dealer design dollar export fair fan fans fast finger fit flop form gag gang gas gold golf hand
        handicap hobby hotel import in input interview job jobs jogging kind kit land lunch manager match meeting mob
        monitor name national normal original output park partner party person plan poster problem pullover radio
        recycling regional rest ring sand sandwich set sex shop show slogan snob so song spot stand star start stock
        stress student studio team teenager tempo terror text thriller ticket tipp toast top trainer trend tunnel warm
        was wild wind winter workshop
        """
    ),
    "it": word_set(
        """
        babysitter bar bazar bestseller big bike bistrot blues boom box budget bus business cameriere camper camping
        cast chef club cocktail computer cookie copyright corner country cowboy default derby detective discount
        dollar era export fan file flash flop folk forum funk gang gap garage gas goal gossip guru hall hamburger
        handicap hobby holding hostess hotel humour idea input jet jogging jolly killer kit leader leasing lifting
        look manager marker match meeting metro mister monitor mouse musical network output panel parking partner
        party password performance poker poster privacy puzzle quiz radio ranch record relax reporter revival ring
        road sandwich scooter set sexy shampoo shock shopping show sketch slogan snack snob spot spray sprint staff
        stand standard star start step stock stress studio summit surf talk team tennis thriller ticket toast top tour
        trailer tram transfer trend tunnel weekend western workshop yacht zoo
        """
    ),
    "pt": word_set(
        """
        actor air-bag animal backup bar best-seller bikini blues boom boxer briefing bullying call-center camping
        casting central chip clip club color cowboy cultural cyber data deficit delivery digital doctor download
        dumping editor error factor final flash folk gay global hall hobby hospital hotel internacional jazz jet
        jogging kit layout leasing legal lobby local look manager marketing material motel motoboy motor mouse
        nacional natural normal notebook outdoor performance piercing poster pub punk ranking rap real reality recall
        record regional remake replay rush réveillon self-service set sexy shopping show site sites slogan social
        spray stand standard stress strip-tease surf tablet textual ticket top total tour trailer upgrade upload
        virtual visual workshop zoom
        """
    ),
    "nl": word_set(
        """
        also an arm bank best bus computer hand hotel in land man manager met of over park partner plan school team
        warm was water week wild wind winter
        """
    ),
    "pl": word_set(
        "bar chip fan hobby hotel jury kit manager minus park partner plan plus problem radio ranking start"
    ),
    "cs": word_set("bar fan hobby hotel jury minus park partner plan plus problém radio start student tempo text tým"),
}
"""Language -> words that are its own although a neighbour writes them in the same way, beside EVERYWHERE."""

HOMOGRAPHS: dict[str, frozenset[str]] = {
    "en": word_set(
        """
        a alas ale also alter am an ante are arena arm art as bad bald band best bin bitten boot bout brief but by
        camera can cane car chair champ chat chose ci cine coin coins come comment con court dare den dent des dice
        die dire do dose dove era fare fast fin fine fort four fue gang gut hand has hast hat hay he hell her hole
        host hut if in je kind kino laid lamp land last late let lime list lit local ma main male man mare mayor me
        met mete mi mine mode more most no not note on once or ours pace pain pan par pare pas pays piano pie pies pin
        pins plus pod post pot pour pro prune pure rang rat rate real red rest ride rides rue sale sang sans sea see
        sent set sin so sobre sole son sort stare stern still sur tag ten tent ti tire to toll ton tons tour tout vent
        war warm was wild wind za
        """
    ),
    "es": word_set("me has he son sin son come once pan red real dice sea ha no son an era local final actual he"),
    "fr": word_set("on plus pour tout comment son pain chat main a as tour sort or me car fin but if lit pays ton is"),
    "de": word_set("die war was hat man also so an am in bin gut tag rest boot kind bad arm hand wind land her on as"),
    "it": word_set("come dove more ma mi ti ci fare pace rate ride note mode dare sole fine pure era in a per me no"),
    "pt": word_set("as me no a do to for come era final local real he one pare more sore era in or dos na"),
}
"""Language -> words of its own that happen to be written like words of another language that mean something else."""


def is_at_home(word: str, language: str) -> bool:
    """Whether the word, in small letters, belongs to the language although it looks foreign."""
    if word in EVERYWHERE:
        return True
    own, alike = AT_HOME.get(language, frozenset()), HOMOGRAPHS.get(language, frozenset())
    return word in own or word in alike or (word.endswith("s") and word[:-1] in own)


_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзиклмнопрстуфхцчш"
_LETTERS: dict[str, str] = {
    "en": _LATIN,
    "es": _LATIN + "áéíóúüñªº",
    "fr": _LATIN + "àâæçéèêëîïôœùûüÿ",
    "de": _LATIN + "äöüßéàè",
    "it": _LATIN + "àèéìíîòóù",
    "pt": _LATIN + "áâãàçéêíóôõúüªº",
    "nl": _LATIN + "áéëïóöüèê",
    "pl": _LATIN + "ąćęłńóśźż",
    "cs": _LATIN + "áčďéěíňóřšťúůýž",
    "ro": _LATIN + "ăâîșțşţ",
    "sv": _LATIN + "åäöé",
    "da": _LATIN + "æøåé",
    "tr": _LATIN + "çğıöşüâîû",
    "ru": _CYRILLIC + "ёйщъыьэюя",
    "uk": _CYRILLIC + "ґєіїйщьюя",
    "bg": _CYRILLIC + "йщъьюяѝ",
    "mk": _CYRILLIC + "ѓѕјљњќџѐѝ",
    "sr": _CYRILLIC + "ђјљњћџ",
}
"""Language -> the small letters of its alphabet."""


@cache
def _strange(language: str) -> re.Pattern[str] | None:
    known = _LETTERS.get(language)
    return re.compile(f"[^{known}'’\\-]") if known is not None else None


def has_strange_letters(word: str, language: str) -> bool:
    """Whether a word in small letters has one that the language does not know; False where we do not know either."""
    strange = _strange(language)
    return strange is not None and strange.search(word) is not None


_NATIVE: dict[str, tuple[str, ...]] = {
    "en": tuple(
        word_set(
            """
            tion tions sion sions ment ments ance ances ence ences age ages ture tures ble bles ent ents ant ants ine
            ines ive ives ure ures ice ices um us ism isms ist ists ic ics ing ings ed ness ity ary ory our ours que
            ques gue gues ard ards ade ades ette ettes eau eaux esque eur eurs ide ides ate ates ise ises ize al als ia
            ias sis ile iles ar ars or ors
            """
        )
    )
}
"""Endings that are as common in the language as in those it took them from."""

_FOREIGN: dict[str, tuple[str, ...]] = {
    "es": tuple(word_set("o os mente dad dades aje ajes cia cias ndo ado ada ados adas ido ida idos idas aron ieron")),
    "pt": tuple(
        word_set("o os mente dade dades agem agens cia cias ndo ado ada ados adas ido ida idos idas aram iram")
    ),
    "it": tuple(
        word_set(
            """
            o i mente zione zioni tà ndo ato ata ati ate uto uta uti ute ito ita iti ite are ere ire one ono ale ali
            ese esi ella elle ezza aggio aggi ico ica ici iche
            """
        )
    ),
    "de": tuple(
        word_set(
            """
            ung ungen keit keiten heit heiten schaft schaften lich liche lichen licher lichem liches isch ische ischen
            ischer isches ieren iert ierte ktion tät täten estet tet ten tete eten ige igen iger iges sten ium ien
            """
        )
    ),
    "fr": tuple(word_set("eux euse euses aise aises ement ements ait aient ais aux oir oire oires eille eilles")),
    "pl": tuple(word_set("nie nia ego emu ych ymi ami ach ość ści owy owa owe ski ska skie czy sza")),
    "cs": tuple(word_set("ní ost osti ého ému ých ými ami ech ový ová ové ský ská ské val vala vali")),
}
"""Endings by which a word shows where it comes from."""

SHORTEST_STEM = 4
WEIGHT = 1.0
"""What an ending adds to the logarithm of the odds."""


_ADVERBS: dict[str, str] = {"es": "mente", "it": "mente", "pt": "mente", "fr": "ement", "ro": "mente"}


def is_adverb(word: str, language: str) -> bool:
    """Whether a word ends as adverbs of the language do: no name does."""
    return language in _ADVERBS and word.endswith(_ADVERBS[language])


def _longest(word: str, endings: tuple[str, ...], shortest_stem: int) -> int:
    return max((len(end) for end in endings if word.endswith(end) and len(word) - len(end) >= shortest_stem), default=0)


def ending_weight(word: str, language: str, other: str) -> float:
    """What the ending of a word adds to the odds that it is one of `language` and none of `other`; may be negative."""
    native = _longest(word, _NATIVE.get(other, ()), SHORTEST_STEM)
    foreign = _longest(word, _FOREIGN.get(language, ()), 1) if other in _NATIVE else 0
    return WEIGHT if foreign > native else -WEIGHT if native else 0.0
