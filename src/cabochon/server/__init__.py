"""The server: tables where people and bots play, stored in a database, shown to each viewer as far as they may see."""
