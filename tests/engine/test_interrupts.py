"""Interruptions that wait, whichever thread the signal meets."""

import signal
import threading
from collections.abc import Callable

import pytest

from burnish.engine.check_pool import interrupts_held


def in_this_thread() -> None:
    signal.raise_signal(signal.SIGINT)


def in_another_thread() -> None:
    """As a library's thread may: it is not masked, so the system hands the signal to it."""

    def take() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()


@pytest.mark.parametrize("interrupt", [in_this_thread, in_another_thread])
def test_an_interruption_waits_for_the_end_of_the_block(interrupt: Callable[[], None]) -> None:
    done: list[str] = []

    def work() -> None:
        with interrupts_held():
            interrupt()
            done.append("all of the block")
        done.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of the block"]


def test_without_an_interruption_everything_is_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_held(), interrupts_held():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_in_another_thread_it_only_masks() -> None:
    masked: list[bool] = []

    def work() -> None:
        with interrupts_held():
            masked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert masked == [True]
