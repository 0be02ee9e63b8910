"""`python -m tests.golden.runs --write [NAME ...]` records golden runs anew; without `--write` it compares them."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.golden.runs import compare
from tests.golden.runs.bench import recording
from tests.golden.runs.table import CASES

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--write", action="store_true", help="record anew instead of comparing")
parser.add_argument("names", nargs="*", metavar="NAME", help="cases, or beginnings of their names; none: all")
given = parser.parse_args()

failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name, case in CASES.items():
        if given.names and not name.startswith(tuple(given.names)):
            continue
        began = time.process_time()
        record = recording(case, Path(folder) / name)
        if given.write:
            compare.write(name, record)
        found = list(compare.differences(compare.recorded(name), record))
        failed += bool(found)
        print(f"{name:<45} {time.process_time() - began:5.2f} s  {len(found)} differences", flush=True)
        for line in found[:20]:
            print(f"    {line}")
sys.exit(1 if failed else 0)
