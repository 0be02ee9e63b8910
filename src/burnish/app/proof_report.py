"""The report of a proof: a record for programs and the web page, and lines for a terminal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from burnish.app.labels import about, counted, rule_name
from burnish.app.proof_copies import Case
from burnish.app.prove import Alarm, Proof, Seen, detector_of, model_label
from burnish.app.terminal import Role, Screen
from burnish.core.claims import wilson
from burnish.core.damage import Damage
from burnish.core.documents import Unit
from burnish.core.kinds import Kind

AROUND = 160
"""Characters shown on either side of a damage."""
MOST_SHOWN = 5
"""Alarms, fixes and missed copies that the terminal shows; --json and --html have them all."""
LONGEST_SHOWN, AROUND_SHOWN = 200, 40
"""Characters of a missed copy in the terminal, and of the text around them."""
GOOD, POOR = 0.9, 0.5
"""Shares from which a figure is green, and below which it is red."""


def record_of(proof: Proof) -> dict[str, Any]:
    """The proof as data."""
    by_damage: defaultdict[str, list[Seen]] = defaultdict(list)
    for seen in proof.seen:
        by_damage[seen.case.damage.id].append(seen)
    lines = [_line(damage, by_damage[damage.id]) for damage in proof.damages if by_damage[damage.id]]
    formal = [seen for seen in proof.seen if not seen.case.damage.is_meaning]
    meant = [seen for seen in proof.seen if seen.case.damage.is_meaning]
    found = Counter(by for seen in proof.seen for by in seen.detectors)
    titles = {check.id: check.title for check in proof.kind.checks}
    titles |= {rule.id: rule.title for rule in proof.kind.document_rules}
    order = sorted(found, key=lambda id: (-found[id], id))  # those with most catches first
    totals = proof.totals
    used = totals and {"calls": totals.calls, "tokens": totals.usage.total_tokens, "cost": totals.usage.cost}
    return {
        "kind": proof.kind.name,
        "noun": proof.kind.noun,
        "documents": [document.name for document in proof.documents],
        "units": proof.units,
        "rules": proof.rules,
        "copies": len(proof.seen),
        "of_form": _share(formal),
        "of_meaning": _share(meant),
        "damages": lines,
        "without_a_place": [damage.id for damage in proof.damages if not by_damage[damage.id]],
        "detectors": [{"id": id, "title": titles.get(id, _spelt(id))} for id in order],
        "originals": {
            "damaged": proof.units - proof.skipped,
            "with_errors": _affected(proof.alarms, proof.units),
            "alarms": [_alarm(proof.kind, alarm) for alarm in proof.alarms],
            "warnings": proof.warnings,
            "with_fixes": _affected(proof.fixes, proof.units),
            "fixes": [_alarm(proof.kind, alarm) for alarm in proof.fixes],
        },
        "missed": [_missed(proof.kind, seen) for seen in proof.seen if not seen.findings],
        "hidden": [_missed(proof.kind, seen) for seen in proof.seen if seen.fix == "hidden"],
        "models": [model_label(model) for model in proof.judges],
        "not_judged": proof.unheard,
        "usage": used,
        "stopped": proof.stopped,
        "message": proof.message,
    }


def _line(damage: Damage, seen: Sequence[Seen]) -> dict[str, Any]:
    halves = {half: [one for one in seen if one.case.phrase is not None and one.case.phrase.half == half]
              for half in ("open", "held_out")}  # fmt: skip
    return {
        "id": damage.id,
        "title": damage.title,
        "is_meaning": damage.is_meaning,
        **_share(seen),
        "halves": {half: _share(some) for half, some in halves.items() if some},
        "by": dict(
            sorted(Counter(by for one in seen for by in one.detectors).items(), key=lambda one: (-one[1], one[0]))
        ),
        "mended": sum(one.fix == "mended" for one in seen),
        "hidden": sum(one.fix == "hidden" for one in seen),
    }


def _share(seen: Sequence[Seen]) -> dict[str, Any]:
    """How many copies were caught. A phrase counts once in the interval, even if it was tried in several places."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for one in seen:
        phrase = one.case.phrase
        groups[f"{one.case.damage.id}:{phrase.text if phrase is not None else one.case.key}"].append(bool(one.findings))
    right = sum(sum(hits) / len(hits) for hits in groups.values())
    low, high = wilson(right, len(groups))
    return {
        "copies": len(seen),
        "caught": sum(bool(one.findings) for one in seen),
        "unique": len(groups),
        "share": right / len(groups) if groups else None,
        "low": low,
        "high": high,
    }


