"""A repair that can change which option is right, and that no second model solved: a person sees both versions."""

from __future__ import annotations

from contextlib import closing
from importlib.resources import files
from pathlib import Path

from burnish.cli.main import main
from tests.web.paper import form, send, words
from tests.workbench import workbench

SAMPLES = Path(str(files("burnish") / "samples"))


def test_both_versions_stand_side_by_side_and_the_repair_can_be_accepted(tmp_path: Path) -> None:
    bank, model = SAMPLES / "biology.json", f"scripted:{SAMPLES / 'biology_model.json'}"
    runs = tmp_path / "runs"
    assert main(["polish", str(bank), "--model", model, "--run-id", "one", "--runs", str(runs), "--no-color"]) == 3
    with workbench(runs) as server, closing(server.browser("Robin Ito")) as robin:
        page = robin.get("/queue?run=one&unit=bio-002").text
        said = words(page)
        assert "no other model has solved the question since" in said
        now, _, proposed = said.partition("Proposed")
        assert "Now" in now and now.count("Pumping blood key") == 1 and proposed.count("Pumping blood key") == 1
        assert "of the heart rather than" in proposed and "of the heart rather than" not in now
        after = words(send(robin, form(page, "/queue/decide", verdict="accept"), verdict="accept").text)
        assert "Accepted bio-002" in after
        assert "validated" in words(robin.get("/runs/one/units/bio-002").text)
