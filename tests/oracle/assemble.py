#!/usr/bin/env python3
"""Assembles every recorded legal statement in full, for a real architecture, and records what dies.

usage: PTXAS=/path/to/ptxas tests/oracle/assemble.py [verdicts/FAMILY | variants/KIND …]      (everything without arguments: half an hour on one core)
       PTXAS=/path/to/ptxas tests/oracle/assemble.py --ask < lines                            (lines: `VERSION TARGET TEXT`; prints, records nothing)
       tests/oracle/assemble.py --list

`verdicts` and `variants` record what the parser of the assembler accepts. Not all of that becomes machine code. For each of their files,
`assembled/FOLDER-NAME.txt.gz` holds

    # ptxas 13.5.37
    # asked COUNT CRC-32                       the accepted statements of that file when they were assembled
    ERR VERSION TARGET STATEMENT<TAB>MESSAGE   the assembler refuses to generate code for it
    DIE VERSION TARGET STATEMENT<TAB>HOW       it crashes: `signal 11`, the message of its internal error, or `no end` (of time or memory)

and nothing for the others, which are assembled. The test `assembled_statements_are_ours` compares them with our levels, and fails when the
statements have changed since: then run this script again, and for a new assembler as well.

`--list` does not run the assembler: it rewrites unbuilt-disagreements.txt, the statements with a different verdict of ours (first word), each with
a reason; unbuilt-reasons.txt has the reasons, by regular expression.

Statements are assembled in groups; what dies is found by halves. A target that this assembler generates no code for is assembled for its oldest.
"""
import gzip, os, re, resource, subprocess, sys, tempfile, zlib
from ask import HERE, LINE, PTXAS, assembler, declarations
from record import ROOT, read, tool

GROUP = 16
# What stands behind these in a group is not reached, and so is not assembled: they stand alone.
LEAVES = re.compile(r"(?:^|; )(?:@!?%\w+ )?(?:ret|exit|trap|bra|brx)\b")
INTERNAL = re.compile(r"(?i)internal (compiler )?error|assertion")
ENDLESS = re.compile(r"Memory allocation failure")
# Some statements never end and take all the memory there is.
SECONDS, BYTES = 3, 1 << 30
FATAL = re.compile(r"(?:error|fatal)\s*:\s*(?!Ptx assembly aborted)(.*)")


def architecture(target):
    """Returns the real architecture for which code is generated."""
    name = target.split(",")[0].replace("sm_101", "sm_110")
    return name if int(re.match(r"sm_(\d+)", name)[1]) >= 75 else "sm_75"


