"""Ctrl-C during work: it is cancelled in order, and what a callback has begun it ends."""

import asyncio
import signal

import pytest

from epc.engine.task_group import run_until_ctrl_c


def test_ctrl_c_within_a_callback_cancels_after_it_with_no_traceback() -> None:
    """As asyncio's own connecting does: look at a future, then set it; the signal between."""
    errors: list[dict[str, object]] = []
    ended: list[str] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: errors.append(context))
        answer: asyncio.Future[str] = loop.create_future()

        def receive() -> None:
            assert not answer.done()
            signal.raise_signal(signal.SIGINT)
            answer.set_result("received")

        loop.call_soon(receive)
        try:
            ended.append(await answer)
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        run_until_ctrl_c(work())

    assert errors == []
    assert ended[-1] == "cancelled"


def test_a_second_ctrl_c_ends_work_that_does_not_listen() -> None:
    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("went on")

    with pytest.raises(KeyboardInterrupt):
        run_until_ctrl_c(work())


def test_ctrl_c_after_the_work_is_as_before_it() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 3

    before = signal.getsignal(signal.SIGINT)

    assert run_until_ctrl_c(work()) == 3
    assert signal.getsignal(signal.SIGINT) is before
