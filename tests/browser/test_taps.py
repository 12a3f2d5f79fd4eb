"""How many taps or clicks the moves take. The page shows positions in which each of them is due."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.driving import RunningServer, touch
from tests.browser.staging import Change, StagedTable, affordable, two_too_many


def pile(token: str) -> str:
    return f".pile[data-token={token}]"


def own_token(token: str) -> str:
    return f".own .tokens[data-token={token}]"


# The position, what to tap in it, and the moves that follow from that.
MOVES: dict[str, tuple[list[Change], list[str], list[str]]] = {
    "take three": ([], [pile("white"), pile("red"), pile("blue")], ["take"]),
    "take two": ([], [pile("white"), pile("white")], ["take"]),
    "buy without gold": ([affordable("1.1")], ["[data-place='1.1']"], ["buy", "pay"]),
    "buy with gold": ([affordable("2.3", wilds=1)], ["[data-place='2.3']"], ["buy", "pay"]),
    "reserve": ([], [pile("gold"), "[data-place='2.2']"], ["reserve"]),
    "return two": ([two_too_many], [own_token("white"), own_token("blue")], ["return", "return"]),
}


def test_a_move_takes_so_many_taps(device: Page, server: RunningServer) -> None:
    table = StagedTable(device, server)
    for name, (changes, taps, moves) in MOVES.items():
        table.show(*changes)
        for tap in taps:
            assert table.moves == [], name
            touch(device.locator(tap))
        device.locator(".table[data-phase=wait]").wait_for()
        expect(device.get_by_role("dialog")).to_have_count(0)
        while len(table.moves) < len(moves):
            device.wait_for_timeout(10)
        assert [move.split()[0] for move in table.moves] == moves, name