def _affected(alarms: Sequence[Alarm], units: int) -> dict[str, Any]:
    """How many originals have a finding or a fix, with its 95 % interval."""
    count = len({(alarm.document, alarm.finding.unit) for alarm in alarms})
    low, high = wilson(count, units)
    return {"units": count, "share": count / units if units else None, "low": low, "high": high}


def _spelt(id: str) -> str:
    """An id without a title as words; the name of a model is unchanged."""
    return id if ":" in id else id.replace("_", " ").capitalize()


def _alarm(kind: Kind, alarm: Alarm) -> dict[str, Any]:
    finding = alarm.finding
    return {
        "document": alarm.document,
        "unit": finding.unit,
        "by": detector_of(finding),
        "title": name if (name := rule_name(kind, finding.rule)) != finding.rule else _spelt(name),
        "severity": finding.severity,
        "message": finding.message,
        **({"before": alarm.before, "after": alarm.after} if alarm.before else {}),
    }


def _missed(kind: Kind, seen: Seen) -> dict[str, Any]:
    """A case side by side: the sound text and the damaged one, around the place."""
    case = seen.case
    original = next(unit for unit in case.originals if unit.id == case.unit)
    before, after = excerpts(_text(kind, original, case), _text(kind, case.damaged.units[0], case))
    return {
        "damage": case.damage.id,
        "title": case.damage.title,
        "document": case.document.name,
        "unit": case.unit,
        "half": case.phrase.half if case.phrase is not None else None,
        "phrase": case.phrase.text if case.phrase is not None else None,
        "judged": seen.judged,
        "before": before,
        "after": after,
    }


def _text(kind: Kind, unit: Unit, case: Case) -> str:
    texts, field = unit.texts(), case.damaged.field
    is_shown = kind.shown(case.damaged.units[0]) != kind.shown(next(one for one in case.originals if one.id == unit.id))
    return texts[field] if field in texts and (kind.name != "questions" or not is_shown) else kind.shown(unit)


def excerpts(before: str, after: str) -> tuple[list[str], list[str]]:
    """Both texts in three parts: the same text before the damage, the difference, the same text after it."""
    start = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = _between_words(before, after, start)
    most = min(len(before), len(after)) - start
    same = (n for n in range(most) if before[len(before) - 1 - n] != after[len(after) - 1 - n])
    end = _between_words(before[::-1], after[::-1], next(same, most))
    return _parts(before, start, len(before) - end), _parts(after, start, len(after) - end)


def _between_words(before: str, after: str, place: int) -> int:
    """The place, moved to the beginning of its word: half a word is hard to read."""
    while place and any(text[place - 1 : place + 1].isalnum() and len(text) > place for text in (before, after)):
        place -= 1
    return place


def _parts(text: str, start: int, end: int) -> list[str]:
    first, last = max(0, start - AROUND), end + AROUND
    middle = text[start:end]
    if len(middle) > 3 * AROUND:
        middle = f"{middle[:AROUND]} … {middle[-AROUND:]}"
    return [f"{'…' * (first > 0)}{text[first:start]}", middle, f"{text[end:last]}{'…' * (last < len(text))}"]


# -- for a terminal


def print_proof(record: Mapping[str, Any], screen: Screen) -> None:
    """Print the proof."""
    screen.line(("strong", headline(record)))
    screen.paragraph(verdict(record), indent="")
    lines = sorted(record["damages"], key=lambda line: -line["share"])
    titles = titles_of(record)
    for title, is_meaning in (("Damage to the form", False), ("Damage to the meaning", True)):
        _tell_damages(title, [line for line in lines if line["is_meaning"] == is_meaning], titles, screen)
    if not record["models"] and any(line["is_meaning"] for line in lines):
        screen.line(("faint", "  Rules see form. Name --judges to have the meaning looked at."))
    _tell_originals(record, screen)
    _tell_missed(record, screen)
    screen.gap()
    screen.line(("faint", cost(record)))


