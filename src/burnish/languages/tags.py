"""Tags of languages from any code or name by which they are declared, and their English names."""

from __future__ import annotations

import re

from burnish.languages.scripts import SCRIPTS_OF
from burnish.languages.words import word_set

UNKNOWN_LANGUAGE = "und"
"""BCP 47 for a language that nobody declared and the text does not show, and for a declared one that nobody knows."""
_LEADING = re.compile(r"[^\W\d_]+")

_LANGUAGES = """
    aa aar afar; ab abk abkhazian; ae ave avestan; af afr afrikaans; ak aka akan; am amh amharic; an arg aragonese;
    ar ara arabic arb العربية; as asm assamese; av ava avaric; ay aym aymara; az aze azerbaijani azj; ba bak
    bashkir; be bel belarusian; bg bul bulgarian; bh bih; bi bis bislama; bm bam bambara; bn ben bengali; bo bod tib
    tibetan; br bre breton; bs bos bosnian; ca cat catalan valencian; ce che chechen; ch cha chamorro; co cos
    corsican; cr cre cree; cs ces cze czech čeština; cu chu; cv chv chuvash; cy cym wel welsh; da dan danish dansk;
    de deu ger german deutsch; dv div divehi dhivehi; dz dzo dzongkha; ee ewe; el ell gre greek ελληνικά; en eng
    english; eo epo esperanto; es spa spanish castilian español; et est estonian ekk; eu eus baq basque; fa fas per
    persian pes prs farsi; ff ful fulah; fi fin finnish suomi; fj fij fijian; fo fao faroese; fr fra fre french
    français; fy fry frisian; ga gle irish; gd gla gaelic; gl glg galician; gn grn guarani; gu guj gujarati; gv glv
    manx; ha hau hausa; he heb hebrew iw עברית; hi hin hindi; ho hmo; hr hrv croatian; ht hat haitian; hu hun
    hungarian magyar; hy hye arm armenian; hz her herero; ia ina interlingua; id ind indonesian in; ie ile
    interlingue occidental; ig ibo igbo; ii iii nuosu; ik ipk inupiaq; io ido; is isl ice icelandic; it ita italian
    italiano; iu iku inuktitut; ja jpn japanese 日本語; jv jav javanese jw; ka kat geo georgian; kg kon kongo; ki kik
    kikuyu gikuyu; kj kua kuanyama kwanyama; kk kaz kazakh; kl kal kalaallisut greenlandic; km khm khmer; kn kan
    kannada; ko kor korean 한국어; kr kau kanuri; ks kas kashmiri; ku kur kurdish kmr; kv kom komi; kw cor cornish; ky
    kir kirghiz kyrgyz; la lat latin; lb ltz luxembourgish letzeburgesch; lg lug ganda; li lim limburgan limburger;
    ln lin lingala; lo lao; lt lit lithuanian; lu lub; lv lav latvian lvs; mg mlg malagasy plt; mh mah marshallese;
    mi mri mao maori; mk mkd mac macedonian; ml mal malayalam; mn mon mongolian khk; mr mar marathi; ms msa may
    malay zsm; mt mlt maltese; my mya bur burmese; na nau nauru; nb nob bokmål; nd nde ndebele; ne nep nepali npi;
    ng ndo ndonga; nl nld dut dutch flemish nederlands; nn nno nynorsk; no nor norwegian norsk; nr nbl; nv
    nav navajo navaho; ny nya chichewa chewa; oc oci occitan; oj oji ojibwa; om orm oromo; or ori oriya ory; os oss
    ossetian ossetic; pa pan panjabi punjabi; pi pli pali; pl pol polish polski; ps pus pushto pashto pbu; pt por
    portuguese português; qu que quechua; rm roh romansh; rn run rundi; ro ron rum romanian moldavian mo română; ru
    rus russian русский; rw kin kinyarwanda; sa san sanskrit; sc srd sardinian; sd snd sindhi; se sme sami; sg sag
    sango; sh hbs; si sin sinhala sinhalese; sk slk slo slovak; sl slv slovenian; sm smo samoan; sn sna shona; so
    som somali; sq sqi alb albanian; sr srp serbian; ss ssw swati; st sot sotho; su sun sundanese; sv swe swedish
    svenska; sw swa swahili swh; ta tam tamil; te tel telugu; tg tgk tajik; th tha thai; ti tir tigrinya; tk tuk
    turkmen; tl tgl tagalog fil filipino; tn tsn tswana; to ton tongan; tr tur turkish türkçe; ts tso tsonga; tt tat
    tatar; tw twi; ty tah tahitian; ug uig uighur uyghur; uk ukr ukrainian українська; ur urd urdu; uz uzb uzbek
    uzn; ve ven venda; vi vie vietnamese; vo vol; wa wln walloon; wo wol wolof; xh xho xhosa; yi yid yiddish ydd ji;
    yo yor yoruba; za zha zhuang chuang; zh zho chi chinese cmn mandarin 中文; zu zul zulu
"""
"""ISO 639-1; after each code those of ISO 639-2, of 639-3 and of old that mean the same, then names."""

