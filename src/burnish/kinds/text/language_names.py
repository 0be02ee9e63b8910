"""Languages by the names that models know them by."""

from __future__ import annotations

import re

from burnish.kinds.text.language_tags import UNKNOWN_LANGUAGE

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
