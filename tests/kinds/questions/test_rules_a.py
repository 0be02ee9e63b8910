"""The first fifteen rules: cases beyond their own examples, and what their findings carry."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.checks import Check, run_checks, select
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.option_overlap import combinations
from burnish.kinds.questions.views import example_question

IDS = (
    "nbme_negation_detection",
    "nbme_absolute_terms",
    "nbme_answer_homogeneity",
    "nbme_distractor_plausibility",
    "nbme_stem_clarity",
    "nbme_all_of_the_above",
    "nbme_none_of_the_above",
    "nbme_complex_k_type",
    "nbme_true_false",
    "nbme_fill_in_blank",
    "nbme_longest_answer_correct",
    "nbme_convergence_cues",
    "nbme_word_repeats",
    "nbme_grammatical_cues",
    "nbme_logical_cues",
)


def rule(id: str) -> Check:
    module = import_module(f"burnish.kinds.questions.checks.{id}")
    return next(value for value in vars(module).values() if isinstance(value, Check))


def found(id: str, partial: Mapping[str, Any]) -> list[Finding]:
    check = rule(id)
    question, context = example_question(partial)
    raised = run_checks(select([check]), [check], question, context)
    assert all(finding.rule == id for finding in raised), raised
    return raised


def quotes(id: str, partial: Mapping[str, Any]) -> list[str | None]:
    return [finding.quote for finding in found(id, partial)]


@pytest.mark.parametrize(
    ("stem", "quote"),
    [
        ("Which of the following would NOT be expected?", "NOT"),
        ("Which is the LEAST appropriate next step?", "LEAST appropriate"),
        ("The following are true of asthma except", "except"),
        ("Which vitamin can’t be made by the body?", "can’t"),
        ("Which of these isn't a hormone?", "isn't"),
        ("Which of the following is incorrect regarding asthma?", "incorrect"),
        ("A man has asthma; which drug is unlikely to help?", "unlikely"),
        ("WHICH OF THE FOLLOWING IS NOT A HORMONE?", "NOT"),
        ("Which of the following cannot be treated with aspirin?", "cannot"),
        ("The disease is not caused by which of the following?", "not"),
        ("In which of the following is the pulse not palpable?", "not"),
        ("Which should the nurse not do first?", "not"),
        ("A prokaryotic cell doesn't contain", "doesn't"),
        ("In a vacuum, an object has no", "no"),
        ("Which of the following exposures would change the least?", "the least"),
        ("Which is the exception?", "exception"),
        ("Each of these drugs, other than which one, lowers the pulse?", "other than"),
        ("Which skills that he recommends would be valued LEAST by a painter?", "LEAST"),
        ("Which of the following describes a drug NOT given in gout?", "NOT"),
    ],
)
def test_negation_speaks(stem: str, quote: str) -> None:
    (finding,) = found("nbme_negation_detection", {"stem": stem})
    assert finding.quote == quote and finding.severity == "error"


@pytest.mark.parametrize(
    "stem",
    [
        "Which of the following is the most likely reason that he is not responding?",
        "Which of the following is most likely if she does not take her pills?",
        "Why does aspirin not cause sedation?",
        "What would cause an auditor not to accept an engagement?",
        "What is the cause of the patient not responding to iron?",
        "A design that is not painted but etched into rock is called a:",
        "For all senses except smell, the pathways include the",
        "In a patient who is NOT on insulin, which drug should be given?",
        "Which of the following is equivalent to NOT (A AND B)?",
        "Who argued that a firm that did not affect a public could ignore it?",
        "Uric acid, which is not soluble, causes which of the following?",
        "Because she does not eat meat, she lacks",
        "Which of the following is a false positive?",
        "What is the chance that it will rain tomorrow?",
    ],
)
def test_negation_is_silent(stem: str) -> None:
    assert found("nbme_negation_detection", {"stem": stem}) == []


def test_a_mild_negation_is_a_warning() -> None:
    (finding,) = found("nbme_negation_detection", {"stem": "Which finding is inconsistent with this diagnosis?"})
    assert finding.severity == "warning"


def test_negation_is_looked_for_in_the_lead_in_only() -> None:
    stem = "She is not febrile and has no rash except on the arms. Which of the following is the cause?"
    assert found("nbme_negation_detection", {"stem": stem, "vignette": "Do NOT resuscitate."}) == []


def test_absolute_terms_are_quoted_in_each_option() -> None:
    options = ("It always heals", "It heals slowly", "It never heals", "It spreads")
    findings = found("nbme_absolute_terms", {"options": options})
    assert [(f.field, f.quote, f.severity) for f in findings] == [
        ("options.A", "always", "warning"),
        ("options.C", "never", "warning"),
    ]


@pytest.mark.parametrize(
    "text",
    ["ALL with fever", "Rest at all times", "Nearly all adults", "Only 13% of adults", "If only rarely", "No change"],
)
def test_absolute_terms_pass_over(text: str) -> None:
    assert found("nbme_absolute_terms", {"options": (text, "Rest", "Aspirin", "Heparin")}) == []


@pytest.mark.parametrize(
    "text",
    ["all of the above are true.", "Any of these", "Both options are correct", "To do all the things listed above"],
)
def test_all_of_the_above(text: str) -> None:
    assert quotes("nbme_all_of_the_above", {"options": ("Rest", "Aspirin", "Heparin", text)}) == [text]


@pytest.mark.parametrize("text", ["none of these.", "None, all are equal", "Neither (A) nor (B)", "Something else"])
def test_none_of_the_above(text: str) -> None:
    assert quotes("nbme_none_of_the_above", {"options": ("Rest", "Aspirin", "Heparin", text)}) == [text]


def test_all_of_the_above_by_letters_is_no_k_type() -> None:
    options = ("Rest", "Aspirin", "Heparin", "A, B, and C")
    assert quotes("nbme_all_of_the_above", {"options": options}) == ["A, B, and C"]
    assert found("nbme_complex_k_type", {"options": options}) == []


def test_combined_options_are_one_finding() -> None:
    (finding,) = found("nbme_complex_k_type", {"options": ("I only", "II only", "I and II", "I, II, and III")})
    assert finding.field == "options" and finding.quote is None and "'I and II'" in finding.message
    (finding,) = found("nbme_complex_k_type", {"options": ("Rest", "Aspirin", "A and B only", "Heparin")})
    assert (finding.field, finding.quote) == ("options.C", "A and B only")


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        (("I & II", "I only", "II only"), [("I", "II"), ("I",), ("II",)]),
        (("1 and 2", "2 and 3", "4"), [("1", "2"), ("2", "3")]),
        (("A and A", "Aspirin", "Heparin"), []),
        (("A and O", "AB", "B and O"), []),
        (("2 3", "3 2", "1 1"), []),
        (("I", "II", "III"), []),
        (("A and B", "A and C", "B and C"), [("A", "B"), ("A", "C"), ("B", "C")]),
        (("A, B", "A, C", "B, C"), []),
        (("x" * 100, "A and 1", "Aspirin"), []),
    ],
)
def test_combinations(options: tuple[str, ...], labels: list[tuple[str, ...]]) -> None:
    question, _ = example_question({"options": options})
    assert [combination.labels for combination in combinations(question)] == labels


def test_true_false_is_softer_where_a_case_narrows_it_down() -> None:
    options = ("It is inherited", "It is common", "It can be cured", "It has no symptoms")
    stem = "A man has a rash. His sister has it too. Which of the following is true of it?"
    assert [f.severity for f in found("nbme_true_false", {"stem": stem, "options": options})] == ["warning"]
    bare = {"stem": "Which of the following is true of scabies?", "options": options}
    (finding,) = found("nbme_true_false", bare)
    assert finding.severity == "error" and finding.quote == "Which of the following is true"


@pytest.mark.parametrize(("options", "speaks"), [(("Yes", "No"), True), (("Yes", "No", "Rarely"), False)])
def test_yes_and_no_are_verdicts_if_they_are_all(options: tuple[str, ...], speaks: bool) -> None:
    assert bool(found("nbme_true_false", {"options": options})) is speaks


def test_many_blanks_are_one_finding() -> None:
    assert quotes("nbme_fill_in_blank", {"stem": "The ___ of the ___ is ___ and blue."}) == ["___"]


@pytest.mark.parametrize(
    ("stem", "says"),
    [
        ("  ", "is empty"),
        ("Heart failure", "only a topic"),
        ("Choose the best answer.", "what the question is about"),
        ("A man has gout. Which of the following", "breaks off"),
        ("GDP is calculated for each by", "lost"),
        ("A 45-year-old man has chest pain. He smokes. He is pale.", "asks nothing"),
        ("As discussed in class, enzymes are made of", "not there"),
        ("Your answer to question 3 changes if the price is", "not there"),
    ],
)
def test_stem_clarity(stem: str, says: str) -> None:
    (finding,) = found("nbme_stem_clarity", {"stem": stem})
    assert says in finding.message or says in finding.message.lower()
    assert finding.severity == ("error" if says == "is empty" else "warning")


def test_a_bare_topic_is_an_error_where_each_option_says_something_else_about_it() -> None:
    options = ("occur rarely", "are predictable ups and downs", "refer to reuse", "can be avoided by law")
    (finding,) = found("nbme_stem_clarity", {"stem": "Business cycles", "options": options})
    assert finding.severity == "error"
    named = ("Recessions", "Booms", "Budgets", "Tariffs")
    (finding,) = found("nbme_stem_clarity", {"stem": "Business cycles", "options": named})
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "partial",
    [
        {"stem": "This enzyme turns angiotensin I into angiotensin II in the lung and elsewhere."},
        {"stem": "Two statements. The sky is blue.", "options": ("True, True", "True, False", "False, True")},
        {"stem": "Which zone marked in the picture is ill?", "options": ("1 only", "2 only", "1 and 2")},
        {"stem": "See the chart below.\n1990 5%\n2000 7%\n2010 9%\nWhich year had the highest rate?"},
        {"stem": "Which bar in the graph above ![bars](bars.png) is the highest?"},
        {"stem": "Corazón humano", "language": "es"},
    ],
)
def test_stem_clarity_is_silent(partial: dict[str, Any]) -> None:
    assert found("nbme_stem_clarity", partial) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  ", "empty"),
        ("N/A", "placeholder"),
        ("lorem ipsum dolor", "placeholder"),
        ("—", "says nothing"),
        ("Heparin (wrong)", "wrong"),
        ("This is not the answer", "wrong"),
        ("Unicorn horn", "out of place"),
        ("No idea", "no answer"),
        ("Laugh at him", "no serious answer"),
        ("Pizza", "out of place"),
    ],
)
def test_distractor_plausibility(text: str, says: str) -> None:
    stem = "Which drug should this patient be given?"
    (finding,) = found(
        "nbme_distractor_plausibility", {"stem": stem, "options": ("Aspirin", text, "Heparin", "Oxygen")}
    )
    assert says in finding.message and finding.field == "options.B"


def test_jokes_are_known_in_english_only_and_not_where_the_stem_speaks_of_them() -> None:
    partial = {"stem": "Which drug should the patient get?", "options": ("Aspirin", "Voodoo", "Heparin", "Oxygen")}
    assert found("nbme_distractor_plausibility", partial)
    assert found("nbme_distractor_plausibility", {**partial, "language": "es"}) == []
    stem = "Whom do patients who believe in voodoo turn to?"
    assert found("nbme_distractor_plausibility", {**partial, "stem": stem}) == []


def test_a_key_is_no_distractor() -> None:
    options = ("", "Aspirin", "Heparin", "Oxygen")
    assert found("nbme_distractor_plausibility", {"options": options}) == []


def test_absurd_things_in_company_are_a_subject() -> None:
    stem = "Which should the patient avoid?"
    assert found("nbme_distractor_plausibility", {"stem": stem, "options": ("Rice", "Pizza", "Banana", "Fish")}) == []


@pytest.mark.parametrize(
    ("options", "field", "says"),
    [
        (("Rest", "Aspirin", "Surgical resection of the whole mass", "Heparin"), "options.C", "longer"),
        (("$2.69", "$2.87", "$3.00", "3.2"), "options.D", "unit"),
        (("Aspirin daily", "Rest in bed", "7", "Heparin now"), "options.C", "is a number"),
        (("To reduce pain", "Reducing fever", "To prevent stroke", "To improve sleep"), "options", "verb"),
    ],
)
def test_homogeneity(options: tuple[str, ...], field: str, says: str) -> None:
    (finding,) = found("nbme_answer_homogeneity", {"options": options})
    assert finding.field == field and says in finding.message


@pytest.mark.parametrize(
    "options",
    [
        ("Rest", "Aspirin"),
        ("5 mg", "10 mg", "20 mg", "0"),
        ("Surgical resection of the whole mass", "Rest", "Aspirin", "Heparin"),
        ("12", "15", "x + 1", "20"),
        ("It moves to the left of the mark", "It moves to the right of the mark", "It stays near the mark", "A and B"),
    ],
)
def test_homogeneity_is_silent(options: tuple[str, ...]) -> None:
    assert found("nbme_answer_homogeneity", {"options": options}) == []


def test_article_has_a_safe_fix_that_settles_it() -> None:
    partial = {"stem": "The patient has an", "options": ("abscess", "fracture", "ulcer", "burn")}
    (finding,) = found("nbme_grammatical_cues", partial)
    assert finding.quote == "an" and "B, D" in finding.message
    assert finding.fix == Edit("example", "stem", "The patient has an", "The patient has a(n)")
    assert found("nbme_grammatical_cues", {**partial, "stem": "The patient has a(n)"}) == []


@pytest.mark.parametrize(
    ("stem", "options", "quote"),
    [
        ("A ____ is a small tube.", ("artery", "vein", "nerve"), "A"),
        ("The object is a", ("stack", "queue", "array", "heap"), "a"),
        ("The best test is an", ("X-ray", "ECG", "biopsy"), "an"),
        ("He waited an", ("hour", "week", "8-hour day"), "an"),
        ("The drug can", ("reduce pain", "inhibits growth"), "can"),
    ],
)
def test_grammatical_cues(stem: str, options: tuple[str, ...], quote: str) -> None:
    assert quotes("nbme_grammatical_cues", {"stem": stem, "options": options}) == [quote]


@pytest.mark.parametrize(
    ("stem", "options"),
    [
        ("This is a/an", ("abscess", "fracture", "ulcer")),
        ("A ____ is a ____.", ("vein, tube", "artery, tube")),
        ("It is rich in vitamin A", ("abscess", "fracture", "ulcer")),
        ("The classes were", ("an urban set", "too diverse", "often poor")),
        ("The object is a", ("stack", "queue", "all of these")),
        ("The drug works by", ("Aspirin", "Heparin", "Oxygen")),
        ("See the end of it.", ("abscess", "fracture", "ulcer")),
        ("?", ("abscess", "fracture", "ulcer")),
        ("Only one option follows to", ("reduce",)),
    ],
)
def test_grammatical_cues_are_silent(stem: str, options: tuple[str, ...]) -> None:
    assert found("nbme_grammatical_cues", {"stem": stem, "options": options}) == []


def test_an_article_that_stands_twice_has_no_fix() -> None:
    stem = "an an"
    (finding,) = found("nbme_grammatical_cues", {"stem": stem, "options": ("abscess", "burn")})
    assert finding.fix is not None and finding.fix.find == "an an"


def test_word_repeats_reads_a_long_case_for_rare_words_and_quotes_only() -> None:
    filler = " ".join(f"word{chr(97 + i)}{chr(97 + j)}" for i in range(8) for j in range(8))
    options = ("Gallbladder cancer", "Pancreatitis", "Hepatitis", "Colitis")
    stem = f"{filler}. A mass is near the gallbladder. Which of the following is it?"
    assert quotes("nbme_word_repeats", {"stem": stem, "options": options}) == ["Gallbladder"]
    kidney = ("Kidney cancer", "Pancreatitis", "Hepatitis", "Colitis")
    stem = f"{filler}. A mass is near the kidney. Which of the following is it?"
    assert found("nbme_word_repeats", {"stem": stem, "options": kidney}) == []
    stem = f"{filler}. He says, “My kidney hurts.” Which of the following is it?"
    assert quotes("nbme_word_repeats", {"stem": stem, "options": kidney}) == ["Kidney"]


def test_word_repeats_reads_a_vignette() -> None:
    partial = {"vignette": "A man dreams of drowning.", "stem": "Which is it?", "options": ("Drowned", "Lost", "Burnt")}
    assert quotes("nbme_word_repeats", partial) == ["Drowned"]


@pytest.mark.parametrize(
    "id", ["nbme_longest_answer_correct", "nbme_word_repeats", "nbme_convergence_cues", "nbme_logical_cues"]
)
def test_cues_need_a_key(id: str) -> None:
    options = ("Gallbladder cancer of the oldest and most dangerous kind", "It rises", "It falls", "Colitis")
    assert found(id, {"options": options, "correct_answer": "Z"}) == []


TEXT = st.text(alphabet=st.sampled_from("abcINOTA not an the which of is 12,.?:;()_-\n\"'éж"), max_size=80)
VOCABULARY = """
    which of the following is not except all none above A and B only I II 1 2 true false a an to by increase decrease
    hypo hyper always never ___ ... $ 5 mg % unicorn asdf patient? stated. least
"""
WORDS = st.lists(st.sampled_from(VOCABULARY.split()), max_size=12).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(stem=TEXT | WORDS, options=st.lists(TEXT | WORDS, max_size=6), key=st.sampled_from("ABCZ"), vignette=WORDS)
def test_any_text_is_judged_without_a_crash(stem: str, options: list[str], key: str, vignette: str) -> None:
    partial = {"stem": stem, "options": options, "correct_answer": key, "vignette": vignette}
    question: Question = example_question(partial)[0]
    for id in IDS:
        for finding in found(id, partial):
            if finding.quote is not None:
                assert question.texts()[finding.field][finding.start : finding.end] == finding.quote
