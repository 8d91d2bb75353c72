"""Files that are there and cannot be read."""

import os

import pytest

import triage
from triage.errors import FileMissing, TriageError

MAIN = "package main\n\nfunc main() {\n\tvar m map[string]int\n\tm[`a`] = 1\n}\n"
TRACE = """\
panic: assignment to entry in nil map

goroutine 1 [running]:
main.main()
	/build/src/main.go:5 +0x1d
exit status 2
"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n"


@pytest.fixture
def module(tmp_path):
    """Make a module with one program."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "go.mod").write_text("module example.com/shop\n")
    (root / "main.go").write_text(MAIN)
    (root / "sub/sub.go").write_text("package sub\n")
    return root


async def answered(root, tmp_path):
    """Explain the crash in the directory."""
    settings = triage.Settings(data_dir=tmp_path / "data")
    async with triage.open_engine(settings) as engine:
        return await engine.context(triage.Telemetry(repo=str(root), trace=TRACE))


@pytest.mark.parametrize("kind", ["fifo", "link", "big"])
async def test_one_module_file_takes_no_answer_away(module, tmp_path, kind):
    """A go.mod that cannot be read is named in a warning, and the crash explained."""
    # Only in a list of all files is it come across.
    (module / "app").mkdir()
    for name in ("go.mod", "main.go"):
        (module / name).rename(module / "app" / name)
    path = module / "sub/go.mod"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.write_bytes(b" " * 9_000_000)
    result = await answered(module, tmp_path)
    assert result.crash.path == "app/main.go"
    assert any("sub/go.mod cannot be read" in text for text in result.warnings)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("fifo", "no regular file"), ("link", "leads out"), ("lfs", "Git LFS")],
)
async def test_why_the_crash_file_is_not_read(module, tmp_path, kind, reason):
    """The error says what is the matter with the file, not that it is not there."""
    (module / "other.go").write_text("package main\n")
    path = module / "main.go"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.write_text(POINTER)
    with pytest.raises(FileMissing, match=rf"main\.go .*{reason}"):
        await answered(module, tmp_path)


async def test_a_closed_engine_opens_nothing(module, tmp_path):
    """A call after the end is a clear error."""
    settings = triage.Settings(data_dir=tmp_path / "data")
    async with triage.open_engine(settings) as engine:
        pass
    with pytest.raises(TriageError, match="the engine is closed"):
        await engine.context(triage.Telemetry(repo=str(module), trace=TRACE))


async def test_a_root_directory_that_is_not_there(module, tmp_path):
    """It is told, where the trace leads to a place all the same."""
    settings = triage.Settings(data_dir=tmp_path / "data")
    telemetry = triage.Telemetry(repo=str(module), trace=TRACE, root_dir="nosuch")
    async with triage.open_engine(settings) as engine:
        result = await engine.context(telemetry)
    assert result.crash.path == "main.go"
    assert any("`nosuch`" in text for text in result.warnings)


async def test_problems_beside_the_crash_name_their_file(module, tmp_path):
    """What is wrong in another package is told with the path of the file."""
    (module / "sub/bad.go").symlink_to("/etc/passwd")
    code = MAIN.replace("main\n\n", "main\n\nimport `example.com/shop/sub`\n\n", 1)
    code = code.replace("m[`a`]", "m[sub.Key]").replace("\n\n", "\n", 1)
    (module / "main.go").write_text(
        code.replace(
            "import `example.com/shop/sub`\n", "import `example.com/shop/sub`;", 1
        )
    )
    (module / "sub/sub.go").write_text("package sub\n\nconst Key = `a`\n")
    result = await answered(module, tmp_path)
    assert any(text.startswith("sub/bad.go ") for text in result.warnings)
