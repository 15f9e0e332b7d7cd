#!/usr/bin/env python3
"""Measures how the time of `ptx-analyzer` grows with its input.

usage: growth.py FILE PICTURE.svg       FILE: a module with many kernels, for example of 8 MB. `check` of parts and multiples of it;
                                        prints figures and draws a picture
       growth.py --inputs [DOOR…] [NAME…] [--size N] [--all]
                                        inputs with N of one thing (10,000 by default) and with twice as many, through each door: check,
                                        regs, fmt, inline (check --inline), server (each request). Prints those that take more than
                                        2.3 times as long (--all: all of them), and ends with 1 if one of them is not in KNOWN.
                                        A name is one of tests/bench/inputs
PTX_ANALYZER: the program (by default the one that `cargo build --release` builds)
"""
import os, re, resource, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True

import inputs, server

RUNS = 3
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 300, 60, 44
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
program = os.environ.get("PTX_ANALYZER") or os.path.join(root, "target/release/ptx-analyzer")


def multiple(text, copies):
    """Returns the module with its functions and variables repeated under other names."""
    begin = text.rfind("\n", 0, text.index(".entry")) + 1
    head, rest = text[:begin], text[begin:]
    named = re.findall(r"^\.(?:visible |weak |extern )?\.?(?:entry|func)[^\n]*?([\w$]+)\(", rest, re.M)
    named += re.findall(r"\.(?:global|const|shared)[^\n;{]*?([\w$]+)(?:\[[^\]]*\])? *(?:=|;)", rest)
    names, word = set(named), re.compile(r"(?<![\w$%.])[A-Za-z_$][\w$]*")
    renamed = lambda copy: word.sub(lambda m: f"{m[0]}_{copy}" if m[0] in names else m[0], rest)
    return head + rest + "".join(renamed(copy) for copy in range(1, copies))


