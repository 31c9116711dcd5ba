"""The two servers, on free ports of this machine: ours as `make run` starts it, and the plain one."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_SECONDS, STOP_SECONDS = 60, 10


@dataclass(frozen=True)
class Server:
    port: int
    pid: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def ours() -> Iterator[Server]:
    with _streamlit("app.py", cwd=ROOT) as server:
        yield server


@contextmanager
def naive() -> Iterator[Server]:
    """Serve bench/naive.py from an empty folder, so that nothing of our config.toml applies."""
    with tempfile.TemporaryDirectory() as folder:
        plain = ("--server.headless", "true", "--browser.gatherUsageStats", "false")
        script = str(ROOT / "bench" / "naive.py")
        with _streamlit(script, *plain, cwd=Path(folder), PYTHONPATH=str(ROOT), HOME=folder) as server:
            yield server


@contextmanager
def _streamlit(script: str, *options: str, cwd: Path, **variables: str) -> Iterator[Server]:
    port = _free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    where = ("--server.port", str(port), "--server.address", "127.0.0.1")
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit.web.cli", "run", script, *where, *options],
            cwd=cwd,
            env=kept | variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            server = Server(port, process.pid)
            if not _healthy(server, process):
                raise RuntimeError(f"{script} did not start")
            yield server
        finally:
            if process.poll() is not None:
                log.seek(0)
                print(f"{script} has ended by itself:", log.read().decode(errors="replace")[-2000:], sep="\n")
            _stop(process)


def _healthy(server: Server, process: subprocess.Popen) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with direct.open(f"{server.address}/_stcore/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.1)
    return False


def _stop(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGINT)  # as Ctrl-C does
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
