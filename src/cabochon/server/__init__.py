"""The server: tables where people and bots play, kept in a database, shown to each viewer as far as it may know."""
