"""Find the crash declaration in its package, and say what speaks against it."""

from triage.core import linemap
from triage.core.names import split_function
from triage.core.places import Place
from triage.core.resolve import named_declaration
from triage.core.site import CrashSite, crash_declaration, fault_sites, first_error
from triage.core.table import Decl, FileFlag, Verdict
from triage.core.view import View
from triage.errors import FileMissing


def crash_scene(
    view: View, crash: Place, kind: str | None, depth: int
) -> tuple[CrashSite, list[str]]:
    """Find the crash declaration and what can have faulted in it, with warnings.

    Raises `FileMissing` where neither the package nor its `//line` comments have the
    file, `LineOutside` where no declaration holds the line.
    """
    file, line = _physical(view, crash, crash.frame.line or 0)
    decl, warning = _declaration(view, crash, file, line)
    warnings = [warning] if warning else []
    if crash.located and crash.located.warning:
        warnings.append(crash.located.warning)
    warnings += _of_file(view, file)
    faults = fault_sites(view, decl, line, kind)
    return CrashSite(view, decl, line, kind, faults, depth), warnings


def _physical(view: View, crash: Place, line: int) -> tuple[int, int]:
    """Undo `//line`."""
    mapped = linemap.physical(view, crash.frame.file or crash.name, line)
    if mapped is not None:
        return mapped
    number = view.file_number(crash.name)
    if number is None:
        for problem in view.problems:
            if problem.startswith(f"{crash.name} "):
                where = f"{crash.directory}/" if crash.directory else ""
                raise FileMissing(f"{where}{problem}")
        raise FileMissing(
            f"{crash.path} is not in the repository, and no //line comment of "
            "its package leads to it"
        )
    return number, line


def _declaration(
    view: View, crash: Place, file: int, line: int
) -> tuple[Decl, str | None]:
    """Return the declaration, and a warning where line and name disagree."""
    if crash.frame.function:
        function = split_function(crash.frame.function)
        decl, warning = named_declaration(view, view.file_names[file], line, function)
        if decl is not None:
            return decl, warning
    return crash_declaration(view, file, line), None


def _of_file(view: View, file: int) -> list[str]:
    """Say what is wrong with the crash file, if anything is."""
    record, path = view.file_records[file], view.path_of(file)
    warnings = []
    if record[3] & FileFlag.BROKEN:
        warnings.append(
            f"{path} has a syntax error ({first_error(view, file)}); "
            "declarations behind it may be missing"
        )
    if record[2] == Verdict.EXCLUDED:
        reason = view.table.text(record[4])
        warnings.append(f"{path} is excluded by its constraint: {reason}")
    return warnings
