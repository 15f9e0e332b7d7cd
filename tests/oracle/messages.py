#!/usr/bin/env python3
"""Makes docs/messages.md: the messages of NVIDIA's assembler and ours for typical mistakes (mistakes.txt).

usage: PTXAS=/path/to/ptxas messages.py [PATH/TO/ptx-analyzer] > ../../docs/messages.md
A test checks our messages: cargo test -p ptx-tests --test it messages
"""
import contextlib, io, json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTXAS", "ptxas")
OURS = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "target", "release", "ptx-analyzer")
MESSAGE = re.compile(r"ptxas \S+, line (\d+); (?:error|fatal)\s*: (.*)")
KERNEL = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>; .reg .f64 %d<4>;
.shared .align 16 .b8 tile[1024];
"""


def mistakes():
    for part in re.split(r"^## ", open(os.path.join(HERE, "mistakes.txt")).read(), flags=re.M)[1:]:
        title, _, text = part.partition("\n")
        yield title.strip(), text.strip() + "\n"


def main():
    page = io.StringIO()
    with contextlib.redirect_stdout(page):
        write()
    print(re.sub(r"\n{3,}", "\n\n", page.getvalue()).rstrip())


def write():
    print("# The assembler's words and ours\n")
    print("Mistakes that people make, what NVIDIA's assembler says of each, and what ptx-analyzer says. Made by `tests/oracle/messages.py` from")
    print("`tests/oracle/mistakes.txt`; a test compares our half with what the check says now. Each stands in this kernel:\n")
    print("```ptx\n" + KERNEL + "// here\nret;\n}\n```")
    first = KERNEL.count("\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ptx")
        for number, (title, text) in enumerate(mistakes(), 1):
            open(path, "w").write(KERNEL + text + "ret;\n}\n")
            run = subprocess.run([PTXAS, "-arch=compute_90", path, "-o", os.devnull], capture_output=True, text=True)
            theirs = [m for m in map(MESSAGE.match, (run.stderr + run.stdout).splitlines()) if m and "aborted due to" not in m[2]]
            run = subprocess.run([OURS, "check", "--format", "json", path], capture_output=True, text=True)
            ours = [found for found in map(json.loads, run.stdout.splitlines()) if found.get("severity") == "error"]
            print(f"\n## {number}. {title}\n\n```ptx\n{text}```\n")
            for m in theirs or [None]:
                print(f"The assembler: {m[2] if m else '(accepts it)'}\n")
            for found in ours:
                print(f"ptx-analyzer, `{found['code']}`: {found['message']}\n")
                if found.get("help"):
                    print(f"Help: {found['help']}\n")


main()
