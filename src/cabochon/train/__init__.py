"""Learning by self-play, on a GPU or small on a CPU; needs PyTorch (the extra `cabochon[train]`)."""
