"""Numbers with what they measure: metres, kilograms, degrees, per cent, money. Written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from burnish.kinds.manuscripts.facts.numbers import Number, numbers

_UNITS: dict[str, str] = {
    "km": "km kilometer kilometers kilometre kilometres kilómetro kilómetros kilomètre kilomètres chilometro "
    "chilometri "
    "quilômetro quilômetros quilómetros км километр километра километров километри kilometr kilometry kilometrów "
    "kilometrů 公里 キロメートル किलोमीटर",
    "m": "m м meter meters metre metres metro metros mètre mètres metri метр метра метров метри metr metry metrów "
    "metrů 米 メートル मीटर",
    "cm": "cm centimeter centimeters centimetre centimetres centímetro centímetros centimètre centimètres "
    "centimetro centimetri zentimeter см сантиметр "
    "сантиметра сантиметров 厘米 センチ",
    "mm": "mm millimeter millimeters millimetre millimetres milímetro milímetros millimètre millimètres "
    "millimetro millimetri мм миллиметр миллиметра миллиметров 毫米",
    "mile": "mile miles milla millas mille milles meile meilen miglio miglia milha milhas миля мили миль милји "
    "mila mil 英里 マイル मील",
    "foot": "ft foot feet pie pies pied pieds fuß fuss piede piedi фут фута футов 英尺 フィート फुट",
    "inch": "inch inches pulgada pulgadas pouce pouces zoll pollice pollici polegada polegadas дюйм дюйма дюймов "
    "英寸 インチ इंच",
    "yard": "yard yards yarda yardas ярд ярда ярдов",
    "kg": "kg kilogram kilograms kilogramo kilogramos kilogramme kilogrammes kilogramm chilogrammo chilogrammi "
    "quilograma quilogramas кг килограмм килограмма "
    "килограммов килограм килограми 公斤 千克 キログラム किलो किलोग्राम",
    "g": "g gram grams gramo gramos gramme grammes gramm grammo grammi grama gramas грамм грамма граммов грам грама "
    "克 グラム ग्राम",
    "mg": "mg milligram milligrams miligramo miligramos milligramme milligrammes milligramm мг миллиграмм "
    "миллиграмма миллиграммов",
    "pound": "lb lbs pound pounds libra libras livre livres pfund libbra libbre фунт фунта фунтов 磅 ポンド",
    "tonne": "ton tons tonne tonnes tonelada toneladas tonnen tonnellata tonnellate тонна тонны тонн тон тони "
    "tony tun 吨 トン टन",
    "litre": "liter liters litre litres litro litros litri литр литра литров литри litr litry litrów litrů 升 "
    "リットル लीटर",
    "ml": "ml мл milliliter milliliters millilitre millilitres mililitro mililitros millilitro millilitri миллилитр "
    "миллилитра миллилитров",
    "µg": "µg μg mcg microgram micrograms microgramo microgramos microgramme microgrammes mikrogramm",
    "hour": "hour hours hora horas heure heures stunde stunden ora ore час часа часов саат 小时 時間 घंटे घंटा",
    "minute": "minute minutes minuto minutos minuten minuti минута минуты минут минути minut minuty 分钟 分間 मिनट",
    "second": "seconds segundos secondes sekunden secondi секунды секунд секунди sekund sekundy 秒 सेकंड",
    "day": "day days día días jour jours tag tage tagen giorno giorni dia dias день дня дней ден дена дни dni dnů "
    "天 日間 दिन",
    "week": "week weeks semana semanas semaine semaines woche wochen settimana settimane неделя недели недель "
    "недели седмица седмици tygodni týdnů 周 週間 सप्ताह",
    "month": "month months mes meses mois monat monate monaten mese mesi mês месяц месяца месяцев месец месеци "
    "miesięcy měsíců 个月 か月 ヶ月 महीने",
    "year": "year years año años an ans année années jahr jahre jahren anno anni ano anos год года лет години "
    "години lat roku let 年 年間 साल वर्ष",
    "percent": "% percent pourcent prozent percento процент процента процентов проценти procent procenta 百分 "
    "パーセント प्रतिशत ％",
    "celsius": "°c celsius цельсия",
    "fahrenheit": "°f fahrenheit фаренгейта",
    "euro": "€ euro euros евро eur 欧元 ユーロ यूरो",
    "dollar": "$ dollar dollars dólar dólares dollaro dollari доллар доллара долларов долар долари usd dolarów "
    "dolarů 美元 ドル डॉलर",
    "sterling": "£ gbp",
    "yen": "¥ yen yenes yens иена иены иен 円 日元",
    "rouble": "₽ rouble roubles ruble rubles rublo rublos rublos рубль рубля рублей rubel rubli rublů 卢布 ルーブル",
    "rupee": "₹ rupee rupees rupia rupias 卢比 रुपये रुपए",
}
_BEFORE = re.compile(r"([€$£¥₽₹])\s?$")
_BEHIND = re.compile(
    r"[ \u00a0\u202f-]{0,2}(?P<unit>[%％€$£¥₽₹]|°\s?[cf]\b|个月|か月|ヶ月"
    r"|[\u4e00-\u9fff\u30a0-\u30ff]{1,6}|[\u0900-\u0963]+|[^\W\d_]+)",
    re.IGNORECASE,
)


class Measured(NamedTuple):
    """A number with its unit."""

    number: Number
    unit: str
    written: str
    """The unit as it stands in the text."""
    end: int


@cache
def _unit_of() -> dict[str, str]:
    found: dict[str, str] = {}
    for unit, words in _UNITS.items():
        for word in words.split():
            found.setdefault(word, unit)
    return found


def measured(prose: str, language: str) -> Iterator[Measured]:
    """Every number that says what it measures."""
    known = _unit_of()
    for number in numbers(prose, language).stated:
        before = _BEFORE.search(prose, max(0, number.start - 2), number.start)
        behind = _BEHIND.match(prose, number.end, number.end + 30)
        written = before[1] if before is not None else behind["unit"] if behind is not None else ""
        unit = _longest(_plain(written), known)
        if unit is not None:
            yield Measured(number, unit, written, behind.end() if behind is not None and before is None else number.end)


def _plain(written: str) -> str:
    """A letter alone is a unit only as it is written: 5 g, but not 5 G."""
    return written if len(written) == 1 else written.lower().replace(" ", "")


def _longest(word: str, known: dict[str, str]) -> str | None:
    """The unit that a word is; Chinese and Japanese write on without a blank."""
    if word[:1] > "\u2e80":
        return next((known[word[:n]] for n in range(len(word), 0, -1) if word[:n] in known), None)
    return known.get(word)
