"""docs/api.md tells the truth: what it asks is answered as it says, and it names every request."""

import pytest
from fastapi import FastAPI

from burnish.api import install, router
from tests.api.api_desk import ApiDesk
from tests.api.guide import GUIDE, run_guide


@pytest.mark.guide
def test_the_guide_says_what_happens(api: ApiDesk) -> None:
    ran = [each for _, commands in run_guide(GUIDE.read_text(encoding="utf-8"), api) for each in commands]
    assert len(ran) >= 15
    for each in ran:
        assert each.kept, f"{each.shown()}\n(make the guide anew: python -m tests.api.guide)"


def test_the_guide_names_every_request() -> None:
    app = FastAPI()
    app.include_router(router)
    install(app)
    text = GUIDE.read_text(encoding="utf-8")
    names = {"run_id": "id", "unit_id": "uid", "course_id": "id", "seed_id": "sid", "rule_id": "id"}
    for path, operations in app.openapi()["paths"].items():
        for name, short in names.items():
            path = path.replace(f"{{{name}}}", f"{{{short}}}")
        for method in operations:
            asked = f"{method.upper()} {path.removeprefix('/api/v1/')}"
            last = f"{method.upper()} .../{path.rpartition('/')[2]}"
            assert f"`{asked}`" in text or f"`{last}`" in text, asked
