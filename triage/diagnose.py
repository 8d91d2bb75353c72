"""Ask a model why a program crashed, and see whether what it proposes can be done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from triage.ai import Access, open_model
from triage.app import apply_patch
from triage.config import Settings
from triage.core.diagnosis import (
    Checked,
    Diagnosis,
    Prompt,
    Spent,
    changed_files,
    make_prompt,
    read_answer,
)
from triage.core.masking import Found, masked_result
from triage.core.model import Result, Telemetry
from triage.engine import Engine
from triage.errors import BadInput, TooLarge, TriageError

_LEAST_ANSWER = 500
_MOST_ANSWER = 8_000


@dataclass(frozen=True, slots=True)
class Question:
    """What would be sent."""

    result: Result
    prompt: Prompt
    masked: tuple[Found, ...]
    most: int
    """Tokens that the answer may take."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it."""

    diagnosis: Diagnosis
    checked: Checked
    spent: Spent


async def prepare(
    engine: Engine, telemetry: Telemetry, *, spend: int, refuse_secrets: bool
) -> Question:
    """Make the question: the context without its secrets, within *spend* tokens.

    Raises `BadInput` for secrets where they are refused, `TooLarge` where question and
    answer do not fit.
    """
    result, masked = masked_result(await engine.context(telemetry))
    if masked and refuse_secrets:
        told = ", ".join(f"{one.kind} on line {one.line}" for one in masked[:5])
        raise BadInput(
            f"the context holds what looks like secrets ({told}); without"
            " --refuse-secrets they are masked and the rest is sent"
        )
    prompt = make_prompt(result)
    most = min(_MOST_ANSWER, spend - prompt.tokens)
    if most < _LEAST_ANSWER:
        raise TooLarge(
            f"the question takes {prompt.tokens} tokens of the {spend} that may be"
            " spent; raise --max-spend or lower --max-tokens"
        )
    return Question(result, prompt, masked, most)


async def ask(
    settings: Settings,
    engine: Engine,
    telemetry: Telemetry,
    question: Question,
    progress: Callable[[int], object],
) -> Answer:
    """Ask the model, hold its answer against the schema, and try its change.

    Everything raised is a `TriageError`; a change that fails is no error but told.
    """
    access = Access(
        settings.model,
        openai_key=settings.openai_api_key,
        openai_url=settings.openai_base_url,
        anthropic_key=settings.anthropic_api_key,
        anthropic_url=settings.anthropic_base_url,
    )
    async with open_model(access) as model:
        asked = await model.ask(question.prompt, question.most, progress)
    diagnosis = read_answer(asked.answer)
    checked = await _checked(engine, telemetry, diagnosis.diff)
    return Answer(diagnosis, checked, asked.spent)


async def _checked(engine: Engine, telemetry: Telemetry, diff: str) -> Checked:
    if not diff.strip():
        return Checked()
    try:
        names = changed_files(diff)
    except BadInput as error:
        return Checked(applies=False, problem=str(error))
    try:
        files = await engine.files(telemetry, names)
        patched = await apply_patch(files, diff, names)
        if patched.problem is not None:
            return Checked(applies=False, problem=patched.problem)
        problem = await _syntax_error(engine, patched.files, names)
    except TriageError as error:
        return Checked(problem=str(error))
    return Checked(applies=True, parses=problem is None, problem=problem or "")


async def _syntax_error(
    engine: Engine, files: Mapping[str, bytes], names: Sequence[str]
) -> str | None:
    for name in names:
        if name.endswith(".go") and name in files:
            problem = await engine.syntax_error(name, files[name])
            if problem is not None:
                return problem
    return None
