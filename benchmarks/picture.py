"""Draw nDCG@10 against latency, for us, the baselines and the peers, as one SVG.

python -m benchmarks.picture REPORT.json benchmarks/recall.svg      (REPORT from `benchmarks.recall --json`)
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 420, 60, 50, 40, 20
FASTEST, SLOWEST = 0.01, 200.0  # milliseconds on the axis, logarithmic
BEST = 0.8  # nDCG at the top of the axis
EARLIER = Path(__file__).parent / "data" / "peers.json"  # on 175 questions, before this product was there
PEERS = Path(__file__).parent / "results" / "peers.json"  # on the memset of today, by `benchmarks.peers.run`


class Point(NamedTuple):
    name: str
    ndcg: float
    milliseconds: float
    kind: str  # own | baseline | peer


COLOURS = {"own": "#0b6e4f", "baseline": "#666666", "peer": "#b0572b"}


def main() -> int:
    report, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.write_text(draw(list(points(json.loads(report.read_text(encoding="utf-8"))))), encoding="utf-8")
    return 0


def points(report: dict[str, dict[str, dict[str, list[dict[str, object]]]]]) -> Iterator[Point]:
    for result in report["tasks"]["memset"]["engines"]:
        name = str(result["engine"])
        if name == "memory-skill":
            continue  # that it may abstain is another matter
        kinds = result["kinds"]
        assert isinstance(kinds, dict)
        own = name.startswith("memory-skill")
        shown = "memory-skill" if own else name
        yield Point(shown, kinds["all"]["nDCG"], float(str(result["p50_ms"])), "own" if own else "baseline")
    measured = json.loads(PEERS.read_text(encoding="utf-8"))["memset"]
    for peer in measured:
        yield Point(peer["engine"], peer["kinds"]["all"]["nDCG"], peer["p50_ms"], "peer")
    again = {peer["engine"].split()[0] for peer in measured}
    for peer in json.loads(EARLIER.read_text(encoding="utf-8"))["memset"]:
        if peer["engine"].split()[0] not in again:
            yield Point(f"{peer['engine']} (earlier)", peer["nDCG"], peer["p50_ms"], "peer")


def draw(found: list[Point]) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">Recall on memset: nDCG@10 against time for a query '
        "(up and left is better)</text>",
        *axes(),
        *(mark(point) for point in found),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def axes() -> Iterator[str]:
    for milliseconds in (0.01, 0.1, 1, 10, 100):
        x = across(milliseconds)
        yield f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{HEIGHT - BOTTOM}" stroke="#dddddd"/>'
        yield f'<text x="{x:.0f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{milliseconds:g} ms</text>'
    for step in range(0, 9, 2):
        y = up(step / 10)
        yield f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - RIGHT}" y2="{y:.0f}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{step / 10:.1f}</text>'


def mark(point: Point) -> str:
    x, y = across(point.milliseconds), up(point.ndcg)
    colour = COLOURS[point.kind]
    fill = "white" if point.kind == "peer" else colour
    anchor, shift = ("end", -9) if x > WIDTH - 130 else ("start", 9)
    weight = ' font-weight="bold"' if point.kind == "own" else ""
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x + shift:.0f}" y="{y + 4:.0f}" text-anchor="{anchor}" fill="{colour}"{weight}>'
        f"{escape(point.name)}</text>"
    )


def across(milliseconds: float) -> float:
    share = math.log(max(milliseconds, FASTEST) / FASTEST) / math.log(SLOWEST / FASTEST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def up(ndcg: float) -> float:
    return HEIGHT - BOTTOM - ndcg / BEST * (HEIGHT - BOTTOM - TOP)


if __name__ == "__main__":
    raise SystemExit(main())
