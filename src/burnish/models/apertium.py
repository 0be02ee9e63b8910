"""Apertium: rule-based translation, if Debian's package is installed. No model, no tokens.

Texts go through one process, each followed by a NUL, and Apertium answers them one by one, so texts cannot mix. Code,
addresses, placeholders and Markdown marks are sent as numbered blanks (`[7]`), which Apertium copies to its output. If
a blank is missing, doubled or out of order, the text is translated again, piece by piece between its blanks.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from burnish.core.edits import parts
from burnish.core.errors import ModelFailed, UsageError

PROGRAM = "apertium"
PAIR = re.compile(r"[A-Za-z]{2,8}(?:_[A-Za-z0-9]+)*-[A-Za-z]{2,8}(?:_[A-Za-z0-9]+)*")
BATCH_CHARACTERS, BATCH_TEXTS = 200_000, 1_000
"""Limits for one process: it starts in a tenth of a second, and a failure does not cost the whole book."""
SECONDS, SECONDS_PER_CHARACTER = 60.0, 0.002
"""Time limit for one process; it needs about a hundredth of that."""
MARKS = re.compile(
    r"""\]\[[^\[\]\n]{0,200}\] | \[\^[^\]\s]{1,60}\] | !?\[ | \]\(? | [*_~]+ | [`|\\#<>^]+ | &\#?\w{1,30};
    | [\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+ | (?<!\S)[-:|]{3,} | [ \t]*\n\s*""",
    re.VERBOSE,
)
"""Markdown's marks, e-mail addresses, and line ends."""
SPECIAL = re.compile(r"[\\^$/<>{}*@#+~\[\]]")
"""Apertium's own marks, which must be escaped in a text."""
TOKEN = re.compile(r"\\(?P<sign>.)|\[(?P<number>\d*)\]", re.DOTALL)
ENDED = re.compile(r"[.!?…:;。！？؟][\"'”’»)\]]*\s*$")
ADDED_STOP = re.compile(r"\s*\.\s*$")
WIDE_BLANK = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
BLANK_BEFORE_MARK = re.compile(r"(?<=\w)[ \t]+(?=[.,;:!?](?:\s|$))")
BLANK_AFTER = re.compile(r"\[(?P<number>\d+)\][ \t]+")
CLOSING = re.compile(r"\s*\)")
LETTER = re.compile(r"[^\W\d_]")

APERTIUM = "apertium:"
"""Prefix of a translator's name that is a language pair of Apertium."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A text in the form that Apertium reads."""

    stream: str
    blanks: tuple[str, ...]
    """The text behind each numbered blank."""
    stopped: bool
    """A full stop was added, so that a title is not taken for half a sentence."""


class Apertium:
    """One direction of translation, such as `eng-spa`."""

    def __init__(self, pair: str) -> None:
        """Raise UsageError if Apertium or this direction is not installed, before the run begins."""
        self.pair = pair
        program = shutil.which(PROGRAM)
        if not PAIR.fullmatch(pair):
            raise UsageError(f"{pair[:60]!r} is not a direction of Apertium.", hint="Directions look like eng-spa.")
        if program is None:
            raise UsageError(
                "Apertium is not installed.",
                hint=f"apt install apertium apertium-{pair}, or choose another --translator.",
            )
        self._program = program
        directions = installed(program)
        if pair not in directions:
            raise UsageError(
                f"Apertium has no direction {pair} on this machine.",
                hint=f"Installed: {', '.join(directions) or 'none'}. Others: apt install apertium-{pair}.",
            )

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Return each text's translation, in the same order. Texts without a letter come back unchanged."""
        found = list(texts)
        translatable = [place for place, text in enumerate(texts) if LETTER.search(text)]
        for batch in _batches(texts, translatable):
            prepared = [prepare(texts[place]) for place in batch]
            answers = self._ask([one.stream for one in prepared])
            for place, one, answer in zip(batch, prepared, answers, strict=True):
                restored = restore(answer, one)
                found[place] = self._around_blanks(texts[place]) if restored is None else restored
        return found

    def _around_blanks(self, text: str) -> str:
        """Return the text with every protected part in its place and the pieces between them translated."""
        pieces = [(piece, is_blank) for piece, is_blank in _pieces(text)]
        translatable = [piece for piece, is_blank in pieces if not is_blank and LETTER.search(piece)]
        answers = iter(self._ask([_escaped(piece) for piece in translatable]))
        bare = (TOKEN.sub(lambda match: match["sign"] or "", answer) for answer in answers)
        return "".join(next(bare) if not is_blank and LETTER.search(piece) else piece for piece, is_blank in pieces)

    def _ask(self, streams: Sequence[str]) -> list[str]:
        """Return the process's answer to each stream."""
        if not streams:
            return []
        sent = "".join(f"{stream}\0" for stream in streams)
        time_limit = SECONDS + SECONDS_PER_CHARACTER * len(sent)
        arguments = [self._program, "-u", "-f", "none", "-z", self.pair]
        output = _run(arguments, sent.encode("utf-8", "replace"), time_limit).decode("utf-8", "replace")
        answers = output.split("\0")
        # Every part of Apertium's pipeline adds a NUL after the last answer.
        if len(answers) < len(streams) or any(answer.strip() for answer in answers[len(streams) :]):
            raise ModelFailed(
                f"Apertium was given {len(streams)} texts and answered {len(answers)}.",
                hint="Try it by hand: echo hello | apertium " + self.pair,
            )
        return answers[: len(streams)]


def installed(program: str | None = None) -> list[str]:
    """Return the directions installed on this machine; empty if Apertium is not installed."""
    program = program or shutil.which(PROGRAM)
    if program is None:
        return []
    listed = _run([program, "-l"], b"", SECONDS).decode("utf-8", "replace").split()
    return sorted(pair for pair in listed if PAIR.fullmatch(pair))


def prepare(text: str) -> _Prepared:
    """Return the text in Apertium's form: escaped, with numbered blanks and a final stop."""
    blanks: list[str] = []
    stream: list[str] = []
    for piece, is_blank in _pieces(text):
        if is_blank:
            stream.append(f"[{len(blanks)}]")
            blanks.append(piece)
        else:
            stream.append(_escaped(piece))
    stopped = ENDED.search(text) is None
    return _Prepared(f"{''.join(stream)}{'.' if stopped else ''}[]", tuple(blanks), stopped)


def restore(answer: str, prepared: _Prepared) -> str | None:
    """Put the blanks back into a translation; None if one is missing, doubled or out of order."""
    numbers = [int(match["number"]) for match in TOKEN.finditer(answer) if match["number"]]
    if numbers != list(range(len(prepared.blanks))):
        return None
    body = answer.removesuffix("[]")
    if prepared.stopped:
        body = ADDED_STOP.sub("", body)
    # A pronoun that Spanish can do without leaves its blank behind.
    body = BLANK_BEFORE_MARK.sub("", WIDE_BLANK.sub(" ", body)).lstrip(" ")
    body = BLANK_AFTER.sub(lambda match: _unspaced(match, prepared.blanks), body)
    return TOKEN.sub(
        lambda match: match["sign"] or (prepared.blanks[int(match["number"])] if match["number"] else ""), body
    )


def _unspaced(match: re.Match[str], blanks: Sequence[str]) -> str:
    """After the end of a line there is no blank that was not there before: that would be part of the line's end."""
    return match.group().rstrip(" \t") if blanks[int(match["number"])][-1:].isspace() else match.group()


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", text.replace("\0", " "))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces, each with whether it is to be carried through; neighbours of one sort are one piece."""
    held: list[str] = []
    held_is_blank = False
    for piece, is_blank in _cut(text):
        if held and is_blank != held_is_blank:
            yield "".join(held), held_is_blank
            held = []
        held.append(piece)
        held_is_blank = is_blank
    if held:
        yield "".join(held), held_is_blank


def _cut(text: str) -> Iterator[tuple[str, bool]]:
    at = 0
    for part in parts(text):
        start = part.start
        yield from _marked(text[at:start])
        at = start + len(part.text)
        yield part.text, True
        # The bracket that closes a link's target belongs to it.
        closing = CLOSING.match(text, at) if text[max(0, start - 2) : start] == "](" else None
        if closing is not None:
            yield closing.group(), True
            at = closing.end()
    yield from _marked(text[at:])


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    at = 0
    for mark in MARKS.finditer(text):
        if mark.start() > at:
            yield text[at : mark.start()], False
        yield mark.group(), True
        at = mark.end()
    if at < len(text):
        yield text[at:], False


def _batches(texts: Sequence[str], places: Sequence[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for place in places:
        if batch and (size + len(texts[place]) > BATCH_CHARACTERS or len(batch) >= BATCH_TEXTS):
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += len(texts[place])
    if batch:
        yield batch


def _run(arguments: Sequence[str], given: bytes, seconds: float) -> bytes:
    """What the program says. It is a pipe of a dozen processes: when time is up, all of them end."""
    try:
        process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise ModelFailed(f"Apertium cannot be started: {error.strerror}.", hint="Install it again.") from error
    try:
        said, complaint = process.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise ModelFailed(f"Apertium did not answer within {seconds:.0f} s.", hint="Resume the run.") from error
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode:
        text = complaint[:4_000].decode("utf-8", "replace")
        shown = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:300]
        raise ModelFailed(f"Apertium failed ({process.returncode}): {shown or 'it said nothing'}.")
    return said