def limited():
    """Bounds the time of the processor and the memory of a run."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(version, target, texts):
    """Returns `(word, message, k)`: `OK`, or what ended the run and the statement that the message names, or None."""
    size = ".address_size 64" if tuple(map(int, version.split("."))) >= (2, 3) else ""
    head = f".version {version}\n.target {target}\n{size}\n{declarations(version, target)}\n"
    base = head.count("\n") + 1
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        with open(name, "w") as f:
            f.write(head + "".join("{ " + text + " }\n" for text in texts) + "L: ret;\n}\n")
        command = [PTXAS, "-arch=" + architecture(target), name, "-o", os.path.join(folder, "a.cubin")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS * 10, preexec_fn=limited)
        except subprocess.TimeoutExpired:
            return "DIE", "no end", None
    if done.returncode == 0:
        return "OK", "", None
    out = done.stderr + done.stdout
    internal = next((line for line in out.splitlines() if INTERNAL.search(line)), None)
    if done.returncode < 0 or internal:
        how = re.sub(r"^ptxas\s+", "", internal).strip() if internal else f"signal {-done.returncode}"
        return "DIE", re.sub(r"^.*?(fatal|error)\s*:\s*", "", how), None
    if ENDLESS.search(out):
        return "DIE", "no end", None
    for line in out.splitlines():
        if (m := LINE.match(line)) and m[3] in ("error", "fatal"):
            k = int(m[2]) - base
            return "ERR", m[4], k if 0 <= k < len(texts) else None
    m = FATAL.search(out)
    return "ERR", m[1] if m else f"exit status {done.returncode}", None


def assemble(version, target, texts):
    """Returns for each text None, or the word and the message of its end."""
    alone = [i for i, text in enumerate(texts) if LEAVES.search(text)]
    many = [i for i, text in enumerate(texts) if not LEAVES.search(text)]
    out, work = [None] * len(texts), [[i] for i in alone] + [many[at : at + GROUP] for at in range(0, len(many), GROUP)]
    while work:
        live = work.pop()
        word, message, _ = run(version, target, [texts[i] for i in live])
        if word == "OK":
            continue
        if len(live) == 1:
            out[live[0]] = (word, message)
        else:
            work += [live[: len(live) // 2], live[len(live) // 2 :]]
    return out


def chosen(name):
    """Returns the accepted statements of a record."""
    lines = [line[3:] for line in read(os.path.join(HERE, name + ".txt.gz")) if line.startswith("OK ")]
    return lines


def asked(lines):
    """Returns the identity of the accepted statements of a record."""
    return f"# asked {len(lines)} {zlib.crc32(''.join(line + chr(10) for line in lines).encode()):08x}"


def judged(lines):
    """Yields the recorded line of each of `VERSION TARGET TEXT` that dies."""
    groups, out = {}, {}
    for line in lines:
        version, target, text = line.split(" ", 2)
        groups.setdefault((version, target), []).append((line, text))
    for (version, target), items in groups.items():
        for (line, _), end in zip(items, assemble(version, target, [text for _, text in items])):
            out[line] = end
    for line in lines:
        if end := out[line]:
            yield f"{end[0]} {line}\t{end[1]}"


def every():
    folders = ("variants", "verdicts")
    return [f"{folder}/{name.removesuffix('.txt.gz')}" for folder in folders for name in sorted(os.listdir(os.path.join(HERE, folder)))]


def recorded(name):
    return os.path.join(HERE, "assembled", name.replace("/", "-") + ".txt.gz")


def record(name):
    lines = chosen(name)
    dead = list(judged(lines))
    path = recorded(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as f:
        f.write("".join(line + "\n" for line in [f"# {assembler()}", asked(lines), *dead]).encode())
    print(f"{name}: {len(lines)} statements, {len(dead)} die", flush=True)


def disagreements():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "ptx-tests", "--example", "snippets"], cwd=ROOT, check=True)
    reasons = [l.split("\t", 1) for l in read(os.path.join(HERE, "unbuilt-reasons.txt")) if l and not l.startswith("#")]
    out = []
    for name in every():
        lines = chosen(name)
        dead = dict((line.split("\t")[0][4:], line[:3]) for line in read(recorded(name)) if not line.startswith("#"))
        for mine in tool("built", text="".join(line + "\n" for line in lines)):
            word, line = mine.split(" ", 1)
            if word != dead.get(line, "OK"):
                reason = next((reason for pattern, reason in reasons if re.search(pattern, mine)), "?")
                out.append(f"{mine}\t{reason}")
    lacking = [line for line in out if line.endswith("\t?")]
    for line in lacking[:100]:
        print("no reason:", line)
    with open(os.path.join(HERE, "unbuilt-disagreements.txt"), "w") as f:
        f.write("# Where we and the assembler disagree on code generation, our verdict first; a tab; why. The test fails when one of these begins to agree.\n")
        f.write("".join(line + "\n" for line in sorted(out)))
    print(f"{len(out)} disagreements, {len(lacking)} without a reason")


def main():
    if "--list" in sys.argv:
        return disagreements()
    if "--ask" in sys.argv:
        for line in judged([line.rstrip("\n") for line in sys.stdin if line.strip()]):
            print(line)
        return
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    for name in names or every():
        record(name)


if __name__ == "__main__":
    main()
