"""Environments for learning: a batch of games on CPU or GPU, PettingZoo, Gymnasium, OpenSpiel."""

from cabochon.envs.batch import Batch

__all__ = ["Batch"]
