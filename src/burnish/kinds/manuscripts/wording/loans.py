"""Words that look foreign and are at home: loans, and words that two languages write alike. Our own lists."""

from __future__ import annotations

from burnish.kinds.text.words import word_set

EVERYWHERE = word_set(
    """
    app apps blog blogs bit bits bot bots byte bytes chat click email e-mail euro euros fax film films golf gps hardware
    hiphop hip-hop html http https internet intranet jazz jeans kb kg km laptop link links login mb mp3 mm ml cm mg ms
    net online offline pc pdf pixel pixels podcast pop punk rap rock router server smartphone sms software spam sport
    stop sushi taxi tsunami usb video virus vs web wifi wi-fi www xml yoga json csv rss api apis url urls ok okay
    mail script scripts token tokens tag tags feedback copyright status test tests marketing design browser streaming
    """
)
"""Words that most languages took over as they are, and units."""

_ENGLISH_LOANS = word_set(
    """
    abacus adagio agenda alga algebra alibi alpaca alto amigo amnesia anaconda anchovy anemia angina antenna aorta audio
    apparatus area arena aria armada aroma aura aurora autobahn auto avocado balcony ballerina ballet bambino banana
    bandana banjo barista bazaar beta bonanza bonsai bonus bravo broccoli bronco bureau burrito cabaret cacao cactus
    cafe café camera camouflage canoe canto cappuccino caramel cargo carnival casino caste catalogue cathedra cello
    centre chateau chauffeur chef cinema circa clarinet cliché clichés coca cocoa cola collage coma combo commando
    commune concerto confetti connoisseur contra contralto copula corona corpora corpus corral cosmos coupé couscous
    credo crème crescendo criteria critique croissant crouton cuisine data debris debut debutante décor déjà delta demo
    denim depot desperado devotee diaspora dilemma dinghy diorama diploma disco diva dodo dogma domino doppelgänger
    dossier drama ducat duo duet echo ego elite élite embargo emeritus emu ennui ensemble entourage entrée
    entrepreneur enigma era errata espresso esprit et etc euphoria exposé extra facade façade fauna fiancé fiancée
    fiasco fiesta finale flamenco flora folio forte forum foyer fresco fuselage gala gaucho gazpacho gelato genera
    genes genesis genre ghetto gigolo gondola gorilla gourmet graffiti guano guerrilla guru gusto hacienda halo hegemony hero
    hiatus hippo hobby hollandaise hula hyena hyperbola hysteria idea impasse impresario incognito indigo inertia
    inferno influenza info insignia intelligentsia interim iota ideal jumbo judo junta kangaroo karaoke karate karma
    kilo kimono kindergarten kitsch kiwi koala labyrinth lacuna larva lasagna lasso latte lava leitmotif lever liaison
    libido libretto limbo lingua lira llama logo loco lotto luna macabre macaroni macho macro madame mafia magenta
    magma malaria mambo mamba manga mango mania manifesto mantra marina martini mascara massage matador matinée maxima
    maximum media melancholia melée mêlée memento memo memoir menu merino mesa metro micro milieu minima minimum minor
    minus mirage mocha momentum moratorium mosaic mosquito motif moto motto mousse mulatto museum naïve nausea nebula
    nectar negligee niche nougat nova nuance oasis objet oboe octavo omega omen omnibus onus opera operetta opus oratorio
    orchestra orca origami ouster paella palazzo pampa panache panda panorama papa papaya paparazzi paprika papyrus
    para paradox parasol pariah parmesan pasta pastiche pastel patina patio peninsula penumbra peon peplum per pergola
    persona peso pesto phenomena phobia photo piano piazza piccolo pimento pilaf piñata pizza pizzeria plaza plateau
    plasma polka poncho porcelain portfolio post prestige prima primate primo pro propaganda prosciutto protégé proton
    protozoa provenance proviso provolone pseudo puma puree purée pyjama quasi quinoa quota radar radio radius ratio
    ravioli rebozo recto regatta regime régime reggae reportage repertoire rendezvous replica requiem restaurant résumé
    reverie ricotta risotto robot robots rodeo role rôle romance rondo rosé roulette rumba rupee saga salami salmonella
    salon salsa salvo samba sarcoma sauna savanna scenario schema schnitzel scuba serenade senior señor señora sepia
    sequoia siesta sierra silhouette silo simile sinus soda sofa solo sombrero sonata sonar soprano soufflé souvenir
    spaghetti spectra sputnik stadium stanza status stigma stiletto stratum strudel studio stucco suite sultana summa
    syndrome synopsis taco tacos tango tapas tapioca tarantula technique tempo tequila terminus terra terrain terrine
    terracotta tiara tilde tobacco toccata toga tomato tombola tornado torso tortilla toto trauma trio triple troika
    tuba tuna tundra turbo tutti tzatziki ultra umbra umlaut utopia vanilla vendetta veranda verbatim verso veto via
    vibrato vice vigilante villa vino viola virtuoso visa vista viva vodka volcano voyage wanderlust wurst yoga yogurt
    zebra zeitgeist zero zeta zoo angst auto blitz hinterland poltergeist pretzel rucksack wunderkind dachshund delicatessen
    gestalt glockenspiel weltanschauung realpolitik schadenfreude ersatz lager noodle waltz zigzag spritz edelweiss
    boulevard bouquet cabinet carafe chalet champagne chandelier chaperone charade chic cologne concierge cortège
    coup crepe crêpe croquette cul-de-sac dentist détente double douche éclair emigre émigré en etiquette faux femme
    filet finesse flambé fondue gaffe garage gauche gendarme gratin grotesque hotel hors d'oeuvre lingerie magazine
    maître malaise mayonnaise melange mélange message meringue nom ouvre papier-mâché parfait pâté penchant petite
    picnic piste plaque police promenade public questionnaire queue raconteur ragout rapport rapprochement risqué
    sabotage sachet saute sauté savant séance soiree soirée sorbet tableau toilette touché toupee tour trousseau
    vaudeville velour vignette vinaigrette vis-à-vis visage portrait page image village passage machine service source
    table nature mobile global local total final central animal hospital general natural normal formal real ideal
    material personal regional national international cultural digital social capital legal vital error color motor
    factor actor director doctor editor sector tutor vector tumor terror horror honor rumor humor superior inferior
    interior exterior anterior mayor minor junior senior junior confusion version television decision division mission
    unique antique physique boutique mystique oblique clique opaque baroque brusque burlesque picturesque arabesque
    amateur liqueur saboteur restaurateur voyeur masseur grandeur adieu avalanche quiche brioche tiger tigers dank
    locale morale rationale chorale fiddle dragon dragons lion lions region religion opinion union million billion station nation revolution solution cruel civil fatal mental dental
    """
)

