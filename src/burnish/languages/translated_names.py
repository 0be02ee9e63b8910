"""Words with a capital that languages translate: countries, cities, institutions, holy names, titles. Written by hand.

Each is a beginning of words, as `latin` letters. What begins so is never held to be a name that must be kept.
"""

from __future__ import annotations

from burnish.languages.words import word_set

ANYWHERE = word_set(
    """
    aegypt afroam minob minzd minf mineko afric afrik afry aleman allemag deutsch german niemc nemec nemacka wien
    vienn viden wied beč munich munch monac muniqu
    koln colon cologn keln kolin genev genf ginebr zenev ginevr londr london lond warsz warsch warsaw varsav varsov
    prag prah praz moskv
    moskw mosc mosk mosca rom rzym rim roma rome paris paryz pariz parig peking pekin beijing pechin dunai danub
    donau duna dunaj
    schweiz suisse suiz svizz switz szwajc svycar shvei svajcar svica osterr austri autric avstri rakous espan spain
    hiszp spanel
    ispan spani spag niederl netherl holand holland paises pays paesi nizozem niderl grec gree griech gretsi reck
    grcij grk hellen ungar hungar wegr
    madar veng hongr svezi suec sued schwed szwec sved shvec svecij swed norv norw noruw norue norg danim danem denm
    dani danemark dansk finl
    chin cin kitai kina japon japan giapp iapon jap coree corea korea kor indi russi rus ross rosj rusk england engl
    angl ingl inghil
    brit wielk velk britan reino royaum regno verein unit zjednocz spoj stany stat estad etat stati saedin soedin
    ssha usa ssa sad eeuu ee uu us uk eu ue es
    turc turk turq tur egip egit egypt jemen morav boh cech czech tschech tchek chec cesk ches croat kroat chorw
    chorv hrvat
    slov serb srb bulgar bolgar roman ruman rumun pol lech leh ukr bielor bielar biel belor beloru belar litv lithu
    litu lotys latv leton
    eston estl jerusal gerusal ierus israel izrael palest sir syr liban lebn livan marok marru maroc maghr alger
    argel alzhir tunes tunis tunez libi jordan giord
    irak iraq iran saud arab persi pers afgan afghan pakist kazach kazakh azerb gruz georg armen ermen brasil bresil
    brazil mexi mexik meksik messico amer
    filip philip fil indon malaj malais thail tail taj siam birma birman myanm viet vietn tibet mongol austral nov
    new nuev nouv nuo neu nowa nova noua
    zel zeal zeland zelan sued nord sud nort sever polnoc jiz polud ost west oest ouest ovest vychod wschod zachod
    vostok zapad iug yug sur north south east
    centr zentr srod stred middl medi moyen oriente orient levant europ evrop asi azi antar arct arkt atlant pacif
    indisch tich spoko
    mediter mittelm srodziem stredozem sredizem balt bozhe bog bog dios dieu gott god bóg buh bůh senor seigneur herr
    lord jes gesu isus ius krist crist christ chr
    mar marie mary jan juan jean john johann giov iv ivan per pet peter pedr pierr pietro paul pablo paol pawel pavel
    pab jos giusep joz jakub jac diego
    jam gia santiag luk luc matt mateo matthi marc mark mik mich migu george jorge giorgio jerzy jiri guil guillerm
    william wilh wilhelm vilem carl carlo karl charl
    henr enri heinr henryk jindr frances franz frank frant lou luis lud ludw lew ludov elis isabel elzb alzb alej
    alex aless aleks ferdin fern caterin kater kath catal
    bibl bibel korán coran quran kor koran torah toráh bud navid nativ navid noel weihn christm pasch pask easter
    oster wielkanoc velikon natal natale
    unid uniti unis edad piedr muert socorr via maestr torne primer bogu boga bogo dzhon polsh polon poland polsk
    hrist zhenev alpa cesar kesar caesar svec shvec
    cheh cekh shotl schottl scot szkoc gurc grtsi sedin vie vii vas tihi tikhi kip cyp zip zyp chip velik evang gosp
    otets smert mlech dedu deda moroz mezhdun
    lactea vselen mart vas vash vas vi vy vam vami bozic bozik rozhd rozd koled universo galax koppel
    sol mond moon luna lun lune terra terre tierra earth erde ziem zem zeml mars venus merc jupit
    """
)
"""Names that have a form of their own in each language, and first names of saints and kings."""

