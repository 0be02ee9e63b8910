"""The standing table that the package ships."""

from burnish.app.kinds import known_kinds
from burnish.core.claims import Evidence
from burnish.text.standing import COLUMNS, standings, table


def test_every_row_is_about_a_rule_of_its_kind():
    seen = 0
    for name, kind in known_kinds().items():
        rules = {check.id for check in kind.checks}
        for rule, language in standings(name).evidence:
            seen += 1
            assert rule in rules
            assert len(language) == 2
    assert seen > 0


def test_a_rule_that_nobody_labelled_is_doubtful():
    assert standings("questions").of("nbme_negation_detection", "en").standing == "trusted"
    assert standings("questions").of("nbme_negation_detection", "de") == Evidence(0, 0)
    assert standings("lessons").of("nbme_negation_detection", "en").standing == "doubtful"


def test_the_table_is_written_sorted():
    written = table([("questions", "b", "en", 1, 2), ("lessons", "a", "en", 3, 3)])
    assert written.splitlines() == ["\t".join(COLUMNS), "lessons\ta\ten\t3\t3", "questions\tb\ten\t1\t2"]
