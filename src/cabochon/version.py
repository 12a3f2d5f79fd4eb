"""The versions of the package and of the rules it plays."""

__version__ = "0.1.0"

# Increases when the same moves and reveals can lead to a different state; records contain it.
RULES_VERSION = 1
