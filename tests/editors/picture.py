#!/usr/bin/env python3
"""Converts a capture of a terminal (`tmux capture-pane -p -e`) to an SVG picture.

    picture.py CAPTURE.ansi PICTURE.svg [--title TEXT] [--width COLUMNS]

Needs the package in requirements.txt beside it. The picture is self-contained.
"""
import argparse
import html
import io
import pathlib
import re

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

# Colours for text whose colour the capture does not specify.
THEME = TerminalTheme(
    (20, 22, 27),
    (210, 214, 222),
    [(20, 22, 27), (224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194), (171, 178, 191)],
    [(92, 99, 112), (240, 113, 120), (165, 214, 135), (240, 205, 140), (120, 190, 255), (215, 145, 235), (105, 200, 210), (220, 223, 228)],
)

# The default frame of Rich loads a font from the network.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}">
<title>TITLE</title>
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" rx="6" fill="#14161b"/>
<g class="{unique_id}-matrix" transform="translate(8, 6)">
{backgrounds}
{matrix}
</g>
</svg>
"""


def simple(capture: str) -> str:
    """Removes kinds and colours of underlines, which the reader does not support."""
    capture = re.sub(r"\x1b\[([0-9;:]*)m", lambda m: "\x1b[" + sgr(m[1]) + "m", capture)
    return re.sub(r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)", "", capture)


def sgr(codes: str) -> str:
    out = []
    rest = codes.split(";")
    while rest:
        code = rest.pop(0)
        if code.startswith("58"):
            if code == "58":
                rest = rest[4 if rest[:1] == ["2"] else 2 :]
        elif code.startswith("4:"):
            out.append("24" if code == "4:0" else "4")
        elif code != "59":
            out.append(code.replace("38:2::", "38:2:").replace("48:2::", "48:2:").replace(":", ";"))
    return ";".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--title", default="")
    parser.add_argument("--width", type=int, default=120)
    arguments = parser.parse_args()
    lines = simple(arguments.capture.read_text()).rstrip("\n").split("\n")
    console = Console(record=True, width=arguments.width, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines:
        console.print(Text.from_ansi(line, no_wrap=True, overflow="crop", end=""), soft_wrap=True)
    frame = FRAME.replace("TITLE", html.escape(arguments.title).replace("{", "{{").replace("}", "}}"))
    svg = console.export_svg(theme=THEME, code_format=frame, unique_id="ptx", font_aspect_ratio=0.602)
    # Remove trailing blanks, as editors do.
    arguments.picture.write_text("\n".join(line.rstrip() for line in svg.split("\n")) + "\n")


if __name__ == "__main__":
    main()
