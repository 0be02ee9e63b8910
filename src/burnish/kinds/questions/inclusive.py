"""Words and claims that hurt or stereotype people, and what to say instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnish.core.findings import Severity
from burnish.languages.words import word_set

PERSON = (
    r"(?:man|men|woman|women|male|males|female|females|boy|boys|girl|girls|child|children|person|people|persons"
    r"|patient|patients"
    r"|student|students|teenager|teenagers|worker|workers|couple|family|families|lady|guy|guys|individual"
    r"|individuals|population)"
)


@dataclass(frozen=True, slots=True)
class Term:
    """A wording to avoid."""

    marks: frozenset[str]
    """Words of which the text must hold one: the pattern is not tried on anything else."""
    pattern: re.Pattern[str]
    instead: str
    severity: Severity = "error"


def _term(marks: str, pattern: str, instead: str, severity: Severity = "error") -> Term:
    return Term(word_set(marks), re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead, severity)


TERMS = (
    _term(
        "retarded retardate retardates retard retards",
        rf"mentally retarded|mental retardates?|retarded {PERSON}|(?:a|the) retards?",
        "with an intellectual disability",
    ),
    _term("retardation", "mental retardation", "intellectual disability", "warning"),
    _term(
        "wheelchair wheelchair-bound",
        "wheelchair[- ]bound|(?:confined|bound) to (?:a|his|her|their|the) wheelchair",
        "uses a wheelchair",
    ),
    _term("oriental", rf"oriental {PERSON}|an oriental", "Asian, or the country of origin if it matters"),
    _term("illegal illegals", "illegal (?:aliens?|immigrants?)|illegals", "undocumented immigrant"),
    _term(
        "colored coloured",
        "(?<!-)colou?red (?:man|men|woman|women|person|people|folk|boy|girl|patients?|child|children)",
        "Black",
    ),
    _term("negro negroes negress mulatto", "negro(?:es)?|negress|mulatto", "Black"),
    _term(
        "mongoloid mongolism",
        rf"mongoloid (?:{PERSON}|features|facies)|mongolism|(?:a|the) mongoloid",
        "with Down syndrome",
    ),
    _term("cripple cripples crippled", rf"(?:a|the) cripples?|crippled {PERSON}", "with a physical disability"),
    _term("handicapped", rf"(?:the|a) handicapped|handicapped {PERSON}", "with a disability", "warning"),
    _term(
        "junkie junkies crackhead crackheads druggie druggies wino winos drunkard drunkards",
        "junk(?:ie|ies)|crackheads?|druggies?|winos?|drunkards?",
        "with a substance use disorder",
    ),
    _term(
        "addict addicts",
        "(?:drug|heroin|cocaine|opioid|opiate|crack|meth) addicts?|(?:a|an) addict",
        "with a substance use disorder",
        "warning",
    ),
    _term(
        "drug-seeking drug-seeker drug-seekers seeking seeker seekers flyer flyers",
        rf"drug[- ]seeking {PERSON}|drug[- ]seekers?|frequent flyers?",
        "what the person does, without the label",
        "warning",
    ),
    _term(
        "lunatic lunatics madman madmen madwoman psycho psychos nutcase nutcases crazy deranged",
        rf"lunatics?|madm[ae]n|madwom[ae]n|psychos?|nutcases?|(?:crazy|deranged) {PERSON}",
        "with a mental illness",
    ),
    _term(
        "schizophrenic schizophrenics epileptic epileptics",
        r"(?:a|an|the|many|most|all) (?:schizophrenics?|epileptics?)(?! \w)",
        "with schizophrenia, with epilepsy",
        "warning",
    ),
    _term("dumb deaf-and-dumb deaf-mute deaf-mutes mute mutes", "deaf[- ]and[- ]dumb|deaf[- ]mutes?", "deaf"),
    _term(
        "alcoholic",
        r"(?:an|the|known|chronic) alcoholic(?= (?:who|with|is|was|has|presents|comes)\b|[.,;])",
        "with alcohol use disorder",
        "warning",
    ),
    _term("prostitute prostitutes", "prostitutes?", "sex worker", "warning"),
    _term("third-world third", "third[- ]world (?:country|countries|nation|nations)", "low-income country", "warning"),
    _term(
        "stewardess stewardesses fireman firemen policeman policemen mailman mailmen cleaning",
        "stewardess(?:es)?|firem[ae]n|policem[ae]n|mailm[ae]n|cleaning (?:lady|woman)",
        "a title for everyone, such as firefighter",
        "warning",
    ),
    _term("midget midgets", "midgets?", "with short stature"),
    _term("hermaphrodite hermaphrodites", "(?:human|true) hermaphrodites?", "intersex person", "warning"),
    _term(
        "transvestite transvestites trannies tranny shemale shemales she-male she-males",
        "transvestites?|trannies|tranny|she-?males?",
        "transgender person, if it matters",
    ),
    _term(
        "homosexual homosexuals preference preferences",
        rf"homosexual (?:lifestyle|{PERSON})|sexual preferences?|admitted homosexuals?",
        "gay, or sexual orientation",
        "warning",
    ),
    _term("gypsy gypsies", rf"gyps(?:y|ies) {PERSON}|(?:a|the) gyps(?:y|ies)(?! moth)", "Roma"),
    _term("eskimo eskimos", "eskimos?", "Inuit, or the people's own name", "warning"),
    _term(
        "primitive savage savages uncivilized uncivilised",
        "(?:primitive|savage|uncivili[sz]ed) (?:tribes?|peoples?|cultures?|natives?|societ(?:y|ies))|savages",
        "the people's name",
    ),
    _term("victim victims", "(?:aids|hiv|cancer|stroke) victims?", "person with the disease", "warning"),
    _term(
        "nurse nurses doctor doctors surgeon surgeons driver drivers engineer engineers",
        "(?:male|man) nurses?|(?:female|lady|woman|women) (?:doctors?|surgeons?|drivers?|engineers?)",
        "the profession alone",
        "warning",
    ),
    _term(
        "whore whores slut sluts harlot harlots spinster spinsters maid maids",
        "whores?|sluts?|harlots?|spinsters?|old maids?",
        "a word that does not judge",
    ),
    _term(
        "disabled handicapped",
        r"normal (?:people|children|persons) (?:and|or|versus|vs\.?|from) (?:disabled|handicapped)",
        "people without disabilities",
    ),
)
MARKS = frozenset(mark for term in TERMS for mark in term.marks)

_GROUP = (
    r"(?:women|men|girls|boys|females|males|blacks?|whites?|african[- ]americans?|africans|asians?|hispanics?"
    r"|latinos?|latinas?"
    r"|mexicans?|arabs?|jews?|jewish|muslims?|christians?|chinese|japanese|indians?|native americans?|immigrants?"
    r"|foreigners|gays?"
    r"|homosexuals?|lesbians?|homeless|poor|elderly|old|teenagers|single mothers|obese|fat|disabled|wealthy|rural"
    r"|housewives)"
)
_TRAIT = (
    r"(?:lazy|violent|aggressive|dirty|dishonest|greedy|stupid|unintelligent|less intelligent|more intelligent"
    r"|emotional|hysterical"
    r"|irrational|weak|weaker|inferior|superior|promiscuous|criminals?|thieves|drunks?|unreliable|submissive|bossy"
    r"|cheap|stingy"
    r"|primitive|uneducated|ignorant|untrustworthy|noncompliant|bad (?:at|with|drivers)|(?:good|better) (?:at math"
    r"|with children)"
    r"|unable to (?:lead|reason|learn)|incapable)"
)
STEREOTYPE = re.compile(
    rf"\b{_GROUP}(?: \w{{3,14}})? (?:are|is|was|were|tend to be|seem to be|being) "
    rf"(?:(?:so|very|too|more|less|all|just|naturally|often|usually|generally|always|typically|known|to be) "
    rf"){{0,2}}{_TRAIT}\b"
    rf"|\blike (?:all|most|any) {_GROUP}(?: {PERSON})?,"
    rf"|\b(?:typical|expected (?:of|for|from)) (?:of )?(?:an? )?{_GROUP}(?: {PERSON})? (?:driver|behaviou?r|attitude)",
    re.IGNORECASE,
)
AS_A = re.compile(
    rf"\b(?:as|being) an? (?:woman|girl|man|boy|female|male|black|asian|jew|mexican)(?: {PERSON})?, (?:he|she) "
    r"(?:is|was|can|could|will|would|naturally|of course)\b",
    re.IGNORECASE,
)
"""What someone is or can do, told by the group alone."""
JUDGED = re.compile(
    rf"\b(?:hysterical|lazy|stupid|greedy|dirty|promiscuous|drunken|ignorant) (?:\w{{3,12}} )?(?:{PERSON}|mothers?"
    rf"|fathers?)\b",
    re.IGNORECASE,
)
TRAIT_MARKS = word_set(
    """
    lazy violent aggressive dirty dishonest greedy stupid unintelligent intelligent emotional hysterical irrational
    weak weaker inferior superior promiscuous criminal criminals thieves drunk drunks unreliable submissive bossy cheap
    stingy primitive uneducated ignorant untrustworthy noncompliant bad good better unable incapable like typical
    expected
    """
)

LOOKS = re.compile(
    rf"\b(?:beautiful|pretty|attractive|sexy|gorgeous|ugly|handsome|fat|exotic[- ]looking),? (?:\w+[- "
    rf"]){{0,3}}{PERSON}\b",
    re.IGNORECASE,
)
ORIGIN = re.compile(
    r"\b(?:black|white|african[- ]american|asian|hispanic|latino|latina|caucasian|mexican|chinese|indian|arab|jewish"
    r"|muslim|nigerian"
    rf"|pakistani|gay|lesbian|immigrant|foreign|native american) {PERSON}\b",
    re.IGNORECASE,
)
"""Race, origin, religion or orientation of someone in the item."""

GROUP_MARKS = word_set(
    """
    women men girls boys girl jewish females males black blacks white whites african-american african-americans african
    americans africans asian asians hispanic hispanics latino latinos latina latinas mexican mexicans arab arabs jew
    jews muslim muslims christian christians chinese japanese indian indians native immigrant immigrants foreigners
    foreign gay gays homosexual homosexuals lesbian lesbians homeless poor elderly old teenagers single obese fat
    disabled wealthy rural housewives caucasian jewish nigerian pakistani
    """
)
JUDGED_MARKS = word_set("hysterical lazy stupid greedy dirty promiscuous drunken ignorant")
LOOKS_MARKS = word_set("beautiful pretty attractive sexy gorgeous ugly handsome fat exotic exotic-looking")
ABOUT_PREJUDICE = word_set(
    """
    stereotype stereotypes stereotyping stereotypical prejudice prejudices prejudiced bias biases biased discrimination
    racism racist sexism sexist offensive derogatory slur segregation eugenics apartheid slavery slave slaves passage
    excerpt author author's poem speech century colonial historian argument argues argued claims claimed quote
    quotation
    """
)
"""A question about prejudice, or about a text, has to name it."""
CLINICAL = word_set(
    """
    year-old month-old week-old patient patients physician clinic hospital disease symptoms diagnosis syndrome cancer
    infection risk prevalence incidence mortality screening gene genetic mutation inherited ancestry population survey
    census percentage ethnicity race
    """
)
"""Where origin may matter."""
