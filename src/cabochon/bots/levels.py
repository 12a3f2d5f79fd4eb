"""The ladder of levels for people: names from the gentlest to the strongest, each with the spec of its bot.

`docs/bots.md` says how strong they are. Every level answers within 2 s on 2 cores.
"""

from __future__ import annotations

LADDER = {
    "novice": "greedy:temperature=0.12",
    "apprentice": "greedy:temperature=0.04",
    "journeyman": "greedy",
    "artisan": "search:nodes=20",
    "expert": "search:nodes=300",
    "master": "policy",
    "grandmaster": "champion:time=1.5,threads=2",
}
