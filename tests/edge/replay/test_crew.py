"""Processes that share the work, and die at it."""

import multiprocessing
from itertools import chain

import pytest

from tests.edge.replay import workers
from triage.config import Settings
from triage.core.replay import Answer, Item
from triage.errors import OutputFailed
from triage.replay.crew import Crew


@pytest.fixture
def crew(tmp_path):
    """Give two processes that answer as an item's id says."""
    with Crew(Settings(data_dir=tmp_path), 2, workers.work) as hired:
        yield hired


def answers(crew: Crew, *batches: list[str]) -> dict[str, Answer]:
    """Let *batches* of ids be done; each id is answered once."""
    given = [tuple(map(Item, batch)) for batch in batches]
    told = list(crew.lines(given))
    found = {answer.line.id: answer for answer in told}
    assert sorted(answer.line.id for answer in told) == sorted(chain(*batches))
    return found


def message(answer: Answer) -> str:
    """Read what was said of an item."""
    assert answer.line.error is not None
    return answer.line.error.message


def test_all_is_done_by_both(crew):
    """Each item has its answer, and the work is shared."""
    batches = [[f"{n}-{m}" for m in range(5)] for n in range(40)]
    told = answers(crew, *batches)
    assert len({message(answer).split()[0] for answer in told.values()}) == 2


def test_nothing_to_do(crew):
    """No batches, no answers; and no wait."""
    assert answers(crew) == {}


def test_a_death_costs_no_item(crew):
    """What a worker had not done when it died is done by another, one by one."""
    told = answers(crew, ["a", "die-once", "b", "c"], ["d"])
    assert message(told["a"]).endswith(" 4")
    assert [message(told[id_]).split()[1] for id_ in ("die-once", "b", "c")] == [
        "1"
    ] * 3


def test_an_item_that_kills_twice_is_left(crew):
    """It has an error of ours for its answer, and all others have theirs."""
    told = answers(crew, ["a", "die", "b"], ["c", "die-too"], ["d"])
    for id_ in ("die", "die-too"):
        error = told[id_].line.error
        assert error is not None
        assert error.code == "internal"
        assert message(told[id_]) == "its process was ended by SIGKILL, twice"
    assert {"a", "b", "c", "d"} <= told.keys()


def test_a_worker_that_ends_in_order(crew):
    """It is told by its exit code."""
    assert message(answers(crew, ["exit"])["exit"]) == "its process ended with 5, twice"


def test_an_end_in_the_middle_leaves_no_process(tmp_path):
    """Whoever gives up takes the workers along."""
    with (  # noqa: PT012 - it is the loop that fails
        pytest.raises(OutputFailed),
        Crew(Settings(data_dir=tmp_path), 2, workers.work) as crew,
    ):
        for _ in crew.lines([(Item(str(n)),) for n in range(100)]):
            raise OutputFailed("the disk is full")
    assert multiprocessing.active_children() == []
