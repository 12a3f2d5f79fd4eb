"""The server: tables where people and bots play, stored in a database; each viewer sees only what they may know."""
