"""The models that the guide names are written so that Burnish takes them.

Whether a provider still offers a model, and at what price, is not asked here: that changes with every release of a
library. `make latest` prints what differs (`python -m tests.docs.listed_models`).
"""

import re

from burnish.models.profiles import PROVIDERS, suggestion
from tests.docs.listed_models import GUIDE, ROW


def test_every_model_of_the_table_has_a_provider_and_its_own_name() -> None:
    rows = ROW.findall(GUIDE)
    assert len(rows) == 9
    for provider, name, inside, outside in rows:
        assert provider in PROVIDERS
        assert suggestion(f"{provider}:{name}") == f"{provider}:{name}"
        assert 0 < float(inside) < float(outside)


def test_every_model_that_is_typed_has_a_known_provider() -> None:
    names = re.findall(r"--model ([a-z-]+):", GUIDE)
    assert len(names) > 10
    assert set(names) <= PROVIDERS
