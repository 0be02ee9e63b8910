"""SEEDs for tests of scores and reviews, cut by hand."""

from burnish.kinds.legos.model import Lego, Seed, found_near
from burnish.kinds.legos.placement import Extraction
from burnish.languages.profiles import LanguageProfile, profile_of


def english() -> LanguageProfile:
    found = profile_of("en")
    assert found is not None
    return found


def lego_in(source: str, target: str, halves: tuple[str, str], near: int = 0) -> Lego:
    """A LEGO, wherever its halves stand; nowhere where they do not."""
    start, target_start = found_near(source, halves[0], near), found_near(target, halves[1], 0)
    end = start + len(halves[0]) if start >= 0 else -1
    target_end = target_start + len(halves[1]) if target_start >= 0 else -1
    return Lego(*halves, start, end, target_start, target_end)


def cut(source: str, *parts: str, id: str = "C0005") -> Seed:
    """A SEED whose two sentences are the same, cut into parts from left to right."""
    legos, near = [], 0
    for part in parts:
        legos.append(lego_in(source, source, (part, part), near))
        near = max(near, legos[-1].start + 1)
    return Seed(id, "0" * 32, source, source, "eng_for_eng", tuple(legos))


def extraction(source: str, *parts: str) -> Extraction:
    return Extraction.of(cut(source, *parts), english())
