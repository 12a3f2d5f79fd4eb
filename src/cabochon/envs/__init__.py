"""Environments for reinforcement learning: a batch of games on CPU or GPU, and the interfaces of other libraries.

`Batch` is here; `cabochon.envs.pettingzoo`, `cabochon.envs.gymnasium` and `cabochon.envs.openspiel` need the extra
`cabochon[envs]`. `docs/environments.md` describes them all.
"""

from cabochon.envs.batch import Batch

__all__ = ["Batch"]
