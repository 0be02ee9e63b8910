"""Words for numbers, language by language. Written by hand; what is not here is simply not read."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import NamedTuple

_CARDINALS: dict[str, str] = {
    "en": """2:two 3:three 4:four 5:five 6:six 7:seven 8:eight 9:nine 10:ten 11:eleven 12:twelve 13:thirteen
        14:fourteen 15:fifteen 16:sixteen 17:seventeen 18:eighteen 19:nineteen 20:twenty 30:thirty 40:forty,fourty
        50:fifty 60:sixty 70:seventy 80:eighty 90:ninety 100:hundred""",
    "es": """2:dos 3:tres 4:cuatro 5:cinco 6:seis 7:siete 8:ocho 9:nueve 10:diez 11:once 12:doce 13:trece 14:catorce
        15:quince 16:dieciséis 17:diecisiete 18:dieciocho 19:diecinueve 20:veinte 21:veintiuno,veintiún,veintiuna
        22:veintidós 23:veintitrés 24:veinticuatro 25:veinticinco 26:veintiséis 27:veintisiete 28:veintiocho
        29:veintinueve 30:treinta 40:cuarenta 50:cincuenta 60:sesenta 70:setenta 80:ochenta 90:noventa 100:cien,ciento
        200:doscientos,doscientas 300:trescientos,trescientas 400:cuatrocientos,cuatrocientas
        500:quinientos,quinientas
        600:seiscientos,seiscientas 700:setecientos,setecientas 800:ochocientos,ochocientas
        900:novecientos,novecientas
        """,
    "fr": """2:deux 3:trois 4:quatre 5:cinq 6:six 7:sept 8:huit 9:neuf 10:dix 11:onze 12:douze 13:treize 14:quatorze
        15:quinze 16:seize 20:vingt,vingts 30:trente 40:quarante 50:cinquante 60:soixante 70:septante 80:huitante
        90:nonante 100:cent,cents""",
    "de": """2:zwei,zwo 3:drei 4:vier 5:fünf 6:sechs 7:sieben 8:acht 9:neun 10:zehn 11:elf 12:zwölf 13:dreizehn
        14:vierzehn 15:fünfzehn 16:sechzehn 17:siebzehn 18:achtzehn 19:neunzehn 20:zwanzig 30:dreißig,dreissig
        40:vierzig 50:fünfzig 60:sechzig 70:siebzig 80:achtzig 90:neunzig 100:hundert,einhundert""",
    "it": """2:due 3:tre 4:quattro 5:cinque 6:sei 7:sette 8:otto 9:nove 10:dieci 11:undici 12:dodici 13:tredici
        14:quattordici 15:quindici 16:sedici 17:diciassette 18:diciotto 19:diciannove 20:venti 30:trenta 40:quaranta
        50:cinquanta 60:sessanta 70:settanta 80:ottanta 90:novanta 100:cento""",
    "pt": """2:dois,duas 3:três 4:quatro 5:cinco 6:seis 7:sete 8:oito 9:nove 10:dez 11:onze 12:doze 13:treze
        14:quatorze,catorze 15:quinze 16:dezesseis,dezasseis 17:dezessete,dezassete 18:dezoito 19:dezenove,dezanove
        20:vinte 30:trinta 40:quarenta 50:cinquenta 60:sessenta 70:setenta 80:oitenta 90:noventa 100:cem,cento
        200:duzentos,duzentas 300:trezentos,trezentas 400:quatrocentos,quatrocentas 500:quinhentos,quinhentas
        600:seiscentos,seiscentas 700:setecentos,setecentas 800:oitocentos,oitocentas 900:novecentos,novecentas""",
    "ru": """2:два,две,двух,двум,двумя,двое 3:три,трёх,трех,трём,трем,тремя,трое 4:четыре,четырёх,четырех,четырем,
        четырьмя,четверо 5:пять,пяти,пятью,пятеро 6:шесть,шести,шестью 7:семь,семи,семью 8:восемь,восьми
        9:девять,девяти 10:десять,десяти 11:одиннадцать,одиннадцати 12:двенадцать,двенадцати 13:тринадцать,тринадцати
        14:четырнадцать,четырнадцати 15:пятнадцать,пятнадцати 16:шестнадцать,шестнадцати 17:семнадцать,семнадцати
        18:восемнадцать,восемнадцати 19:девятнадцать,девятнадцати 20:двадцать,двадцати 30:тридцать,тридцати
        40:сорок,сорока 50:пятьдесят,пятидесяти 60:шестьдесят,шестидесяти 70:семьдесят,семидесяти
        80:восемьдесят,восьмидесяти 90:девяносто,девяноста 100:сто,ста 200:двести,двухсот 300:триста,трехсот,трёхсот
        400:четыреста,четырехсот 500:пятьсот,пятисот 600:шестьсот,шестисот 700:семьсот,семисот 800:восемьсот,восьмисот
        900:девятьсот,девятисот""",
    "mk": """2:два,две,двајца,двата,двете,двајцата 3:три,тројца,трите,тројцата 4:четири,четворица,четирите
        5:пет,петмина,петте
        6:шест,шестмина,шесте 7:седум,седумте 8:осум,осумте 9:девет,деветте 10:десет,десетте,десетина 11:единаесет
        12:дванаесет 13:тринаесет 14:четиринаесет 15:петнаесет 16:шеснаесет 17:седумнаесет 18:осумнаесет
        19:деветнаесет 20:дваесет 30:триесет 40:четириесет 50:педесет 60:шеесет 70:седумдесет 80:осумдесет
        90:деведесет
        100:сто 200:двесте 300:триста 400:четиристотини 500:петстотини""",
    "bg": """2:два,две,двама,двамата,двете,двата 3:три,трима,трите,тримата 4:четири,четирима,четирите
        5:пет,петте,петима 6:шест,шестте 7:седем,седемте
        8:осем,осемте 9:девет 10:десет,десетте 11:единадесет,единайсет 12:дванадесет,дванайсет 13:тринадесет,тринайсет
        14:четиринадесет,четиринайсет 15:петнадесет,петнайсет 16:шестнадесет,шестнайсет 17:седемнадесет,седемнайсет
        18:осемнадесет,осемнайсет 19:деветнадесет,деветнайсет 20:двадесет,двайсет 30:тридесет,трийсет
        40:четиридесет,четирийсет 50:петдесет 60:шестдесет,шейсет 70:седемдесет 80:осемдесет 90:деветдесет 100:сто
        200:двеста 300:триста 500:петстотин""",
    "pl": """2:dwa,dwie,dwóch,dwu,dwóm,dwoma,dwaj,dwoje 3:trzy,trzech,trzem,trzema,trzej,troje
        4:cztery,czterech,czterem
        5:pięć,pięciu,pięcioro 6:sześć,sześciu 7:siedem,siedmiu 8:osiem,ośmiu 9:dziewięć,dziewięciu
        10:dziesięć,dziesięciu 11:jedenaście,jedenastu 12:dwanaście,dwunastu 13:trzynaście,trzynastu
        14:czternaście,czternastu 15:piętnaście,piętnastu 16:szesnaście,szesnastu 17:siedemnaście,siedemnastu
        18:osiemnaście,osiemnastu 19:dziewiętnaście,dziewiętnastu 20:dwadzieścia,dwudziestu 30:trzydzieści,trzydziestu
        40:czterdzieści,czterdziestu 50:pięćdziesiąt,pięćdziesięciu 60:sześćdziesiąt 70:siedemdziesiąt
        80:osiemdziesiąt 90:dziewięćdziesiąt 100:sto,stu 200:dwieście,dwustu 300:trzysta,trzystu 400:czterysta
        500:pięćset,pięciuset 600:sześćset 700:siedemset 800:osiemset 900:dziewięćset""",
    "cs": """2:dva,dvě,dvou,dvěma,dvoje 3:tři,tří,třech,třem,třemi 4:čtyři,čtyř,čtyřech,čtyřem 5:pět,pěti 6:šest,šesti
        7:sedm,sedmi 8:osm,osmi 9:devět,devíti 10:deset,deseti 11:jedenáct,jedenácti 12:dvanáct,dvanácti
        13:třináct,třinácti 14:čtrnáct,čtrnácti 15:patnáct,patnácti 16:šestnáct,šestnácti 17:sedmnáct,sedmnácti
        18:osmnáct,osmnácti 19:devatenáct,devatenácti 20:dvacet,dvaceti 30:třicet,třiceti 40:čtyřicet,čtyřiceti
        50:padesát,padesáti 60:šedesát,šedesáti 70:sedmdesát,sedmdesáti 80:osmdesát,osmdesáti 90:devadesát,devadesáti
        100:sto""",
    "hi": """2:दो,दोनों 3:तीन,तीनों 4:चार,चारों 5:पांच,पाँच 6:छह,छः,छे 7:सात 8:आठ 9:नौ 10:दस 11:ग्यारह 12:बारह 13:तेरह
        14:चौदह
        15:पंद्रह,पन्द्रह 16:सोलह 17:सत्रह 18:अठारह 19:उन्नीस 20:बीस 25:पच्चीस 30:तीस 40:चालीस 50:पचास 60:साठ
        70:सत्तर 80:अस्सी
        90:नब्बे 100:सौ""",
}

_LOOSE: dict[str, str] = {
    "en": """0:zero 1:one,first,once,single
        2:second,seconds,twice,both,pair,couple,double,half,two-thirds,twofold,secondly
        3:third,thirds,triple,thrice,threefold,trio 4:fourth,quarter,quarters,quadruple 5:fifth,fifths 6:sixth
        7:seventh
        8:eighth 9:ninth 10:tenth,decade,tens 11:eleventh 12:twelfth,dozen,dozens,noon,midnight 13:thirteenth
        14:fourteenth,fortnight 15:fifteenth 16:sixteenth 17:seventeenth 18:eighteenth 19:nineteenth
        20:twentieth,twenties
        30:thirtieth,thirties,half 40:forties 50:half,fifties 60:sixties 70:seventies 80:eighties 90:nineties
        100:hundreds,century,hundredth 25:quarter 0.5:half""",
    "es": """0:cero 1:uno,un,una,primero,primer,primera,sola,solo
        2:segundo,segunda,ambos,ambas,doble,par,pareja,medio,media,mitad
        3:tercer,tercero,tercera,tercio,triple 4:cuarto,cuarta 5:quinto,quinta 6:sexto,sexta 7:séptimo,séptima
        8:octavo,octava 9:noveno,novena 10:décimo,década,decena 12:docena,mediodía,medianoche 15:quincena
        30:media,medio 50:mitad,medio
        100:centenar,siglo,cientos 0.5:medio,media,mitad 20:veintena 24:nochebuena""",
    "fr": """0:zéro 1:un,une,premier,première,1er,seul 2:deuxième,second,seconde,double,paire,couple,demi,demie,moitié
        3:troisième,tiers,triple 4:quatrième,quart 5:cinquième 6:sixième 7:septième 8:huitième,huitaine
        9:neuvième,neuf
        10:dixième,dizaine,décennie 12:douzaine,midi,minuit 15:quinzaine 20:vingtaine 30:trentaine,demi,demie
        50:moitié,cinquantaine
        100:centaine,siècle 0.5:demi,demie,moitié""",
    "de": """0:null 1:ein,eine,einen,einem,einer,eines,eins,erste,ersten,erster,erstes,einmal
        2:zweite,zweiten,zweiter,zweites,zweimal,beide,beiden,
        beider,paar,doppelt,halb,hälfte,zweit 3:dritte,dritten,dritter,drittes,drittel,dreimal
        4:vierte,vierten,viertel 5:fünfte,fünften 6:sechste,sechsten
        7:siebte,siebten,siebente 8:achte,achten 9:neunte,neunten 10:zehnte,zehnten,jahrzehnt
        12:zwölfte,dutzend,mittag,mitternacht 30:halb,halbe,halben 50:hälfte
        100:jahrhundert 0.5:halb,halbe,halben,hälfte 14:vierzehn""",
    "it": """0:zero 1:uno,un,una,primo,prima 2:secondo,seconda,entrambi,entrambe,doppio,paio,coppia,mezzo,mezza,metà
        3:terzo,terza,triplo 4:quarto,quarta 5:quinto,quinta 6:sesto,sei 7:settimo 8:ottavo 9:nono
        10:decimo,decina,decennio
        12:dozzina,mezzogiorno,mezzanotte 15:quindicina 20:ventina 30:mezzo,mezza 50:metà 100:centinaio,secolo
        0.5:mezzo,mezza,metà""",
    "pt": """0:zero 1:um,uma,primeiro,primeira 2:segundo,segunda,ambos,ambas,dobro,par,casal,meio,meia,metade
        3:terceiro,terceira,terço,triplo 4:quarto,quarta 5:quinto,quinta 6:sexto,sexta,meia 10:década,dezena 12:dúzia
        30:meia 50:metade 100:século,centena 0.5:meio,meia,metade""",
    "ru": """0:ноль,нуль 1:один,одна,одно,одну,одного,одной,первый,первая,первое,первого,первой,раз
        2:второй,вторая,второе,второго,вторую,дважды,оба,обе,обоих,
        пара,пару,пары,вдвое,вдвоём,вдвоем,половина,половину,пол
        3:третий,третья,третье,третьего,третью,трижды,треть,втроём,тройка 4:четвёртый,четвертый,
        четвёртого,четверть,четверти 5:пятый,пятого,пятая,пятую 6:шестой,шестого 7:седьмой,седьмого,неделя
        8:восьмой,восьмого 9:девятый,девятого 10:десятый,десятого,десяток,десятка,десятилетие
        12:дюжина,дюжину,полдень,полночь,полночи 50:половина,половину 100:век,века,столетие,сотня,сотни
        0.5:половина,половину,пол,полчаса 1.5:полтора,полторы 30:полчаса,половина,половины,половину
        18:восемнадцатого 20:двадцатый""",
    "mk": """0:нула 1:еден,една,едно,еднаш,прв,првата,првиот,прво,првпат
        2:втор,втора,вториот,втората,двапати,двапати,пар,двојка,обата,обете,половина,пол,двојно
        3:трет,трета,третиот,третата 4:четврт,четвртата,четвртиот,четвртина 5:петти,петтиот,петта 7:седми,недела
        8:осми 10:десетти,деценија,декада
        12:дузина,пладне,полноќ 30:пол,половина 50:половина 100:век,столетие 0.5:половина,пол""",
    "bg": """0:нула 1:един,една,едно,един,първи,първият,първа,първата,веднъж
        2:втори,вторият,втора,втората,двойка,чифт,половин,половина,пъти
        3:трети,третата,третият 4:четвърти,четвърт 5:пети,петата 10:десети,десетилетие 12:дузина,обяд,обед,полунощ
        0.5:половин,половина
        30:половин,половина 50:половина 100:век""",
    "pl": """1:jeden,jedna,jedno,pierwszy,pierwsza,raz
        2:drugi,druga,drugie,drugiego,oba,obie,obydwa,para,parę,pół,połowa,dwukrotnie 3:trzeci,trzecia
        4:czwarty,ćwierć 10:dekada,dekadę 12:tuzin,południe,północ 0.5:pół,połowa 30:pół 50:połowa 100:wiek,wieku
        1.5:półtora""",
    "cs": """1:jeden,jedna,jedno,první,jednou 2:druhý,druhá,druhé,oba,obě,pár,půl,polovina,dvakrát 3:třetí,třikrát
        4:čtvrtý,čtvrt,čtvrtina
        10:desetiletí 12:tucet,poledne,půlnoc 0.5:půl,polovina 30:půl 50:polovina 100:století""",
    "hi": """1:एक,पहला,पहली,पहले 2:दूसरा,दूसरी,दूसरे,आधा,आधी,जोड़ी,अर्ध 3:तीसरा,तीसरी,तीसरे 4:चौथा,चौथी 50:आधा,अर्धशतक
        100:शतक,शताब्दी
        0.5:आधा,आधी 1.5:डेढ़ 2.5:ढाई""",
}
"""Words from which a number may be made in another language, though they state none by themselves."""

_SCALES: dict[str, str] = {
    "en": "1000:thousand,thousands,k 1000000:million,millions 1000000000:billion,billions,bn 1000000000000:trillion "
    "100000:lakh,lakhs 10000000:crore,crores",
    "es": "1000:mil,miles 1000000:millón,millones 1000000000000:billón,billones",
    "fr": "1000:mille,milliers 1000000:million,millions 1000000000:milliard,milliards 1000000000000:billion,billions",
    "de": "1000:tausend,eintausend 1000000:million,millionen,mio 1000000000:milliarde,milliarden,mrd "
    "1000000000000:billion,billionen",
    "it": "1000:mille,mila,migliaia 1000000:milione,milioni 1000000000:miliardo,miliardi",
    "pt": "1000:mil,milhares 1000000:milhão,milhões 1000000000:bilhão,bilhões 1000000000000:trilhão,trilhões,bilião",
    "ru": "1000:тысяча,тысячи,тысяч,тысячу,тысячам,тысячах,тыс 1000000:миллион,миллиона,миллионов,миллионам,млн "
    "1000000000:миллиард,миллиарда,миллиардов,млрд 1000000000000:триллион,триллиона,триллионов,трлн",
    "mk": "1000:илјада,илјади 1000000:милион,милиони 1000000000:милијарда,милијарди 100:стотини",
    "bg": "1000:хиляда,хиляди 1000000:милион,милиона,милиони 1000000000:милиард,милиарда,милиарди 100:стотин,стотици",
    "pl": "1000:tysiąc,tysiące,tysięcy,tys 1000000:milion,miliony,milionów,mln "
    "1000000000:miliard,miliardy,miliardów,mld",
    "cs": "1000:tisíc,tisíce,tis 1000000:milion,miliony,milionů,mil 1000000000:miliarda,miliardy,miliard,mld "
    "100:sta,set",
    "hi": "1000:हजार,हज़ार 100000:लाख 10000000:करोड़,करोड़ 1000000:मिलियन 1000000000:अरब,बिलियन",
    "zh": "10:十 100:百 1000:千 10000:万,萬 100000000:亿,億",
    "ja": "10:十 100:百 1000:千 10000:万,萬 100000000:億 1000000000000:兆",
}
_JOINING: dict[str, str] = {
    "en": "and",
    "es": "y",
    "fr": "et",
    "de": "und",
    "it": "e",
    "pt": "e",
    "mk": "и",
    "bg": "и",
}
"""Words that stand inside a number: "two hundred and five"."""


STEM = 6


class NumberWords(NamedTuple):
    """What is known of the numbers of one language."""

    cardinals: dict[str, int]
    loose: dict[str, tuple[str, ...]]
    scales: dict[str, Decimal]
    joining: str
    stems: dict[str, str]
    """How long words begin that are made from a cardinal, such as ordinals and their cases: STEM letters."""


def _rows(listed: str) -> list[tuple[str, str]]:
    """Pairs of number and word; a list that is broken over lines after a comma goes on."""
    rows = []
    for row in re.sub(r",\s+", ",", listed).split():
        number, _, words = row.partition(":")
        rows += [(number, word) for word in words.split(",") if word]
    return rows


def _german() -> dict[str, int]:
    ones = dict(
        zip(["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"], range(1, 10), strict=True)
    )
    tens = {word: int(number) for number, word in _rows(_CARDINALS["de"]) if int(number) in range(20, 100, 10)}
    made = {f"{one}und{ten}": tens[ten] + ones[one] for one in ones for ten in tens}
    made |= {f"{one}hundert": ones[one] * 100 for one in ones}
    return (
        made | {f"{one}tausend": ones[one] * 1000 for one in ones} | {"zehntausend": 10_000, "hunderttausend": 100_000}
    )


def _italian() -> dict[str, int]:
    ones = dict(
        zip(["uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"], range(1, 10), strict=True)
    )
    tens = {word: int(number) for number, word in _rows(_CARDINALS["it"]) if int(number) in range(20, 100, 10)}
    made = {(ten[:-1] if one in ("uno", "otto") else ten) + one: tens[ten] + ones[one] for one in ones for ten in tens}
    made |= {f"{ten}tré": tens[ten] + 3 for ten in tens}
    made |= {f"{one}cento": ones[one] * 100 for one in ones if one != "uno"}
    return made | {f"{one}mila": ones[one] * 1000 for one in ones if one != "uno"} | {"diecimila": 10_000}


@cache
def number_words(language: str) -> NumberWords | None:
    """None where the language's words for numbers are not known."""
    if language not in _CARDINALS:
        return None
    cardinals = {word: int(number) for number, word in _rows(_CARDINALS[language])}
    cardinals |= {"de": _german, "it": _italian}.get(language, dict)()
    loose: dict[str, tuple[str, ...]] = {}
    for number, word in _rows(_LOOSE.get(language, "")):
        loose[word] = (*loose.get(word, ()), number)
    # What is doubtful is loose: "sei" is six or a form of to be, "neuf" nine or new.
    kept = {word: value for word, value in cardinals.items() if word not in loose}
    stems = {word[:STEM]: str(value) for word, value in cardinals.items() if len(word) >= STEM}
    return NumberWords(kept, loose, scales(language), _JOINING.get(language, ""), stems)


@cache
def scales(language: str) -> dict[str, Decimal]:
    """Words that multiply the number before them; those of English for a language that is not known."""
    return {word: Decimal(number) for number, word in _rows(_SCALES.get(language, _SCALES["en"]))}
