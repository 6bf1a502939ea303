"""Words and meaning in one ranking: a convex mix of both, each stretched over the candidates.

Equal-weight reciprocal ranks came out below words alone on LoCoMo in the prototype (.538 against .595 nDCG):
they forget by how much one entry is better than the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .light import NamedTuple
from .score import Scale, Scored
from .search import Row
from .vectors import Sense

NEEDED = -1.5  # sureness of the words and pull of the cosine together; fitted on memset dev
LEAST_SAID = 0.8  # of a question that a cosine may answer; 32 of our 40 prompts of small talk say less
SHARE = 0.5  # of meaning in the mix; taken from the prototype's measurements, not fitted anew


class Near(NamedTuple):
    """What is near to a question: address to cosine, how to take the cosines, and what is wrong."""

    cosines: Mapping[str, float]
    sense: Sense
    trouble: str | None = None

    @property
    def best(self) -> float:
        return max(self.cosines.values(), default=-1.0)

    @property
    def told(self) -> dict[str, float]:
        """For `--explain`: the best cosine, how it is taken, and what the sureness must reach with it."""
        return {"best": self.best, **self.sense._asdict(), "needed": NEEDED}


def fuse(rows: Sequence[Row], ranked: Sequence[Scored], near: Near) -> list[Scored]:
    """All of *rows* that have words or meaning in common with the question, best first, scores in 0..1."""
    words = {scored.row.address: scored.score for scored in ranked}
    most = max(words.values(), default=0.0) or 1.0
    low = min(near.cosines.values(), default=0.0)
    span = near.best - low or 1.0
    fused = []
    for row in rows:
        plain = words.get(row.address, 0.0)
        mixed = (1 - SHARE) * plain / most
        mixed += SHARE * (near.cosines.get(row.address, low) - low) / span
        if mixed > 0:
            scored = Scored(row, plain)
            scored.boosts["meaning"] = mixed - plain
            scored.score = mixed
            fused.append(scored)
    return sorted(fused, key=lambda one: (-one.score, one.row.address))


def convinces(scale: Scale, best: Sequence[Scored], near: Near) -> bool:
    """Whether words and raw cosine say that there is an answer; the mix cannot tell (AUROC .5-.65)."""
    if scale.question.says < LEAST_SAID:
        return scale.convinces(best)  # "thanks, continue" is near to any note that thanks or continues
    if near.best >= near.sense.alone:
        return True
    if not best or scale.question.is_task:
        return bool(best) and scale.convinces(best)
    pull = near.sense.pull * (near.best - near.sense.even)
    return sum(scale.sureness(best).values()) + pull >= NEEDED