_TAG_OF = {word: row.split()[0] for row in _LANGUAGES.split(";") for word in row.split()}
_LONGER = SCRIPTS_OF.keys() | word_set(
    """
    ace als ary arz ast ber bcl crh ext fur fuv gcf gcr gom grc gug guw hbo kab kik lij lmo ltg nds nso pcm rif scn sdh
    shi tzm uzs vec wuu yue zgh
    """
)
"""Tags of three letters that stand for languages of which something is known: their script, their kin, their look."""


def primary_tag(declared: str | None) -> str | None:
    """The language of a declared tag: `en` for `en-GB`, `en_US`, `eng` and `English`. None where nothing is declared.

    A word that nobody knows is given back as it is, in small letters.
    """
    leading = _LEADING.match((declared or "").strip().lower())
    return _TAG_OF.get(leading[0], leading[0]) if leading else None


def is_known(tag: str) -> bool:
    """Whether something can be said about texts in that language."""
    return tag in _TAG_OF or tag in _LONGER


def may_be_language(tag: str) -> bool:
    """Whether a tag may stand for a language: ISO 639-3 has thousands of three letters, and we know but a few."""
    return is_known(tag) or (len(tag) == 3 and tag.isascii())


_NAMES = """
    af Afrikaans; am Amharic; ar Arabic; az Azerbaijani; be Belarusian; ber Tamazight; bg Bulgarian; bn Bengali;
    br Breton; bs Bosnian; ca Catalan; cs Czech; cy Welsh; da Danish; de German; el Greek; en English; eo Esperanto;
    es Spanish; et Estonian; eu Basque; fa Persian; fi Finnish; fr French; ga Irish; gl Galician; gu Gujarati;
    ha Hausa; he Hebrew; hi Hindi; hr Croatian; hu Hungarian; hy Armenian; id Indonesian; ig Igbo; is Icelandic;
    it Italian; ja Japanese; ka Georgian; kab Kabyle; kk Kazakh; km Khmer; kn Kannada; ko Korean; ku Kurdish;
    ky Kyrgyz; la Latin; lb Luxembourgish; lo Lao; lt Lithuanian; lv Latvian; mk Macedonian; ml Malayalam;
    mn Mongolian; mr Marathi; ms Malay; mt Maltese; my Burmese; nb Norwegian; ne Nepali; nl Dutch; nn Norwegian Nynorsk;
    no Norwegian; oc Occitan; pa Punjabi; pl Polish; ps Pashto; pt Portuguese; rif Riffian; ro Romanian; ru Russian;
    shi Tachelhit; si Sinhala; sk Slovak; sl Slovenian; so Somali; sq Albanian; sr Serbian; sv Swedish; sw Swahili;
    ta Tamil; tamazight Tamazight; te Telugu;
    tg Tajik; th Thai; tk Turkmen; tl Tagalog; tr Turkish; tt Tatar; tzm Central Atlas Tamazight;
    uk Ukrainian; ur Urdu; uz Uzbek; vi Vietnamese; wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; zgh Standard Moroccan
    Tamazight; zh Chinese; zu Zulu
"""
NAMES = {tag: " ".join(words) for tag, *words in (row.split() for row in _NAMES.split(";"))}
TAG = re.compile(r"[a-z]{2,3}")


def language_name(tag: str) -> str:
    """A language in words of ours, so that nothing which content declares stands among our own words."""
    if tag in NAMES:
        return NAMES[tag]
    is_tag = tag != UNKNOWN_LANGUAGE and TAG.fullmatch(tag) is not None
    return f"the language `{tag}`" if is_tag else "the language it is written in"
