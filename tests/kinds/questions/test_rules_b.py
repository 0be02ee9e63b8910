"""Rules on order, wording, structure, metadata and form: what their examples do not show."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.checks import discover, run_checks, select
from burnish.core.edits import apply_edits
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.kinds.questions import checks
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.option_overlap import is_abbreviation, members, normal_form
from burnish.kinds.questions.quantities import is_monotone, ordered_values, quantity
from burnish.kinds.questions.views import example_question
from burnish.languages.words import word_set

CHECKS = {check.id: check for check in discover(checks)}
SELECTION = select(CHECKS.values())


def raised(rule: str, example: Mapping[str, Any]) -> list[Finding]:
    question, context = example_question(example)
    return run_checks(SELECTION, [CHECKS[rule]], question, context)


def fixed(rule: str, example: Mapping[str, Any]) -> Question:
    """The example after every safe fix of the rule, one after the other."""
    question, context = example_question(example)
    for _ in range(10):
        fixes = [f.fix for f in run_checks(SELECTION, [CHECKS[rule]], question, context) if f.fix is not None]
        if not fixes:
            return question
        question = apply_edits(question, fixes[:1])
    raise AssertionError("the fixes never end")


# -- no text may crash a rule

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=120)
PIECES = word_set(
    """
    the patient which of following ? . , 5 mg 10-20 1/2 > I II A and or might <b> ** $x$ `a` “ " ’ women are not 1,2 (A)
    % ∞ é 漢字 http://a.b retarded etc. currently
    """
)
FRAGMENTS = st.lists(st.sampled_from([*sorted(PIECES), "\n", " "]), max_size=25).map(" ".join)
WORDS = st.one_of(TEXT, FRAGMENTS)


@settings(max_examples=150, deadline=None)
@given(
    stem=WORDS,
    options=st.lists(WORDS, max_size=7),
    vignette=st.none() | WORDS,
    rationale=st.none() | WORDS,
    level=st.none() | WORDS,
)
def test_no_text_crashes_a_rule(
    stem: str, options: list[str], vignette: str | None, rationale: str | None, level: str | None
) -> None:
    question, _ = example_question(
        {
            "stem": stem,
            "options": options,
            "vignette": vignette,
            "rationale": rationale,
            "metadata": {"bloom_level": level, "difficulty": level, "concept_ids": ["c"]},
        }
    )
    context = BankContext(frozenset({"rationale", "vignette", "metadata.bloom_level"}), None, {"c": ("heart",)})
    findings = run_checks(SELECTION, CHECKS.values(), question, context)
    assert [finding.message for finding in findings if finding.rule == CRASHED_RULE] == []
    for finding in findings:
        if finding.quote is not None:
            assert question.texts()[finding.field][finding.start : finding.end] == finding.quote


# -- safe fixes

SPACED = st.lists(st.sampled_from(["word", "pain", "a", ",", ".", "?", " ", "  ", "5", "(x)"]), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None)
@given(SPACED.map(" ".join))
def test_a_spacing_fix_changes_spaces_only_and_settles_the_finding(stem: str) -> None:
    question, context = example_question({"stem": stem})
    findings = run_checks(SELECTION, [CHECKS["ext_formatting"]], question, context)
    fixes = [f.fix for f in findings if f.field == "stem" and f.fix is not None]
    if not fixes:
        return
    after = apply_edits(question, fixes[:1])
    assert after.stem.replace(" ", "") == stem.replace(" ", "")
    again = run_checks(SELECTION, [CHECKS["ext_formatting"]], after, context)
    assert not [f for f in again if f.field == "stem" and f.fix is not None]


def test_all_stray_spaces_of_a_field_are_one_finding_and_one_fix() -> None:
    stem = "A man  has pain , fever and  a cough in the left side of his chest for days . Which drug is given first ? "
    assert len([f for f in raised("ext_formatting", {"stem": stem}) if f.fix]) == 1
    tidy = "A man has pain, fever and a cough in the left side of his chest for days. Which drug is given first?"
    assert fixed("ext_formatting", {"stem": stem}).stem == tidy


def test_full_stops_follow_the_majority() -> None:
    with_stops = fixed("ext_formatting", {"options": ("It rises.", "It falls.", "It stays", "It doubles.")})
    assert with_stops.options[2].text == "It stays."
    without = fixed("ext_formatting", {"options": ("It rises.", "It falls", "It stays", "It doubles")})
    assert without.options[0].text == "It rises"


def test_a_stray_quotation_mark_is_removed_and_a_pair_is_kept() -> None:
    assert fixed("ext_formatting", {"stem": 'Which drug is given first?"'}).stem == "Which drug is given first?"
    paired = 'What is the best reply to "Will I die?"'
    assert fixed("ext_formatting", {"stem": paired}).stem == paired


@pytest.mark.parametrize("stem", ["What is $a  + b$ ?", "What does `f(a ,  b)` show?", "See {name}  here ?"])
def test_code_latex_and_placeholders_are_left_alone(stem: str) -> None:
    assert [f for f in raised("ext_formatting", {"stem": stem}) if f.fix] == []


@pytest.mark.parametrize(
    "stem",
    [
        "The drug\\n is given first to which patient?",
        "What is the value of \\alpha here?",
        "A [link](http://example.org) shows which drug?",
        "Itâ€™s given to which patient?",
        "Which drug is given first??",
    ],
)
def test_traces_of_other_formats_are_found(stem: str) -> None:
    assert len(raised("ext_formatting", {"stem": stem})) == 1


@pytest.mark.parametrize(("given_answer", "meant"), [("b", "B"), ("(C)", "C"), ("Option D", "D"), ("digoxin", "B")])
def test_a_key_in_other_words_is_fixed(given_answer: str, meant: str) -> None:
    assert fixed("nbme_single_best_answer", {"correct_answer": given_answer}).correct_answer == meant


@pytest.mark.parametrize("answer", ["", "Z", "A, B", "all of them", "x" * 500])
def test_a_key_that_may_mean_anything_is_not_guessed(answer: str) -> None:
    findings = raised("nbme_single_best_answer", {"correct_answer": answer})
    assert len(findings) == 1 and findings[0].fix is None and findings[0].field == "correct_answer"


def test_an_option_without_a_letter_is_reported() -> None:
    options = [{"key": key, "text": text} for key, text in zip("A C", ("x", "y", "z"), strict=True)]
    messages = [f.message for f in raised("nbme_single_best_answer", {"options": options})]
    assert messages == ["An option has no letter."]


# -- quantities and order


@given(st.integers(0, 10**6), st.sampled_from(["", " mg", "%", " weeks", " m/s"]))
def test_numbers_are_read(number: int, unit: str) -> None:
    one, two = quantity(f"{number}{unit}"), quantity(f"{number + 1}{unit}")
    assert one is not None and two is not None and one.low < two.low and one.dimension == two.dimension


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.5", "1/2"),
        (".5", "50%"),
        ("1 g", "1000 mg"),
        ("2 hours", "120 minutes"),
        ("1,200", "1200"),
        ("5 in 10", "0.5"),
    ],
)
def test_the_same_quantity_in_other_words(one: str, other: str) -> None:
    first, second = quantity(one), quantity(other)
    assert first is not None and second is not None
    assert first.low == pytest.approx(second.low) and first.dimension == second.dimension


@pytest.mark.parametrize(
    "text", ["", "aspirin", "1,2,4", "8 and 15", "x > 3", "1/0", "between 5", "9-3", "5 mg of x " * 10]
)
def test_what_is_no_quantity(text: str) -> None:
    assert quantity(text) is None


def test_open_ends_and_ranges() -> None:
    older, range_ = quantity("65 years or older"), quantity("2 weeks to 3 months")
    fewer = quantity("10 or fewer")
    assert older is not None and older.is_open and fewer is not None and fewer.is_open
    assert range_ is not None and not range_.is_open and not range_.is_value and range_.dimension == "time"


@given(st.lists(st.integers(-500, 500), min_size=3, max_size=6, unique=True))
def test_only_disorder_is_reported(numbers: list[int]) -> None:
    texts = [str(number) for number in numbers]
    values = ordered_values(texts)
    assert values is not None
    assert is_monotone(values) == (numbers in (sorted(numbers), sorted(numbers, reverse=True)))
    assert bool(raised("nbme_lost_sequence", {"options": texts})) != is_monotone(values)


@pytest.mark.parametrize(
    "options",
    [
        ("IV", "IX", "VI"),
        ("Chromosome 21", "Chromosome 7", "Chromosome 13"),
        ("March", "January", "February"),
        ("second", "first", "third"),
        ("more than 10", "less than 5", "5 to 10"),
    ],
)
def test_scales_of_many_kinds(options: tuple[str, ...]) -> None:
    assert raised("nbme_lost_sequence", {"options": options})


@pytest.mark.parametrize(
    "options",
    [("IL-5", "IL-2", "IL-4"), ("5 mg", "2 hours", "3 km"), ("Stage II", "Grade I", "X"), ("a" * 99, "1", "2")],
)
def test_what_has_no_common_scale(options: tuple[str, ...]) -> None:
    assert raised("nbme_lost_sequence", {"options": options}) == []


# -- the same said twice


def test_normal_forms() -> None:
    assert normal_form("The Beta-Blockers.") == normal_form("beta blocker")
    assert normal_form("Anaemia of the newborn") == normal_form("anemia of newborn")
    assert normal_form("Bb") != normal_form("bb")
    assert normal_form("x < 5") != normal_form("x > 5")
    assert normal_form("y" * 999) == "y" * 999


def test_lists_and_abbreviations() -> None:
    assert members("aspirin, heparin and oxygen") == members("Oxygen, aspirin, and heparin")
    assert members("True, False") == frozenset() == members("a and b; c and d")
    assert is_abbreviation("PE", "Pulmonary embolism") and not is_abbreviation("PE", "Pneumonia")
    assert not is_abbreviation("pe", "Pulmonary embolism")


@pytest.mark.parametrize(
    ("options", "severity"),
    [
        (("Less than 5%", "Less than 10%", "20%", "30%"), "error"),
        (("2.5%", "0.025", "1%", "3%"), "error"),
        (("In one direction", "Steadily in one direction", "Not at all"), "warning"),
        (("MI", "Myocardial infarction", "Stroke"), "warning"),
    ],
)
def test_several_right_answers(options: tuple[str, ...], severity: str) -> None:
    findings = raised("nbme_multiple_correct", {"options": options})
    assert [finding.severity for finding in findings] == [severity]


def test_identical_options_are_reported_once_as_structure() -> None:
    options = {"options": ("Aspirin", "Aspirin", "Heparin")}
    assert raised("nbme_multiple_correct", options) == []
    assert len(raised("nbme_single_best_answer", options)) == 1


# -- rationale, metadata, concepts, level


def test_a_bank_without_a_field_is_not_full_of_missing_ones() -> None:
    empty = {"_context": {"carried": frozenset()}, "rationale": "", "metadata": {"bloom_level": ""}}
    assert raised("ext_rationale_completeness", empty) == []
    assert raised("ext_metadata_completeness", empty) == []


def test_an_unexplained_distractor_is_a_warning_and_named() -> None:
    rationale = "Aspirin blocks platelets and lowers mortality; digoxin, furosemide and lidocaine do not."
    findings = raised("ext_rationale_completeness", {"rationale": rationale})
    assert [(f.severity, f.message) for f in findings] == [("warning", "The rationale does not explain E.")]


def test_options_without_words_are_looked_for_as_they_stand() -> None:
    example = {
        "options": ("2.5", "3.5", "4.5"),
        "rationale": "The sum is 2.5; whoever adds wrongly finds 3.5, and whoever doubles it 4.5.",
    }
    assert raised("ext_rationale_completeness", example) == []


def test_every_required_field_is_named() -> None:
    example = {"metadata": {}, "_context": {"required_metadata": ("course_id", "keywords", "reviewer")}}
    fields = [finding.field for finding in raised("ext_metadata_completeness", example)]
    assert fields == ["metadata.course_id", "metadata.keywords", "metadata.reviewer"]
    filled = {"metadata": {"course_id": "c", "keywords": ["k"], "reviewer": 7}, "_context": example["_context"]}
    assert raised("ext_metadata_completeness", filled) == []


@pytest.mark.parametrize("name", ["Remember", "remembering", "3", "C4", "Level 5: Evaluate", "SYNTHESIS", "Analyse"])
def test_levels_in_any_usual_form(name: str) -> None:
    stem = "The drug acts on which receptor?"
    assert raised("ext_bloom_consistency", {"metadata": {"bloom_level": name}, "stem": stem}) == []


def test_concepts_are_found_in_any_field() -> None:
    context = {"concepts": {"c-mi": ("myocardial infarctions",)}}
    example = {
        "metadata": {"concept_ids": ["c-mi"]},
        "rationale": "It is a myocardial infarction.",
        "_context": context,
    }
    assert raised("ext_concept_alignment", example) == []


def test_difficulty_is_only_hinted_at() -> None:
    example = {
        "metadata": {"difficulty": "hard"},
        "stem": "In what year was insulin discovered?",
        "options": ("1", "2", "3"),
    }
    assert [finding.severity for finding in raised("ext_difficulty_calibration", example)] == ["info"]


# -- wording


@pytest.mark.parametrize(
    "stem",
    [
        "Which drug is given first? Choose one.",
        "If x = 2, find the value of x + 3.",
        "The Earth is tilted at an angle of about ... degrees.",
        "Which of these is true?\nI. Fever.\nII. Cough.",
    ],
)
def test_lead_ins_that_are_good_enough(stem: str) -> None:
    assert raised("nbme_lead_in", {"stem": stem}) == []


def test_a_blank_stem_asks_nothing() -> None:
    assert [f.message for f in raised("nbme_lead_in", {"stem": " \n"})] == ["The stem asks nothing."]


@pytest.mark.parametrize(
    ("rule", "stem"),
    [
        ("nbme_ambiguous_information", "The previous question told of a man. Which drug is he given?"),
        ("nbme_ambiguous_information", "Which of the following is sometimes seen in gout?"),
        ("nbme_ambiguous_information", "Members of the board serve between and ten years?"),
        ("nbme_gratuitous_information", "Learning objective: ECG. Which drug is given first?"),
        ("nbme_gratuitous_information", "A man has pain (adapted from Smith 2012). Which drug is given first?"),
        ("nbme_gratuitous_information", "As discussed in class, time is muscle. Which drug is given first?"),
        ("ext_bias_detection", "Like all women, she is late. Which of the following trains can she still catch?"),
        ("ext_bias_detection", "A lady doctor writes a note. Which of the following words is misspelled?"),
    ],
)
def test_more_wording(rule: str, stem: str) -> None:
    assert raised(rule, {"stem": stem})


def test_a_sequential_set_may_point_at_the_question_before() -> None:
    example = {"type": "sequential_set", "stem": "After the previous question, which drug is given next to the man?"}
    assert raised("nbme_ambiguous_information", example) == []


def test_a_passage_names_its_source_and_says_what_it_likes() -> None:
    stem = "“Remember that we are free.” Source: a speech, 1898. Which policy does the passage defend?"
    assert raised("nbme_gratuitous_information", {"stem": stem}) == []


# -- the seed's fixture


def test_a_draft_like_that_of_the_contract() -> None:
    draft = Question.model_validate(
        {
            "id": "draft-1",
            "vignette": "A man is brought in with chest pain.",
            "stem": "Which of these drugs is NOT given for infarction?",
            "options": [
                {"key": key, "text": text}
                for key, text in zip(
                    "ABCDE",
                    ("Always give aspirin", "PCI", "Antibiotics", "Alteplase", "Metoprolol"),
                    strict=True,
                )
            ],
            "correct_answer": "C",
            "rationale": "",
            "metadata": {
                "course_id": "course-1",
                "slo_ids": ["slo-1"],
                "concept_ids": [],
                "bloom_level": "Apply",
                "difficulty": "medium",
                "usmle_system": "Cardiovascular",
                "usmle_discipline": "Internal Medicine",
                "keywords": [],
            },
        }
    )
    carried = frozenset({"vignette", "rationale", *(f"metadata.{name}" for name in draft.metadata.model_fields_set)})
    strict = select(CHECKS.values(), severities={"nbme_absolute_terms": "error"})
    errors = {f.rule for f in KIND.examine(draft, strict, BankContext(carried)).findings if f.severity == "error"}
    assert errors == {"nbme_negation_detection", "nbme_absolute_terms", "ext_rationale_completeness"}


def test_structure_is_fatal_and_speaks_every_language() -> None:
    structure = CHECKS["nbme_single_best_answer"]
    assert structure.fatal and structure.languages == ()
    assert [check.id for check in CHECKS.values() if check.fatal] == ["nbme_single_best_answer"]
