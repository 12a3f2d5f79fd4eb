"""Draw the icons of the installed page, as PNG, from `web/public/icons/icon.svg`.

python tools/icons.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.chromium import ARGUMENTS, find

FOLDER = Path(__file__).parent.parent / "web" / "public" / "icons"
# The name of each icon, its size, and the share of it that the drawing may fill; a system may crop some at the edges.
ICONS = {"icon-192": (192, 1.0), "icon-512": (512, 1.0), "maskable-512": (512, 0.9), "apple-180": (180, 0.9)}


def page_of(drawing: str, size: int, share: float) -> str:
    """Return a page with only the icon; if the icon may be cropped, its background extends to the edges."""
    if share < 1:
        drawing = drawing.replace(' rx="112"', "").replace(
            '<g id="emblem">', f'<g transform="translate(256 256) scale({share}) translate(-256 -256)">'
        )
    return f"<style>*{{margin:0}}svg{{display:block;width:{size}px;height:{size}px}}</style>{drawing}"


def main() -> None:
    """Write every icon."""
    drawing = (FOLDER / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        for name, (size, share) in ICONS.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(page_of(drawing, size, share))
            page.screenshot(path=FOLDER / f"{name}.png", omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
