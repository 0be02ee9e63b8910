"""`make faults`: every fault test at full length, one line of figures each.

A fault test is a module `tests/faults/f<number>_<name>.py` with `TITLE` and `run(full) -> str`, which raises an
AssertionError where a target is missed. `make test` runs the same code in its short form.
"""

import argparse
import importlib
import pkgutil
import re
import sys
import time

import tests.faults as package


def modules(only: list[str]) -> list[str]:
    names = [info.name for info in pkgutil.iter_modules(package.__path__) if re.match(r"[fa]\d+_", info.name)]
    ordered = sorted(names, key=lambda name: (name[0] != "f", int(re.findall(r"\d+", name)[0])))
    return [name for name in ordered if not only or name.split("_")[0] in only]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="the form that make test runs")
    parser.add_argument("only", nargs="*", help="numbers such as f1 f10; none: all")
    arguments = parser.parse_args()
    failed = 0
    for name in modules(arguments.only):
        module = importlib.import_module(f"tests.faults.{name}")
        started = time.monotonic()
        try:
            figures, verdict = module.run(full=not arguments.short), "ok    "
        except AssertionError as missed:
            figures, verdict = f"MISSED: {missed}", "MISSED"
            failed += 1
        label = name.split("_")[0].upper()
        print(f"{label:4} {verdict} {module.TITLE}: {figures} ({time.monotonic() - started:.0f} s)", flush=True)
    print("all targets met" if not failed else f"{failed} missed their target")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
