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
    out, work = [[] for _ in texts], [list(range(len(texts)))]
    while work:
        live = work.pop()
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "a.ptx")
            with open(name, "w") as f:
                f.write(head + "".join("{ " + texts[i] + " }\n" for i in live) + "L: ret;\n}\n")
            run = subprocess.run([PTXAS, "-arch=" + arch, name, "-o", os.devnull], capture_output=True, text=True)
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
                other.append(line)
        if run.returncode == 0 and not here:
            continue
        if any("Unsupported" in line or "does not support" in line for line in other):
            raise SystemExit(f"{version} {target}: {other[0]}")
        refused = {fatal: here[fatal]} if fatal is not None else here
        if refused:
            # Errors hide others: a syntax error ends the run, and early errors prevent later checks. Repeat with the remaining texts, in short
            # runs if the errors come one by one.
            for k, messages in refused.items():
                out[live[k]] = messages
            left = [i for k, i in enumerate(live) if k not in refused]
            size = len(left) if len(refused) * 50 > len(live) or len(left) <= 64 else max(64, len(left) // 16)
            work += [left[at : at + size] for at in range(0, len(left), size or 1)]
        elif len(live) == 1:
            out[live[0]] = other[:1] or ["the assembler failed"]
        else:
            # Some instructions expand to built-in text, in which an error has no line of the input; a crash has no line at all: bisect.
            work += [live[: len(live) // 2], live[len(live) // 2 :]]
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
