"""The catalogue: what pages and programs ask of runs, answered by index, however long a run is.

`Catalogues` is the door. It keeps beside each journal a small database that is made from the journal and can be deleted
any time.
"""

from burnish.app.catalogue.cards import BrokenRun, RunCard, Standing, StatePart
from burnish.app.catalogue.catalogues import Catalogues
from burnish.app.catalogue.filters import ALL, QueueFilter, UnitFilter
from burnish.app.catalogue.lines import CauseCount, Dimension, RuleCount, Sort, Spent, UnitLine, UnitPage
from burnish.app.catalogue.precision import PrecisionLine, wilson
from burnish.app.catalogue.queue import QueueLine
from burnish.app.catalogue.run import RunCatalogue

__all__ = [
    "ALL",
    "BrokenRun",
    "Catalogues",
    "CauseCount",
    "Dimension",
    "PrecisionLine",
    "QueueFilter",
    "QueueLine",
    "RuleCount",
    "RunCard",
    "RunCatalogue",
    "Sort",
    "Spent",
    "Standing",
    "StatePart",
    "UnitFilter",
    "UnitLine",
    "UnitPage",
    "wilson",
]
