#!/usr/bin/env python3
"""Asks NVIDIA's assembler about snippets, many in one run.

usage: PTXAS=/path/to/ptxas ask.py < lines          lines: `VERSION TARGET TEXT`
prints, in the same order: `OK|ERR VERSION TARGET TEXT<TAB>message`

The snippets are in the body of the kernel in declarations.ptx, each in its own braces. A syntax error ends the assembler's run,
so the script removes such a line and repeats the run with the rest. The assembler is not part of this project: it is needed only
to record verdicts.
"""
import os, re, subprocess, sys, tempfile

PTXAS = os.environ.get("PTXAS", "ptxas")
HERE = os.path.dirname(os.path.abspath(__file__))
LINE = re.compile(r"ptxas (\S+), line (\d+); (\w+)\s*: (.*)")


def assembler():
    """Returns the version of the assembler, such as `ptxas 13.5.37`, for the first line of a record."""
    said = subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout
    return "ptxas " + re.search(r"V(\d\S*)", said)[1]


def declarations(version, target):
    """Returns the declarations that this version and target support, in one line (as tests/src/snippets.rs does)."""
    number = int(re.match(r"sm_(\d+)", target)[1])
    have = tuple(map(int, version.split(".")))
    out = []
    for line in open(os.path.join(HERE, "declarations.ptx")):
        text, _, comment = line.partition("//")
        if needs := re.match(r" from (\d+)\.(\d+) sm_(\d+)", comment):
            if have < (int(needs[1]), int(needs[2])) or number < int(needs[3]):
                continue
        if (mode := re.match(r" in (\w+)", comment)) and mode[1] not in target:
            continue
        out.append(text.strip())
    return " ".join(out)


def ask(version, target, texts):
    """Returns the error messages for each text; an empty list means acceptance. The assembler is called as for a whole
    module."""
    size = ".address_size 64" if tuple(map(int, version.split("."))) >= (2, 3) else ""
    head = f".version {version}\n.target {target}\n{size}\n{declarations(version, target)}\n"
    base = head.count("\n") + 1
    # ptxas of CUDA 13 checks old targets too, if it is asked to generate code for a target that it still supports.
    number = int(re.match(r"sm_(\d+)", target)[1])
    # sm_101 has been renamed sm_110.
    name = target.split(",")[0]  # `sm_90,texmode_independent`
    arch = "compute_75" if number < 75 else name.replace("sm_", "compute_").replace("101", "110")
    out, live = [[] for _ in texts], list(range(len(texts)))
    while live:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "a.ptx")
            with open(name, "w") as f:
                f.write(head + "".join("{ " + texts[i] + " }\n" for i in live) + "L: ret;\n}\n")
            run = subprocess.run([PTXAS, "-arch=" + arch, name, "-o", os.devnull], capture_output=True, text=True)
        # Some instructions expand to built-in text. An error in that text has no line of the input; a crash has no line
        # at all.
        unknown = run.returncode < 0
        fatal, here, other = None, {}, []
        for line in (run.stderr + run.stdout).splitlines():
            m = LINE.match(line)
            k = int(m[2]) - base if m else -1
            if m and m[3] in ("warning", "info"):
                continue
            if m and m[1] == name and 0 <= k < len(live):
                fatal = k if m[3] == "fatal" else fatal
                here.setdefault(k, []).append(m[4])
            elif line.strip() and "aborted due to" not in line:
                unknown = unknown or bool(m)
                other.append(line)
        if fatal is not None and not unknown:
            out[live[fatal]] = here[fatal]
            live.pop(fatal)
            continue
        if unknown or (run.returncode and not here):
            if any("Unsupported" in line or "does not support" in line for line in other):
                raise SystemExit(f"{version} {target}: {other[0]}")
            if len(live) == 1:
                out[live[0]] = other[:1] or ["the assembler failed"]
                return out
            # The assembler failed without a line: bisect.
            for half in (live[: len(live) // 2], live[len(live) // 2 :]):
                for i, messages in zip(half, ask(version, target, [texts[i] for i in half])):
                    out[i] = messages
            return out
        if not here:
            return out
        # Some errors stop the assembler before it has checked everything: repeat with the remaining texts.
        for k, messages in here.items():
            out[live[k]] = messages
        live = [i for k, i in enumerate(live) if k not in here]
    return out


def main():
    groups, lines = {}, [line.rstrip("\n") for line in sys.stdin if line.strip()]
    for i, line in enumerate(lines):
        version, target, text = line.split(" ", 2)
        groups.setdefault((version, target), []).append((i, text))
    verdicts = [None] * len(lines)
    for (version, target), items in groups.items():
        # Use short runs, because each syntax error costs another run.
        for start in range(0, len(items), 2000):
            part = items[start : start + 2000]
            for (i, _), messages in zip(part, ask(version, target, [text for _, text in part])):
                verdicts[i] = messages
    for line, messages in zip(lines, verdicts):
        print(("ERR" if messages else "OK") + " " + line + "\t" + " | ".join(messages))


if __name__ == "__main__":
    main()
