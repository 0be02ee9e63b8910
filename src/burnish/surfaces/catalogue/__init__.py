"""The catalogue: what pages and programs ask of runs, answered by index, however long a run is.

`Catalogues` is the door. It keeps beside each journal a small database that is made from the journal and can be deleted
any time.
"""

from burnish.surfaces.catalogue.cards import BrokenRun, RunCard, Standing, StatePart
from burnish.surfaces.catalogue.catalogues import Catalogues
from burnish.surfaces.catalogue.filters import ALL, QueueFilter, UnitFilter
from burnish.surfaces.catalogue.lines import CauseCount, Dimension, RuleCount, Sort, Spent, UnitLine, UnitPage
from burnish.surfaces.catalogue.precision import PrecisionLine, wilson
from burnish.surfaces.catalogue.queue import QueueLine
from burnish.surfaces.catalogue.run import RunCatalogue

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