def headline(record: Mapping[str, Any]) -> str:
    names = record["documents"]
    what = names[0] if len(names) == 1 else f"{len(names):,} documents"
    units, kinds = counted(record["units"], record["noun"]), counted(len(record["damages"]), "kind")
    return f"{what}: {units}, {_copies(record['copies'])} with {kinds} of damage"


def _copies(count: int) -> str:
    return "1 copy" if count == 1 else f"{count:,} copies"


def verdict(record: Mapping[str, Any]) -> str:
    """The main figures in one sentence."""
    who = "Rules and judges" if record["models"] else "The rules"
    form, meaning = record["of_form"], record["of_meaning"]
    shares = (("form", form), ("meaning", meaning))
    seen = [f"{percent(one['share'])} of the damage to the {name}" for name, one in shares if one["copies"]]
    if not seen:
        return "No damage of this kind can be put into these documents."
    originals = record["originals"]
    quiet = alarmed(record) if originals["alarms"] else "no sound text has an error"
    unheard = f" {_copies(record['not_judged'])} were not read by judges." if record["not_judged"] else ""
    return f"{who} see {' and '.join(seen)}; {quiet}.{unheard}"


def alarmed(record: Mapping[str, Any]) -> str:
    """How many originals have an error."""
    found = record["originals"]["with_errors"]
    has = "has" if found["units"] == 1 else "have"
    return f"{found['units']:,} of {counted(record['units'], record['noun'])} {has} an error already"


def quiet_originals(record: Mapping[str, Any]) -> str:
    """A sentence for originals without errors, with the interval."""
    originals, units = record["originals"], counted(record["units"], record["noun"])
    return (
        f"No false alarm in {units} (95 % interval {interval_of(originals['with_errors'])}); "
        f"{counted(originals['warnings'], 'warning')}."
    )


def alarms_explained(record: Mapping[str, Any]) -> str:
    """How many originals have an error, with the interval and the consequence."""
    found = record["originals"]["with_errors"]
    share = f"{percent(found['share'])}, 95 % interval {interval_of(found)}"
    return f"{alarmed(record)} ({share}), so nothing was damaged there. If the text is sound, the alarm is false:"


def fixes_explained(record: Mapping[str, Any]) -> str:
    """How many originals safe fixes would change."""
    found = record["originals"]["with_fixes"]
    changed = f"{found['units']:,} of {counted(record['units'], record['noun'])}"
    return f"Safe fixes would change {changed} ({percent(found['share'])}, 95 % interval {interval_of(found)}):"


def interval_of(share: Mapping[str, Any]) -> str:
    return f"{share['low'] * 100:.0f}-{share['high'] * 100:.0f} %"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _role(share: float) -> Role:
    return "good" if share >= GOOD else "error" if share < POOR else "warning"


def titles_of(record: Mapping[str, Any]) -> dict[str, str]:
    """Rule or model -> its title."""
    return {one["id"]: one["title"] for one in record["detectors"]}


def seen_by(line: Mapping[str, Any], titles: Mapping[str, str], most: int) -> str:
    """Who caught a damage, and how often, the most frequent first."""
    named = [f"{titles[id]} {count}" for id, count in line["by"].items()]
    more = len(named) - most
    return ", ".join(named[:most]) + (f" and {more} other{'s' * (more > 1)}" if more > 0 else "")


