"""`python -m tests.browser.install`: a browser for the tests, where this machine can have one.

Chromium comes from the system's own packages; nothing is fetched from anywhere else. Where there is none and none can
be installed, the tests that need it are skipped, and this says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PACKAGE = "chromium"
PATH_VARIABLE = "BURNISH_TEST_BROWSER"
"""Names a browser that is not on the PATH."""


def found() -> str | None:
    """The browser of this machine; None where it has none."""
    given = os.environ.get(PATH_VARIABLE)
    return given or next((path for name in NAMES if (path := shutil.which(name))), None)


def main() -> int:
    if found() is None and shutil.which("apt-get") and os.geteuid() == 0:
        print(f"Installing {PACKAGE} for the tests in a browser ...", flush=True)
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", PACKAGE]):
            subprocess.run(["apt-get", *command], env=environ, stdout=subprocess.DEVNULL, check=False)
    browser = found()
    if browser is None:
        print(
            "NOTE: there is no Chromium on this machine and it cannot be installed here, so the tests in a browser are "
            f"SKIPPED. Install it (Debian: apt install {PACKAGE}) or name one in {PATH_VARIABLE}.",
            file=sys.stderr,
        )
        return 0
    print(f"Tests in a browser use {browser}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