AT_HOME: dict[str, frozenset[str]] = {
    "en": _ENGLISH_LOANS,
    "es": word_set(
        """
        airbag bacon bar beige best-seller bikini bingo blues boom box boxer boxes bypass camping casting catering
        chalet chip chips clip club clubs cómic cowboy crack data estand estrés flash folk fútbol gay hobby hockey
        holding jersey jersey jogging kit lifting look lunch manager máster motel motor multimedia newsletter paddle
        parking performance piercing póster poster pub punk ranking récord rally reality sandwich set sets sexy shock
        show shows sketch spa sprint stand stock stress strip suite surf swing tablet test ticket top tour tráiler
        trailer tweet tweets wok workshop corpus plugin plugins array arrays string strings shell prompt bash clic
        legal social digital local global general central hospital animal final total real normal natural material
        personal regional nacional internacional cultural virtual visual textual error control animal color actor
        director doctor editor factor motor sector vector humor horror terror superior inferior interior exterior
        """
    ),
    "fr": word_set(
        """
        baby-sitter badminton basket best-seller bowling box boxer brunch bulldozer camping cash casting challenge
        charter club coach cocktail cool cow-boy cross crash dealer dumping fair-play fan fans fast-food flash football
        forum gadget gag gang goal grog handicap hockey holding interview job jogging jury kidnapping kit leader live
        lobby look manager match meeting missile monitoring music-hall parking performance planning poster pressing
        pull-over puzzle raid ranch record reporter sandwich scanner score self-service set sexy shampooing shopping
        show short shorts sketch slip slogan smoking snack snob speaker sponsor sprint stand standard star start-up
        steak stock stress stretching suspense sweat-shirt tag tee-shirt tennis ticket toast top tramway trust tunnel
        tweet wagon week-end weekend western whisky yacht zoom corpus plugin
        """
    ),
    "de": word_set(
        """
        also an am arm band bank bar best bus camping camp chance clown club clubs comic cool computer container couch
        cowboy dealer design dollar export fair fan fans fast fit finger flop form gag gang gas gold golf hand handicap
        hobby hotel import in input interview job jobs jogging kind kit land lunch manager match meeting mob monitor
        name national normal original output park partner partner party person plan poster problem pullover recycling
        regional radio rest rest ring sand sandwich set sex shop show slogan snob so song spot stand star start stock
        stress student studio team teenager tempo terror text thriller ticket tipp toast top trainer trend tunnel
        warm was wind winter workshop wild
        """
    ),
    "it": word_set(
        """
        babysitter bar bazar bestseller big bike bistrot blues boom box budget bus business camper camping cameriere
        cast chef club cocktail computer cookie copyright corner country cowboy default derby detective discount dollar
        era export fan file flash flop folk forum funk gang gap garage gas goal gossip guru hall hamburger handicap
        hobby holding hostess hotel humour idea input jet jogging jolly kit killer leader leasing lifting look manager
        marker match meeting metro mister monitor mouse musical network output panel parking partner party password
        performance poker poster privacy puzzle quiz radio ranch record relax reporter revival ring road sandwich
        scooter sexy set shampoo shock shopping show sketch slogan snack snob spot spray sprint staff stand standard
        star start step stock stress studio summit surf talk team tennis thriller ticket toast top tour trailer tram
        transfer trend tunnel weekend western workshop yacht zoo
        """
    ),
    "pt": word_set(
        """
        air-bag backup bar best-seller bikini blues boom boxer briefing bullying call-center camping casting chip clip
        club cowboy cyber data deficit delivery dumping download flash folk gay hall hobby hotel jazz jet jogging kit
        layout leasing lobby look manager marketing motel motoboy motor mouse notebook outdoor performance piercing
        poster punk pub ranking rap reality recall record remake replay réveillon rush self-service set sexy shopping
        show site sites slogan spray stand standard stress strip-tease surf tablet ticket top tour trailer upload upgrade
        workshop zoom legal social digital local global central hospital animal final total real normal natural
        material regional nacional internacional cultural virtual visual textual error color actor doctor editor factor
        """
    ),
    "nl": word_set(
        "also an arm bank best bus computer hand hotel in land man manager met of over park partner plan school"
        " team water week warm was wind winter wild"
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
        die war was hat man also so an am in not bin den des gut tag rest boot kind bad arm hand wind land gang hut
        fast hell see art rat brief rang last list wild warm still stern toll bald band alter bitten best hast her
        on plus pour tout comment son pain chat main a are as tour sort four or me car dire sale fin but if lit sur
        pays sent met ton tons dent dose ride rides coin coins court fort champ chair chose prune ours pin pins sang
        sin con once come red pan sea son real dice he has era fue sobre ten cine mayor local lime pie pies mete sale
        hay ante alas can sale dove more ma mi ti ci fare pace rate ride late note mode arena dare sole cane mare male
        fine pure piano camera stare to by do no on pod pro set pot post pan list most ten ale kino ten den do no to je
        za let hole host lamp pas par sans laid rang pare pour vent tire mine plus tent bout rue
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
