from triage.ports import Source
from triage.sources.git import GitSource
from triage.sources.worktree import WorktreeSource


def test_port(tmp_path):
    """Both sources are what the engine asks for, and say which they are."""
    sources: tuple[Source, ...] = (GitSource(tmp_path), WorktreeSource(tmp_path))
    assert [source.name for source in sources] == ["git", "worktree"]
