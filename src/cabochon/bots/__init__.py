"""Bots: the protocol of a bot, the built-in bots, the levels for human players, and how bots are named."""

from cabochon.bots.levels import LADDER
from cabochon.bots.protocol import Analysis, Answer, Bot, BotError, Candidate, Limit
from cabochon.bots.specs import BotSpec, is_builtin, parse_spec

__all__ = [
    "LADDER",
    "Analysis",
    "Answer",
    "Bot",
    "BotError",
    "BotSpec",
    "Candidate",
    "Limit",
    "is_builtin",
    "parse_spec",
]
