"""The file of a replay's lines."""

import resource

import pytest

from triage.core.replay import failed
from triage.errors import BadInput, OutputFailed
from triage.replay.output import open_output

ONE, TWO = (failed(id_, "no-panic", "x" * 50).raw for id_ in "12")


@pytest.fixture
def path(tmp_path):
    """Name a file that is not there yet."""
    return tmp_path / "out.jsonl"


def ids(path, *, resume: bool = True) -> list[str]:
    """Go on with a file; tell which items have their lines."""
    with open_output(path, resume=resume) as output:
        return [line.id for line in output.lines()]


def test_lines_are_appended(path):
    """What is written is there at once."""
    with open_output(path, resume=False) as output:
        assert list(output.lines()) == []
        output.write(ONE)
        assert path.read_bytes() == ONE
        output.write(TWO)
    assert path.read_bytes() == ONE + TWO


def test_a_file_that_is_there_is_not_overwritten(path):
    """Without --resume nothing is lost."""
    path.write_bytes(ONE)
    with pytest.raises(BadInput, match="--resume"), open_output(path, resume=False):
        pass
    assert path.read_bytes() == ONE


def test_a_file_is_gone_on_with(path):
    """The lines that are there are told, and more come after them."""
    path.write_bytes(ONE)
    with open_output(path, resume=True) as output:
        assert [line.id for line in output.lines()] == ["1"]
        output.write(TWO)
    assert ids(path) == ["1", "2"]


@pytest.mark.parametrize("torn", [TWO[:1], TWO[:40], TWO[:-1], b"\0" * 50])
def test_a_torn_line_is_cut_away(path, torn):
    """It is as if it had never been begun."""
    path.write_bytes(ONE + torn)
    assert ids(path) == ["1"]
    assert path.read_bytes() == ONE


def test_a_torn_line_with_an_end_of_line(path):
    """What a power cut leaves at the end may hold any bytes."""
    path.write_bytes(ONE + b"\0\0\n")
    assert ids(path) == ["1"]
    assert path.read_bytes() == ONE


@pytest.mark.parametrize("other", [b"hello\nworld\n", b'{"id": "a"}\n{}\n'])
def test_a_file_of_others_is_left_alone(path, other):
    """What no replay has written is no output to go on with."""
    path.write_bytes(other)
    with pytest.raises(BadInput, match=r"line 1 of .*out.jsonl"):
        ids(path)
    assert path.read_bytes() == other


def test_one_replay_at_a_time(path):
    """A second one would write the same lines again."""
    with (
        open_output(path, resume=True),
        pytest.raises(BadInput, match="another replay writes"),
        open_output(path, resume=True),
    ):
        pass


def test_a_directory_that_is_not_there(tmp_path):
    """The system's reason is told."""
    path = tmp_path / "no" / "out.jsonl"
    with (
        pytest.raises(BadInput, match="no such file or directory; name another"),
        open_output(path, resume=False),
    ):
        pass


def test_a_device_takes_lines(path):
    """What is no file has no lines from before."""
    with open_output(path.parent / "/dev/null", resume=True) as output:
        assert list(output.lines()) == []
        output.write(ONE)


def test_a_full_disk(path):
    """What was written before stays, and the next run goes on after it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(ONE) + 20, before[1]))
    try:
        with open_output(path, resume=False) as output:
            output.write(ONE)
            with pytest.raises(OutputFailed, match=r"file too large.*--resume"):
                output.write(TWO)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes().startswith(ONE)
    assert ids(path) == ["1"]
    assert path.stat().st_size == len(ONE)
