"""Training of networks by self-play, on a GPU or on a small scale on a CPU. It needs PyTorch (`cabochon[train]`).

`options` names every option of a run. `run` carries it out, with `checkpoints`, `evaluation` against fixed opponents
and a `plot`. It trains the `model` with its `optimizer`; on a GPU the model's blocks are `triton_kernels`. All learning
comes from `self_play` games, in one of three ways: `ppo`, `expert_iteration` (with a `batched_search`) or
`distillation`. With `distributed`, several processes learn together.
"""
