"""What goes wrong at a provider, as errors of ours; no key gets into a message."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from triage.core.masking import mask
from triage.core.visible import printable
from triage.errors import ModelBusy, ModelError, ModelFailed, ModelRefused, ModelTimeout

_LONGEST: Final = 300
_OVERLOADED: Final = 529
"""Anthropic's own status for too much load."""


@contextmanager
def translated(sdk: Any, http: Any, key: str) -> Iterator[None]:
    """Raise `ModelError` for what the *sdk*, or the *http* library below it, raises."""
    try:
        yield
    except sdk.APITimeoutError as error:
        raise ModelTimeout("the model did not answer in time; ask again") from _bare(
            error
        )
    except sdk.APIConnectionError as error:
        raise ModelFailed(
            "the model's server cannot be reached, or hung up; check the address and the"
            " network"
        ) from _bare(error)
    except sdk.APIStatusError as error:
        if error.status_code < HTTPStatus.BAD_REQUEST:  # a stream had begun
            raise _in_stream(error, _said(error, key)) from _bare(error)
        raise _by_status(error.status_code, _said(error, key)) from _bare(error)
    except sdk.APIError as error:  # within a stream
        raise _in_stream(error, _said(error, key)) from _bare(error)
    except http.TimeoutException as error:
        raise ModelTimeout("the model stopped in the middle; ask again") from _bare(
            error
        )
    except (http.HTTPError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFailed(
            "the model's answer broke off or is malformed; ask again"
        ) from (_bare(error))


def _bare(error: BaseException) -> BaseException | None:
    """Leave the cause out: it may hold the request, and with that the key."""
    del error
    return None


def _by_status(status: int, said: str) -> ModelError:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return ModelRefused(f"the provider refuses the key ({said}); set a valid one")
    if status in {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
        _OVERLOADED,
    }:
        return ModelBusy(
            f"the provider takes no more for now ({said}); ask again later"
        )
    if status == HTTPStatus.NOT_FOUND:
        return ModelFailed(f"there is no such model ({said}); set another TRIAGE_MODEL")
    return ModelFailed(f"the provider answered {status} ({said})")


def _in_stream(error: Any, said: str) -> ModelError:
    kind = f"{getattr(error, 'code', '')} {getattr(error, 'body', '')} {said}".lower()
    if "overloaded" in kind or "rate_limit" in kind:
        return ModelBusy(
            f"the provider takes no more for now ({said}); ask again later"
        )
    return ModelFailed(f"the model failed in the middle ({said}); ask again")


def _said(error: Any, key: str) -> str:
    """Return what the provider said, in one line, without the key."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    told = inner.get("message") if isinstance(inner, dict) else None
    text = str(told or getattr(error, "message", "") or type(error).__name__)
    plain = mask(text.replace(key, "[masked: API key]")).text
    return printable(plain)[:_LONGEST]
