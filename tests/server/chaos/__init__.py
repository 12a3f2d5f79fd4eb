"""Faults of all kinds while people and bots play through several processes, and what must be true afterwards."""
