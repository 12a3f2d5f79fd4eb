"""Tournaments between bots: the schedule, the games, the standings and the report."""