def part(text, denominator):
    """Returns the beginning of the module, up to the end of a function."""
    return text[: text.index("\n}\n", len(text) // denominator) + 3]


def seconds(path):
    best = float("inf")
    for _ in range(RUNS):
        begin = time.monotonic()
        done = subprocess.run([program, "check", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.monotonic() - begin)
        assert done.returncode == 0, f"{path} has errors"
    return best


def picture(points):
    """Draws the measured points, and the line on which they would lie if time were proportional to size."""
    most, longest = max(size for size, _ in points), max(time for _, time in points)
    across = lambda megabytes: LEFT + megabytes / most * (WIDTH - LEFT - 20)
    up = lambda time: HEIGHT - BOTTOM - time / longest * (HEIGHT - BOTTOM - 24)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<path d="M{LEFT} 16V{HEIGHT - BOTTOM}H{WIDTH - 12}" fill="none" stroke="#555"/>',
        f'<path d="M{across(0)} {up(0)}L{across(most):.0f} {up(points[-1][1]):.0f}" stroke="#bbb" stroke-dasharray="4 4"/>',
    ]
    for megabytes, time in points:
        x, y = across(megabytes), up(time)
        out.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="#1a6fb0"/>')
        # Place the label beside the line: above it at the right end, otherwise below it.
        anchor, shift, down = ("end", -8, -4) if x > WIDTH - 90 else ("start", 8, 16)
        if megabytes > most / 10:
            out.append(f'<text x="{x + shift:.0f}" y="{y + down:.0f}" text-anchor="{anchor}">{megabytes:.1f} MB: {time:.2f} s</text>')
    out.append(f'<text x="{(LEFT + WIDTH) // 2}" y="{HEIGHT - 10}" text-anchor="middle">size of the file, to {most:.0f} MB</text>')
    out.append(f'<text x="16" y="{HEIGHT // 2}" transform="rotate(-90 16 {HEIGHT // 2})" text-anchor="middle">seconds of check</text>')
    return "\n".join(out + ["</svg>", ""])


# What twice the input may cost, and the shortest time that is compared: processor time below it says nothing.
MOST_GROWTH, SHORTEST = 2.3, 0.1
# No input may take longer than this.
MOST_SECONDS = 60
COMMANDS = {
    "check": ["check"],
    "regs": ["regs"],
    "fmt": ["fmt", "--check"],
    "inline": ["check", "--inline", "--inline-target", "sm_90"],
}
# Inputs that are known to grow faster, with the door, and why they are left.
PARSER = "recovery of the parser"
UNCLOSED = "items that are not closed; the cause is not examined"
MODULE = "each name of the module is searched from its beginning"
LONG = "the nodes of one statement are searched for each place"
KNOWN = {
    **{(door, "prose"): PARSER for door in ("check", "regs", "fmt")},
    **{(door, "parameters_without_commas"): PARSER for door in ("check", "regs", "fmt")},
    **{(door, "bodies_that_are_not_closed"): UNCLOSED for door in ("check", "regs", "fmt")},
    **{(door, "parameter_lists_that_are_not_closed"): UNCLOSED for door in ("check", "regs", "fmt")},
    **{(door, "headers_in_error_with_bodies"): UNCLOSED for door in ("check", "regs", "fmt")},
    ("check", "unknown_directives_in_a_body"): "2.33 times; the cause is not examined",
    ("server", "calls_in_a_chain"): MODULE,
    ("server", "operands"): LONG,
}


def processor_seconds(arguments):
    """The processor time of a command, the least of several runs; at most MOST_SECONDS."""
    best = MOST_SECONDS
    for _ in range(RUNS):
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        best = min(best, used.ru_utime + used.ru_stime)
        if best > 2:
            break
    return best


def of_command(door, function, size, folder):
    made = function(size)
    ending, text = made if isinstance(made, tuple) else ("ptx", made)
    path = os.path.join(folder, f"input.{ending}")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return {door: processor_seconds([*COMMANDS[door], path])}


def of_server(function, size):
    best = {}
    for _ in range(RUNS):
        try:
            found = server.seconds(program, function(size))
        except TimeoutError as late:
            return {str(late): MOST_SECONDS}
        best = {what: min(time, best.get(what, time)) for what, time in found.items()}
    return best


def inputs_grow(arguments):
    size = int(arguments[arguments.index("--size") + 1]) if "--size" in arguments else 10_000
    doors = [door for door in (*COMMANDS, "server") if door in arguments] or [*COMMANDS, "server"]
    names = [a for a in arguments if a in inputs.PTX or a in inputs.HOST]
    new = 0
    with tempfile.TemporaryDirectory() as folder:
        for door in doors:
            for name, function in (inputs.HOST if door == "inline" else inputs.PTX).items():
                if names and name not in names:
                    continue
                measure = (lambda n: of_server(function, n)) if door == "server" else (lambda n: of_command(door, function, n, folder))
                once, twice = measure(size), measure(2 * size)
                for what, time in twice.items():
                    growth = time / max(once.get(what, time), 1e-3)
                    grows = time >= SHORTEST and growth > MOST_GROWTH or time >= MOST_SECONDS
                    known = (door, name) in KNOWN
                    new += grows and not known
                    if grows or "--all" in arguments:
                        note = f"  known: {KNOWN[door, name]}" if known else ""
                        print(f"{door:6} {name:50} {what:12} {once.get(what, 0):7.3f} s {time:7.3f} s  {growth:5.2f}{note}", flush=True)
    print(f"{new} inputs grow faster than {MOST_GROWTH} times")
    sys.exit(1 if new else 0)


def main():
    if "--inputs" in sys.argv:
        return inputs_grow(sys.argv[1:])
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = open(sys.argv[1], encoding="utf-8").read()
    texts = [part(text, n) for n in (16, 8, 4, 2)] + [text] + [multiple(text, n) for n in (2, 3, 4)]
    points = []
    with tempfile.TemporaryDirectory() as folder:
        for number, of in enumerate(texts):
            path = os.path.join(folder, f"{number}.ptx")
            with open(path, "w", encoding="utf-8") as file:
                file.write(of)
            points.append((len(of) / 1e6, seconds(path)))
            print(f"{points[-1][0]:6.2f} MB {points[-1][1]:6.3f} s  {points[-1][0] / points[-1][1]:5.1f} MB/s", flush=True)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture(points))


main()
