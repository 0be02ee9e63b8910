"""Packages: only what was changed changes, and no package makes the reader unpack without end."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest

from burnish.core.errors import InputError
from burnish.text import packages
from burnish.text.packages import MEMBER_BYTES, MEMBERS, RATIO, READ_BYTES, SMALL, Package, is_zip

FILES = {"a.txt": b"one " * 200, "folder/b.xml": b"<b>two</b>" * 50, "c.bin": bytes(range(256))}


def zipped(files: Mapping[str, bytes] = FILES, packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", packed) as made:
        made.comment = b"of the package"
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2))
            info.compress_type, info.comment, info.external_attr = packed, b"of the member", 0o640 << 16
            made.writestr(info, content)
    return held.getvalue()


def opened(data: bytes) -> Package:
    return Package(io.BytesIO(data), "x.zip")


def rewritten(data: bytes, changes: Mapping[str, bytes]) -> bytes:
    package, target = opened(data), io.BytesIO()
    places = {info.filename: info.header_offset for info in package.members}
    package.rewrite({places[name]: content for name, content in changes.items()}, target)
    return target.getvalue()


def listed(data: bytes) -> list[tuple[object, ...]]:
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        assert held.testzip() is None
        return [
            (one.filename, held.read(one), one.date_time, one.compress_type, one.comment, one.external_attr)
            for one in held.infolist()
        ]


def test_a_package_is_told_by_its_first_bytes() -> None:
    assert is_zip(zipped()) and is_zip(zipped({})) and not is_zip(b"PK") and not is_zip(b"a" + zipped())


def test_without_a_change_every_byte_is_the_same() -> None:
    assert rewritten(zipped(), {}) == zipped()


@pytest.mark.parametrize("changed", [["a.txt"], ["folder/b.xml"], ["c.bin"], ["a.txt", "c.bin"], list(FILES)])
@pytest.mark.parametrize("packed", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_only_the_content_of_changed_members_is_another(changed: list[str], packed: int) -> None:
    data = zipped(packed=packed)
    after = rewritten(data, dict.fromkeys(changed, b"new content"))
    for old, new in zip(listed(data), listed(after), strict=True):
        assert (new[0], *new[2:]) == (old[0], *old[2:])
        assert new[1] == (b"new content" if new[0] in changed else old[1])
    with zipfile.ZipFile(io.BytesIO(after)) as held:
        assert held.comment == b"of the package"


def test_a_directory_in_another_order_than_its_members_stays_so() -> None:
    held = io.BytesIO(zipped())
    with zipfile.ZipFile(held, "a") as made:
        made.filelist.reverse()
        made._didModify = True  # type: ignore[attr-defined]
    data = held.getvalue()
    assert [one[0] for one in listed(data)] == list(FILES)[::-1]
    assert [one[0] for one in listed(rewritten(data, {"c.bin": b"new"}))] == list(FILES)[::-1]
    assert listed(rewritten(data, {"c.bin": b"new"}))[0][1] == b"new"


def test_members_are_found_by_name_and_read() -> None:
    package = opened(zipped())
    found = package.named("folder/b.xml")
    assert found is not None and package.content(found) == FILES["folder/b.xml"]
    assert package.named("b.xml") is None
    large = opened(zipped({"a": b"x" * (2 * SMALL)}))
    assert package.head(found) == FILES["folder/b.xml"][:SMALL] and len(large.head(large.members[0])) == SMALL


def test_no_more_than_the_limit_is_unpacked() -> None:
    package = opened(zipped({"a": b"x" * 100}))
    [info] = package.members
    assert package.content(info, limit=100) == b"x" * 100
    with pytest.raises(InputError, match="too large") as refused:
        package.content(info, limit=99)
    assert (refused.value.code, refused.value.path) == ("package_too_large", "x.zip")


@pytest.mark.parametrize(
    ("size", "packed_size", "code"),
    [
        (SMALL, 1, None),
        (SMALL + 1, 1, "package_bomb"),
        (SMALL + RATIO, (SMALL + RATIO) // RATIO + 1, None),
        (SMALL * RATIO, SMALL - 1, "package_bomb"),
        (SMALL * RATIO, SMALL, None),
        (READ_BYTES, READ_BYTES, None),
        (READ_BYTES + 1, READ_BYTES, "package_too_large"),
    ],
)
def test_a_package_that_says_too_much_of_itself_is_refused_before_it_is_unpacked(
    size: int, packed_size: int, code: str | None
) -> None:
    package = opened(zipped({"a": b"x"}))
    [info] = package.members
    info.file_size, info.compress_size = size, packed_size
    if code is None:
        package.expect([info])
        return
    with pytest.raises(InputError) as refused:
        package.expect([info])
    assert refused.value.code == code


def test_sizes_are_added_up() -> None:
    package = opened(zipped({"a": b"x", "b": b"y"}))
    for info, more in zip(package.members, (0, 1), strict=True):
        info.file_size = info.compress_size = READ_BYTES // 2 + more
    with pytest.raises(InputError, match="too large"):
        package.expect(package.members)
    package.expect(package.members[:1])


def test_a_package_with_too_many_members_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MEMBERS > 1_000 and MEMBER_BYTES <= READ_BYTES
    monkeypatch.setattr(packages, "MEMBERS", 3)
    assert len(opened(zipped()).members) == 3
    with pytest.raises(InputError) as refused:
        opened(zipped({**FILES, "d": b""}))
    assert refused.value.code == "package_too_large"


def test_members_in_one_place_are_a_bomb() -> None:
    held = io.BytesIO(zipped())
    with zipfile.ZipFile(held, "a") as made:
        made.filelist[1].header_offset = made.filelist[0].header_offset
        made._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(InputError) as refused:
        opened(held.getvalue())
    assert refused.value.code == "package_bomb"


def test_what_is_broken_or_packed_in_a_rare_way_is_told() -> None:
    for data in (b"PK\x03\x04 nothing", zipped()[:-30]):
        with pytest.raises(InputError) as refused:
            opened(data)
        assert refused.value.code == "broken_package"
    rare = opened(zipped(packed=zipfile.ZIP_LZMA))
    with pytest.raises(InputError, match="not read"):
        rare.content(rare.members[0])
    spoilt = bytearray(zipped())
    spoilt[36:46] = b"\xff" * 10
    package = opened(bytes(spoilt))
    with pytest.raises(InputError, match="cannot be unpacked"):
        package.content(package.members[0])
