"""LEGOs from Python: a language course, from its sentence pairs to the phrases that learners are taught.

burnish.legos.import_pairs("pairs.tsv", "mkd_for_eng", "course")
result = await burnish.legos.extract("course")                      # the built-in extractor, no model
result = await burnish.legos.extract("course", model="openai:gpt-5-mini", run_id="by-model")
burnish.legos.report("course")["quality_report"]["quality_summary"]
burnish.legos.score("I want to go.", "Сакам да одам.", [("I want to go", "Сакам да одам")], "mkd_for_eng")

with burnish.legos.open_records(Path("course")) as records:         # the same for files and for SQLite
    for translation in records.translations():
        records.legos(of=translation["uuid"])
"""

from burnish.app.legos.calls import extract, import_pairs, report, score
from burnish.store.records import CourseRecords, open_records

__all__ = ["CourseRecords", "extract", "import_pairs", "open_records", "report", "score"]
