"""A replay in a few lines, for whoever waited for it."""

from typing import Final

from triage.core.replay.tally import Names, Tally
from triage.core.visible import printable

_MOST: Final = 5
_LONGEST: Final = 100


def summary(tally: Tally, seconds: float, *, fresh: int) -> str:
    """Return the lines; *fresh* of the items were done in *seconds*, in this run."""
    every = tally.explained + tally.failed
    rate = f" in {seconds:.1f} s ({fresh / max(seconds, 1e-9):,.0f}/s)" if fresh else ""
    came = f"{tally.explained:,} explained, {tally.failed:,} not"
    what = "crash" if every == 1 else "crashes"
    lines = [f"{every:,} {what}: {came}; {fresh:,} in this run{rate}"]
    lines += _named("not explained", tally.codes)
    lines += _named("kinds", tally.kinds)
    lines += _named("served from", tally.tiers)
    if tally.explained:
        lines.append(
            f"  tokens: {tally.package_tokens:,} in the packages,"
            f" {tally.context_tokens:,} in the contexts"
            f" ({_change(tally.reduction)})"
        )
        lines.append(
            f"  incidents: {len(tally.incidents):,}; most frequent crash sites:"
        )
        lines += [
            f"    {count:,} x {printable(site)[:_LONGEST]}"
            for site, count in tally.sites.top(_MOST)
        ]
    return "\n".join(lines) + "\n"


def _change(reduction: float) -> str:
    """Say how much smaller it is; a context of a tiny package is larger than that."""
    return f"{abs(100 * reduction):.1f} % {'less' if reduction >= 0 else 'more'}"


def _named(title: str, names: Names) -> list[str]:
    told = ", ".join(f"{printable(name)} {count:,}" for name, count in names.top())
    return [f"  {title}: {told}"] if told else []
