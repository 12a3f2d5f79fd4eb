"""The neural network that evaluates positions, in compiled code without a framework.

A seat's observation (`core.observation`) becomes entities with features (`nn.encoding`). The transformer turns them
into a logit for every action and every seat (`nn.transformer`), by integer matrix products made for the processor
(`nn.gemm`). The trained layers come from files (`nn.weights`); the package has one for each game and number of players.
`nn.network` puts this together: a position in, probabilities of actions and of winning out. The search calls
`nn.transformer.forward` itself, with a batch of positions.
"""
