"""The version of the package, and of the rules as it plays them."""

__version__ = "0.1.0"

# Changes when the same moves and reveals may lead to another state; records carry it.
RULES_VERSION = 1