def _tell_damages(title: str, rows: Sequence[Mapping[str, Any]], titles: Mapping[str, str], screen: Screen) -> None:
    if not rows:
        return
    screen.gap()
    screen.line(("strong", f"{title:<36}"), ("faint", f"{'caught':>12} {'share':>6}  {'95 %':>8}  seen by"))
    for row in rows:
        head = f"  {row['title']:<34}{row['caught']:>5} of {row['copies']:>3} "
        share, interval = f"{percent(row['share']):>6}", f"  {row['low'] * 100:>3.0f}-{row['high'] * 100:<3.0f}  "
        room = screen.width - len(head) - len(share) - len(interval)
        fitting = (text for most in (2, 1) if len(text := seen_by(row, titles, most)) <= room)
        by = next(fitting, seen_by(row, titles, 1)) or "nobody"
        screen.line(head, (_role(row["share"]), share), ("faint", interval), by)


def _tell_originals(record: Mapping[str, Any], screen: Screen) -> None:
    originals = record["originals"]
    screen.gap()
    screen.line(("strong", "The originals"))
    if originals["alarms"]:
        screen.paragraph(alarms_explained(record), indent="  ", first=("  ",))
        _tell_some(originals["alarms"], lambda one: f"{one['title']}: {one['message']}", screen)
    else:
        screen.line(f"  {quiet_originals(record)}")
    if originals["fixes"]:
        screen.line(f"  {fixes_explained(record)}")
        _tell_some(originals["fixes"], lambda one: f"{one['before']!r} becomes {one['after']!r}", screen)
    mended, hidden = (sum(line[name] for line in record["damages"]) for name in ("mended", "hidden"))
    effect = f"mend {_copies(mended)} and hide the damage in {hidden:,}"
    screen.line("  On the copies safe fixes ", effect if mended or hidden else "change nothing", ".")


def _tell_some(found: Sequence[Mapping[str, Any]], text: Callable[[Mapping[str, Any]], str], screen: Screen) -> None:
    for one in found[:MOST_SHOWN]:
        screen.paragraph(text(one), indent="      ", first=(f"    {one['unit']}  ",))
    if len(found) > MOST_SHOWN:
        screen.line(("faint", f"    and {len(found) - MOST_SHOWN:,} more"))


def _tell_missed(record: Mapping[str, Any], screen: Screen) -> None:
    missed = record["missed"]
    if not missed:
        return
    screen.gap()
    screen.line(("strong", f"Missed: {len(missed):,} of {record['copies']:,}"))
    first = {one["damage"]: one for one in reversed(missed)}
    worst = sorted(record["damages"], key=lambda line: line["share"])
    for one in [first[line["id"]] for line in worst if line["id"] in first][:MOST_SHOWN]:
        screen.paragraph(_in_short(one), indent="      ", first=("  ", ("faint", f"{one['title']}, {one['unit']}: ")))
    screen.line(("faint", "  --html FILE shows all of them side by side."))


def _in_short(missed: Mapping[str, Any]) -> str:
    """The phrase that was put in, or the changed words in brackets with a few words around them."""
    if missed["phrase"] is not None and missed["phrase"] in "".join(missed["after"]):
        return str(missed["phrase"])[:LONGEST_SHOWN]
    new, gone = (" ".join(missed[side][1].strip().partition("\n")[0].split()) for side in ("after", "before"))
    lead, trail = missed["after"][0].rpartition("\n")[2], missed["after"][2].partition("\n")[0]
    if len(lead) > AROUND_SHOWN:
        lead = lead[-AROUND_SHOWN:].partition(" ")[2]
    if len(trail) > AROUND_SHOWN:
        trail = trail[:AROUND_SHOWN].rpartition(" ")[0]
    changed = f"[{new[:LONGEST_SHOWN]}]" if new else f"[without {gone[:LONGEST_SHOWN]!r}]"
    return " ".join(filter(None, (lead.strip(), changed, trail.strip())))


def cost(record: Mapping[str, Any]) -> str:
    usage = record["usage"]
    rules = f"{counted(record['rules'], 'rule')}. " if record["rules"] else ""
    if usage is None:
        return f"{rules}No model was asked; it cost nothing."
    money = f", {about(usage['cost'])}" if usage["cost"] is not None else ""
    calls = f"{counted(usage['calls'], 'call')}, {counted(usage['tokens'], 'token')}{money}"
    return f"{rules}{', '.join(record['models'])}: {calls}."
