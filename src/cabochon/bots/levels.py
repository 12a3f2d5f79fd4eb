"""The levels for human players: their names, from the easiest to the strongest, each with the spec of its bot.

`docs/bots.md` says how strong they are. Every level answers within 2 s on 2 cores.
"""

from __future__ import annotations

LADDER = {
    "novice": "learner:oversight=0.95,reserves=0.1,temperature=100",
    "apprentice": "learner:oversight=0.75,reserves=0.1,temperature=3",
    "journeyman": "learner:oversight=0.45,reserves=0.25",
    "artisan": "learner:oversight=0.25,reserves=0.45",
    "expert": "learner:oversight=0.1,reserves=0.7",
    "master": "policy",
    "grandmaster": "champion:time=1.5,threads=2",
}
