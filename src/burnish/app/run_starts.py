"""Start a run on uploaded files: write them into the run's folder, plan the run, record the plan and queue it.

The files are first tried in a temporary folder, so that a refused start leaves nothing among the runs.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from burnish.app.background_jobs import BackgroundJobs
from burnish.app.course_extraction import TAKEN_IN
from burnish.app.kinds import kind_named
from burnish.app.settings import Loaded, redactor_of
from burnish.app.uploads import InputFile
from burnish.core.documents import Problem
from burnish.core.errors import BurnishError, InputError, RunActive
from burnish.engine.plan import Plan, begin, recorded_plan
from burnish.engine.publish import problem_event
from burnish.store.files import disk_refusals, make_folder, write_together
from burnish.store.lock import take_lock
from burnish.store.paths import RunFolder, document_path
from burnish.store.processes import Clock
from burnish.store.sqlite_journal import BEGAN_BY, create_journal, open_journal

DOCUMENTS = "documents"
REQUEST = "start_request"
"""Key in a journal: the request that started the run."""
TURNS = tuple(threading.Lock() for _ in range(64))
"""Starts of one name run one at a time: a request that is sent again must find the run that it started."""
InputFiles = Mapping[str, Sequence[InputFile]]
"""Role -> files; the documents themselves have the role `documents`."""


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Uploaded files with their places on disk."""

    folder: Path
    files: Mapping[str, tuple[Path, ...]]

    @property
    def documents(self) -> tuple[Path, ...]:
        return self.files[DOCUMENTS]

    @property
    def path(self) -> str:
        """The argument for a command: the only document, or the folder of all."""
        return str(self.documents[0] if len(self.documents) == 1 else self.folder / DOCUMENTS)

    def one(self, role: str) -> str | None:
        """The first file of this role; None if there is none."""
        return next((str(path) for path in self.files.get(role, ())), None)

    def all(self, role: str) -> list[str]:
        return [str(path) for path in self.files.get(role, ())]


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan of a run, and the parts of its input that are left out."""

    plan: Plan
    left_out: tuple[Problem, ...] = ()


Planner = Callable[[StoredFiles, RunFolder], Planned]
"""Makes the plan of a run from files on disk and the run's folder."""


def store_files(inputs: InputFiles, folder: Path, *, durable: bool = True) -> StoredFiles:
    """Write the files into `folder`, each role into its own subfolder."""
    given = {role: files for role, files in inputs.items() if files}
    paths = {role: tuple(document_path(folder / role, one.name) for one in files) for role, files in given.items()}
    for role, files in given.items():
        make_folder(folder / role)
        data = {path: one.data for path, one in zip(paths[role], files, strict=True)}
        if durable:
            write_together(data)
            continue
        for path, content in data.items():
            with disk_refusals("write", path):
                path.write_bytes(content)
    return StoredFiles(folder, paths)


@contextmanager
def temporary_files(inputs: InputFiles) -> Iterator[StoredFiles]:
    """The files in a temporary folder. Errors raised in the block do not show its path."""
    with tempfile.TemporaryDirectory(prefix="burnish-") as name:
        folder = Path(name).resolve()
        with named_as_given(folder):
            yield store_files(inputs, folder, durable=False)


@contextmanager
def named_as_given(folder: Path) -> Iterator[None]:
    """Errors raised in the block name the files of `folder` as they were uploaded."""
    try:
        yield
    except BurnishError as error:
        error.message = without_folder(error.message, folder)
        error.hint = without_folder(error.hint, folder) if error.hint else None
        if isinstance(error, InputError) and error.path is not None:
            error.path = without_folder(error.path, folder)
        raise


def without_folder(text: str, folder: Path) -> str:
    """The text with files named as they were uploaded."""
    return text.replace(f"{folder / DOCUMENTS}/", "").replace(f"{folder}/", "")


@dataclass(frozen=True, slots=True)
class RunStarter:
    """Starts runs in a folder of runs, with the operator's settings."""

    runs: Path
    jobs: BackgroundJobs
    loaded: Loaded
    clock: Clock

    def start(self, run: str, inputs: InputFiles, planner: Planner, *, request: str = "") -> bool:
        """Write the files into the run's folder, which the run needs to its end, record its plan, and queue it. False
        if the same request has already started it; a start in progress is waited for."""
        with TURNS[hash(run) % len(TURNS)]:
            if self.was_started(run, request):
                return False
            with self.temporary_plan(run, inputs, planner):
                pass
            self._start(RunFolder.at(self.runs, run), inputs, planner, request)
        return True

    def was_started(self, run: str, request: str) -> bool:
        """Whether the same request has already started the run. Raise RunActive if another run has the name."""
        folder = RunFolder.at(self.runs, run)
        if request and self._was_started_by(request, folder):
            return True
        self._refuse_taken(folder)
        self.jobs.refuse_if_closed()
        return False

    def _start(self, folder: RunFolder, inputs: InputFiles, planner: Planner, request: str) -> None:
        make_folder(folder.root, private=True)
        with take_lock(folder, self.clock) as lock:
            lock.start_heartbeat()
            self._refuse_taken(folder)
            try:
                with named_as_given(folder.input):
                    planned = planner(store_files(inputs, folder.input), folder)
                self._write_down(folder, planned, request)
            except BaseException:
                # We hold the lock, so these files are ours; a folder with only a lock in it is no run.
                shutil.rmtree(folder.input, ignore_errors=True)
                for path in (folder.journal, folder.root / TAKEN_IN):
                    path.unlink(missing_ok=True)
                raise
        self.jobs.resume(folder.id)

    def _was_started_by(self, request: str, folder: RunFolder) -> bool:
        if not folder.journal.exists():
            return False
        with closing(open_journal(folder.journal, clock=self.clock, read_only=True)) as journal:
            return journal.get_meta(REQUEST) == request and recorded_plan(journal) is not None

    @contextmanager
    def temporary_plan(self, run: str, inputs: InputFiles, planner: Planner) -> Iterator[tuple[Planned, Path]]:
        """The plan for the files, made in a temporary folder that is removed after the block."""
        with temporary_files(inputs) as aside:
            yield planner(aside, RunFolder.at(aside.folder / "aside", run)), aside.folder

    def _write_down(self, folder: RunFolder, planned: Planned, request: str) -> None:
        redactor = redactor_of(self.loaded.settings)
        with closing(create_journal(folder.journal, clock=self.clock, redactor=redactor)) as journal:
            journal.set_meta(BEGAN_BY, kind_named(planned.plan.kind).words.command)
            journal.write_now(*(problem_event(TAKEN_IN, problem) for problem in planned.left_out))
            if request:  # before the plan: a begun run always has its request
                journal.set_meta(REQUEST, request)
            begin(journal, planned.plan)

    def _refuse_taken(self, folder: RunFolder) -> None:
        """Raise RunActive if the name is taken by a run or other files. The rest of a failed start is overwritten."""
        if folder.journal.exists() or self.jobs.is_at_work(folder.id):
            raise RunActive(f"There is a run {folder.id} already.", hint="Choose another run_id, or resume that run.")
        own = {folder.input.name, folder.guard.name, folder.lock.name}
        if folder.root.exists() and not {path.name for path in folder.root.iterdir()} <= own:
            raise RunActive(f"The name {folder.id} is taken.", hint="Choose another run_id.")


def unlike_others(run: str) -> str:
    """The id with a random suffix: two people may upload the same name in the same second."""
    return f"{run}-{secrets.token_hex(2)}"
