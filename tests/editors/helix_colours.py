"""Reads a capture of Helix's screen with its colours (tmux capture-pane -e): each class of words must look different.

    helix_colours.py CAPTURE
"""
import re
import sys

# A word of each class in fixture/colours.ptx.
WORDS = {
    "opcode": "mad", "state space": ".global", "type": ".s32", "modifier": ".lo", "register": "%r2", "predicate": "%p1",
    "special register": "%tid", "parameter": "out", "label": "DONE", "number": "12,",
}


def looks(capture):
    """The text of each line with the look of each character: its colour, bold, italic, underlined."""
    look = {}
    for line in capture.split("\n"):
        text, of_text = "", []
        for escape, char in re.findall(r"\x1b\[([\d;]*)m|(.)", line):
            if char:
                text += char
                of_text.append(tuple(sorted((str(key), value) for key, value in look.items())))
                continue
            codes = [int(code or 0) for code in escape.split(";")]
            while codes:
                code = codes.pop(0)
                if code == 0:
                    look = {}
                elif code in (38, 48):
                    length = 4 if codes[0] == 2 else 2
                    if code == 38:
                        look["colour"] = tuple(codes[:length])
                    codes = codes[length:]
                elif code in (1, 3, 4):
                    look[code] = True
                elif code == 39:
                    look.pop("colour", None)
        yield text, of_text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = list(looks(file.read()))
    seen = {}
    for name, word in WORDS.items():
        places = [(text.index(word), of_text) for text, of_text in lines if word in text and ";" in text]
        if not places:
            sys.exit(f"{name}: {word} is not on the screen")
        column, of_text = places[0]
        other = seen.setdefault(of_text[column], name)
        if other != name:
            sys.exit(f"{name} looks like {other}: {of_text[column]}")


main()
