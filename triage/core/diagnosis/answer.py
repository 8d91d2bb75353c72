"""The answer of a model, held against its schema."""

from typing import Annotated, Any, Final

import msgspec

from triage.errors import ModelFailed

TOOL: Final = "diagnosis"
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]


class Location(msgspec.Struct, frozen=True):
    """Where the cause is."""

    file: Annotated[str, msgspec.Meta(max_length=4_096)]
    """Relative to the repository."""
    line: Annotated[int, msgspec.Meta(ge=0, le=100_000_000)] = 0


class Diagnosis(msgspec.Struct, frozen=True):
    """Why a program crashed, as a model sees it."""

    cause: _Text
    """In a few sentences."""
    where: Location
    diff: Annotated[str, msgspec.Meta(max_length=200_000)]
    """A unified diff, empty where none is proposed."""
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]
    symbols: Annotated[list[str], msgspec.Meta(max_length=100)] = []
    """Declarations that it went by."""


def _schema() -> dict[str, Any]:
    """Write the schema out in one piece: not every server follows references."""
    (told,), parts = msgspec.json.schema_components([Diagnosis])
    schema = dict(parts[told["$ref"].rpartition("/")[2]])
    properties = dict(schema["properties"])
    properties["where"] = parts["Location"]
    return {**schema, "properties": properties}


SCHEMA: Final = _schema()
"""JSON Schema of a `Diagnosis`."""


def read_answer(text: str | bytes) -> Diagnosis:
    """Read what the model gave the tool; raises `ModelFailed` where it is not that."""
    try:
        return msgspec.json.decode(text, type=Diagnosis)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ModelFailed(
            f"the model's answer is not as it was asked for ({error}); ask again, or set"
            " another TRIAGE_MODEL"
        ) from error
