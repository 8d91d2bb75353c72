"""Read files of a commit, and see whether others of their kind parse."""

import hashlib
from collections.abc import Sequence

from triage.core.model import BuildContext, Package, SourceFile, Telemetry
from triage.core.table import NONE, Table
from triage.engine.means import Means, Repository
from triage.errors import FileMissing


async def read_files(
    repository: Repository, telemetry: Telemetry, paths: Sequence[str]
) -> dict[str, bytes]:
    """Read Go files at the telemetry's commit; those that are not there are left out."""
    commit = await repository.source.resolve(telemetry.commit_sha)
    found = dict[str, bytes]()
    for directory in sorted({path.rpartition("/")[0] for path in paths}):
        try:
            package = await repository.source.package(commit, directory)
        except FileMissing:
            continue
        for file in package.files:
            path = f"{directory}/{file.name}" if directory else file.name
            if path in paths:
                found[path] = file.data
    return found


async def syntax_error(means: Means, path: str, data: bytes) -> str | None:
    """Return the first thing that keeps a Go file from being parsed, None where it is."""
    name = path.rpartition("/")[2]
    known_by = hashlib.blake2b(data, digest_size=20).hexdigest()
    package = Package("", (SourceFile(name, known_by, data),))
    context = BuildContext(tests=name.endswith("_test.go"))
    table = Table(await means.parser.symbols(package, context, name))
    errors = (row for row in table.records("errors") if row[0] != NONE)
    first = next(errors, None)
    return None if first is None else f"{path}:{first[1]}: {table.text(first[3])}"