INSTITUTIONS: dict[str, frozenset[str]] = {
    "en": word_set(
        """
        a the of and for in on at to by with from or as is it i we you he she they this that these those my your his
        her our their its if not no yes
        all how what when where who why which can do does did will be been are was were have has had but so then
        there here let see
        minist presid govern parliam senat congress hous chamber court council commit commission republic kingdom
        union state federat
        universit college school institut academ church cathedral temple museum librar park street road avenue square
        bridge river lake
        mount mountain sea ocean bay gulf island isle valley desert forest north south east west northern southern
        eastern western central
        world war revolution empire king queen prince princess emperor pope bishop general colonel captain sergeant
        major lieutenant admiral
        army navy fleet force air police fire guard party movement association organi societ club team league cup
        game championship
        olympic games company corporation bank fund group agency news press time times post journal daily sunday
        monday tuesday wednesday
        thursday friday saturday january february march april may june july august september october november
        december spring summer autumn
        fall winter mr mrs ms miss dr doctor sir lady lord madam saint st father mother brother sister uncle aunt
        professor prof president vice
        chief minister secretary director manager head chairman mayor governor member act law bill treaty declaration
        constitution right
        article chapter section part book volume table figure page note appendix part day night age century middle
        stone bronze iron ice
        big great new old red black white blue green golden first second third last high low upper lower grand holy free
        internet web website email phone computer software file edit view tool help window menu button click save
        open close print insert
        format data database text list line word code program script command server user name title type value key
        number step option setting
        """
    ),
    "es": word_set(
        """
        minist presid gobiern parlament senad senat congres camar tribun consej comit comision republic reino union
        estad feder universid coleg escuel
        instit academ igles catedr templ muse bibliot parqu calle aven plaz puent rio lago mont mar ocean bah golf
        isla vall desiert bosqu
        norte sur este oeste mundial mund guerr revoluc imper rey reina princ emper papa obisp general coron capit
        sargent almirant ejerc
        marin fuerz aere polic guard partid movim asoci organi socied club equip liga copa juego campeon olimp compan
        banco fond grup agenc notic prens
        senor senora dona don doctor santo santa san padre madre herman tio tia profes jefe secret direct alcal
        gobernad miembr ley tratad
        declar constit derech articul capitul secc parte libro volum tabla figur pagin nota dia noche edad sigl media
        gran viej nuev
        internet web archivo editar ver herramient ayuda ventan menu clic guard abrir cerrar imprim insert format dat
        texto list palabr codig program coman servid usuar
        nombr titul tipo valor clave numer paso opcion ajust pais ciud ano dios espan castell ingles ciencias cienc
        soc human
        """
    ),
    "fr": word_set(
        """
        minist presid gouvern parlem senat congres chambr assembl cour tribun conseil comit commiss republ royaum
        union etat feder universit colleg ecole lycee
        instit academ eglis cathed temple muse biblio parc rue aven place pont fleuv lac mont mer ocean baie golf ile
        vallee desert foret nord sud est ouest
        mondial monde guerr revolut empir roi rein princ emper pape evequ general colon capit serg amir armee marin
        forc aer polic gard parti mouvem assoc organi societ
        club equip ligue coupe jeu champion olymp compagn banq fond group agenc press monsieur madame mademoiselle m
        mme docteur saint sainte pere mere frere soeur
        oncle tante profess chef secret direct maire gouverneur membr loi trait declar constit droit articl chapitr
        section partie livre tome tabl figur page note jour
        nuit age siecl moyen grand vieux nouv internet fichi ville etats pays salle fenetr soleil
        """
    ),
    "it": word_set(
        """
        minist presid govern parlam senat congres camer tribun consigl comit commiss repubbl regno unione stat feder
        universit scuol istit accadem chies
        cattedr tempio muse biblio parco via vial piazz ponte fium lago monte mare ocean golfo isola valle desert
        foresta nord sud est ovest mondial mond
        guerr rivoluz impero re regin princip imper papa vescov general colon capit serg ammir eserc marin forz aere
        poliz guard partit movim associ organi
        societ club squadr lega coppa gioc campion olimp compagn banc fond grupp agenz stamp signor signora dott
        santo santa san padre madre fratell sorell
        zio zia profess capo segret dirett sindac govern membr legge tratt dichiar costit diritt articol capitol
        sezion parte libro volum tabell figur pagin
        nota giorn notte eta secol medio grand vecch nuov paes citta stati
        """
    ),
    "pt": word_set(
        """
        minist presid govern parlament senad congres camar tribun conselh comit comiss republic reino uniao estad
        feder universid coleg escol instit
        academ igrej catedr templ museu bibliot parque rua aven praca ponte rio lago monte mar ocean baia golf ilha
        vale desert florest norte sul leste
        oeste mundial mundo guerr revoluc imper rei rainha princ papa bispo general coron capit almirant exerc marinh
        forc aere polic guard partid moviment
        associ organi socied clube equip liga copa jogo campeon olimp compan banco fundo grup agenc senhor dona dom
        doutor santo santa sao padre profes
        chefe secret diret prefeit membro lei tratad declar constit direit artig capitul parte livro dia noite idade
        secul pais cidad
        """
    ),
    "ru": word_set(
        """
        minist presid pravitel parlam senat kongress duma palat sud sovet komit komiss respub korolev koroliu soiuz
        gosud stat feder universit kolledzh shkol
        instit akadem tserk sobor khram hram muze bibliot park ulits prospekt plosh most reka ozer gor more okean
        zaliv ostrov dolin pust les sever iug iuzh vostok
        vostoch zapad tsentr mir voin revol imper tsar korol prints pap episk general polkov kapit serzh admir armi
        flot sil vozdush polits polic gvard parti dvizh
        assots organ obshch obsh klub komand lig kub igr champion olimp kompan bank fond grupp agent novost press
        gospod gospozh doktor sviat sv otets mat brat sestr
        profess glav sekret direkt mer gubern chlen zakon dogov deklar konst prav stat glav razdel chast knig tom
        tabl str den noch vek srednii velik star nov
        internet sait faĭl fail vy vas vam vash bozh gospod moi tvoi oblast krai raion gorod
        """
    ),
    "pl": word_set(
        """
        minist prezyd rzad parlam senat sejm kongres izba sad rada komit komis republ rzeczp krol uni panstw stan
        feder uniwers kolegium szkol instyt akadem kosc
        katedr muze bibliot park ulic alej plac most rzek jezior gor morz ocean zatok wysp dolin pustyn las polnoc
        polud wschod zachod swiat wojn rewol
        imper car ksiaz papiez biskup general pulkow kapit sierz admir armi flot sil lotnic polic gward parti ruch
        stowarz zwiazek zwiazk organ towarz klub druzyn lig
        puchar igrzysk mistrz olimp spolk bank fund grup agenc pan pani doktor swiet sw ojciec matk brat siostr
        profes szef sekret dyrekt burmistrz premier czlon
        ustaw trakt deklar konst praw artyk rozdz czesc ksiazk tom tabel ryc stron dzien noc wiek sredn wielk star now
        """
    ),
    "cs": word_set(
        """
        minist prezid vlad parlam senat snem kongres komor soud rad vybor komis republ kralov uni stat feder univerz
        vysok skol instit ustav akadem kostel chram katedr
        muze knihov park ulic namest most rek jezer hor more mor ocean zaliv ostrov udol poust les sever jih vychod
        zapad stred svet valk revol
        cisar kral princ papez biskup general plukov kapit serz admir armad letec polic straz stran hnuti sdruz svaz
        organ spolec klub tym lig pohar hry mistr
        olymp banka bank fond skupin agent tisk pan pani doktor svat sv otec matk bratr sestr profes reditel sekret
        primat premier clen zakon smlouv dekl ust prav clan
        kapit oddil cast knih svazek tabul obr stran den noc vek velk star nov divy div
        """
    ),
}
"""Common words that are written with a capital in titles and in the names of institutions."""

ALIKE_EVERYWHERE = word_set(
    """
    singap franc frants ital portug canad kanad argent chile chili cuba kuba peru ecuad ekvad venez venets bolivi
    paragu urugu colomb kolumb panam nicar
    nikar hondur guatem haiti jamaic jamajk nepal bangl sri malt monac monak luxem lyuks libia nigeri keni keny angol
    senegal somal sudan etiop ethiop kamer
    camer zimbab ugand ruand tanz madag mozamb afgan albani kosov bosni monten makedon macedon kiev kyiv kijev berlin
    madrid barcel lisb lissab tokio tokyo
    seul seoul delhi mumbai bombay kalkut calcut teher tehran teger bagd damas kair cair nairob dakar lagos chicag
    boston texas teksas kalifor californ
    florid alask nevad toront montre sydney sidnei melbour hongk hong taiw tajv okinaw hirosh siber sibir krim crim
    krym kauk cauc ural himal alpen alps alpes
    """
)
"""Places that sound alike in all languages: they are names wherever they stand, at the beginning of a sentence too."""
