"""The one line of trainings of this server, and whether those who wait in it are still there."""

from collections.abc import Callable
from functools import cache

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.training.pool import Job, Pool
from core.training.runs import Run


@cache
def pool() -> Pool:
    """Return the line; its processes are started when somebody trains."""
    return Pool()


def start(run: Run, seed: int) -> Job:
    """Put a training of this session in line.

    Raises:
        PoolError: it cannot be; a sentence.
    """
    session = _session()
    return pool().submit(run, seed, session, _watching(session))


def ours() -> Job | None:
    """Return this session's training that is not over, whatever the page shows; only its own can be ended."""
    return pool().active(_session())


def close() -> None:
    """End all trainings, with the server."""
    if pool.cache_info().currsize:
        pool().close()


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _watching(session: str) -> Callable[[], bool]:
    """Return what says whether a session's page is still open in a browser.

    Streamlit knows when a page's connection ends: a closed tab, a lost network, a reload.
    """

    def there() -> bool:
        return not runtime.exists() or runtime.get_instance().is_active_session(session)

    return there
