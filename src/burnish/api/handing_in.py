"""Content that came with a request, on its way to files: in a private folder, under names that lead nowhere else."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from burnish.api.shapes.content import Body, Given
from burnish.app.terminal import json_text
from burnish.core.errors import BurnishError, InputError
from burnish.store.files import disk_refusals, make_folder, write_together
from burnish.store.paths import document_path

DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The files of a request."""

    documents: Sequence[Given]
    beside: Mapping[str, Sequence[Given]] = field(default_factory=dict)
    """Role -> what is read beside the documents, such as a specification."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The files of a request where they lie."""

    folder: Path
    documents: tuple[Path, ...]
    beside: Mapping[str, tuple[Path, ...]]

    @property
    def path(self) -> str:
        """What a command is given: the one document, or the folder of all."""
        return str(self.documents[0] if len(self.documents) == 1 else self.folder / DOCUMENTS)

    def one(self, role: str) -> str | None:
        """The one file of this role; None where there is none."""
        return next((str(path) for path in self.beside.get(role, ())), None)

    def all(self, role: str) -> list[str]:
        return [str(path) for path in self.beside.get(role, ())]


def placed(handed: HandedIn, folder: Path, *, durable: bool = True) -> Placed:
    """Write the files into `folder`, those of each role into a folder of its own."""
    given = {DOCUMENTS: handed.documents, **{role: files for role, files in handed.beside.items() if files}}
    paths = {role: tuple(document_path(folder / role, one.name) for one in files) for role, files in given.items()}
    for role, files in given.items():
        make_folder(folder / role)
        data = {path: _data(one.content) for path, one in zip(paths[role], files, strict=True)}
        if durable:
            write_together(data)
        else:
            _write(data)
    return Placed(folder, paths.pop(DOCUMENTS), paths)


@contextmanager
def laid_out(handed: HandedIn) -> Iterator[Placed]:
    """The files in a private folder that goes again. Errors that leave the block say nothing of where it was."""
    with tempfile.TemporaryDirectory(prefix="burnish-") as name:
        folder = Path(name).resolve()
        with named_as_given(folder):
            yield placed(handed, folder, durable=False)


@contextmanager
def named_as_given(folder: Path) -> Iterator[None]:
    """Errors that leave the block name the files of `folder` as the request named them."""
    try:
        yield
    except BurnishError as error:
        error.message = without_folder(error.message, folder)
        error.hint = without_folder(error.hint, folder) if error.hint else None
        if isinstance(error, InputError) and error.path is not None:
            error.path = without_folder(error.path, folder)
        raise


def without_folder(text: str, folder: Path) -> str:
    """The text with files named as the request named them."""
    return text.replace(f"{folder / DOCUMENTS}/", "").replace(f"{folder}/", "")


def without_folder_in_json(text: str, folder: Path) -> str:
    """The same for JSON that names files of the folder."""
    return without_folder(text, Path(json_text(str(folder))[1:-1]))


def _write(files: Mapping[Path, bytes]) -> None:
    for path, data in files.items():
        with disk_refusals("write", path):
            path.write_bytes(data)


def _data(content: Body) -> bytes:
    if isinstance(content, str):
        return content.encode()
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode()
