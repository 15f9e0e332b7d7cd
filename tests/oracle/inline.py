#!/usr/bin/env python3
"""Asks NVIDIA's compilers about the small CUDA C++ functions in tests/inline/probes, and records what they say.

usage: PTXAS=/path/to/ptxas NVRTC=/path/to/libnvrtc.so.13 inline.py [--show] [NAME...]
  without names: asks about all probes and writes tests/inline/verdicts.tsv; exits with 1 if a verdict is not the marked one
  with names:    prints the verdicts of these probes, with --show also the PTX that NVRTC generates

NVRTC turns a probe into PTX; ptxas then checks the PTX. Both come from PyPI (nvidia-cuda-nvrtc, nvidia-cuda-nvcc) and are
not part of this project: they are needed only to record verdicts. tests/inline/README.md describes probes and verdicts.
"""
import ctypes, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INLINE = os.path.join(HERE, "..", "inline")
PTXAS = os.environ.get("PTXAS", "ptxas")
TARGETS = ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"]
MARK = re.compile(r"/[/*]! ([\w-]+)([^*/\n]*)")
LINE = re.compile(r"ptxas (\S+), line (\d+); (\w+)\s*: (.*)")
# The messages of NVRTC, as classes.
CLASSES = [
    ("internal", r"Internal Compiler Error"),
    ("constraint", r"asm operand type size|impossible constraint|illegal constraint|[Ii]nvalid constraint|unrecognized constraint|incorrect.*constraint|an asm operand must|asm constraint"),
    ("modifier", r"operand modifier"),
    ("clobber", r"clobber"),
    ("type", r"operand must have|must have scalar type|type .* asm|scalar type"),
]


class Probe:
    """A function of a probe file: its name, its text, and its marks as (line, code, targets, reason)."""

    def __init__(self, file, name, lines):
        self.file, self.name, self.text = file, name, "\n".join(lines).rstrip() + "\n"
        self.marks = []
        for number, line in enumerate(lines, 1):
            for m in MARK.finditer(line):
                what, _, reason = m[2].partition(":")
                self.marks.append((number, m[1], what.split() or TARGETS, reason.strip()))


def probes():
    """Returns all probes, in the order of the files and of the text in them."""
    out = []
    folder = os.path.join(INLINE, "probes")
    for file in sorted(os.listdir(folder)):
        name, lines = None, []
        for line in open(os.path.join(folder, file)).read().split("\n"):
            if m := re.match(r"// probe: (\S+)$", line):
                if name:
                    out.append(Probe(file, name, lines))
                name, lines = m[1], []
            else:
                lines.append(line)
        if name:
            out.append(Probe(file, name, lines))
    names = [p.name for p in out]
    if twice := {n for n in names if names.count(n) > 1}:
        raise SystemExit(f"two probes have the name {', '.join(twice)}")
    return out


class Nvrtc:
    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("NVRTC", "libnvrtc.so.13"))

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"NVRTC {major.value}.{minor.value}"

    def compile(self, text, target):
        """Returns (PTX or None, messages)."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"probe.cu", 0, None, None)
        options = [b"--gpu-architecture=" + target.replace("sm_", "compute_").encode(), b"--std=c++17", b"-lineinfo", b"--device-int128"]
        failed = self.lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        self.lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.lib.nvrtcGetProgramLog(program, log)
        ptx = None
        if not failed:
            self.lib.nvrtcGetPTXSize(program, ctypes.byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            self.lib.nvrtcGetPTX(program, buffer)
            ptx = buffer.raw[:size.value].rstrip(b"\0").decode(errors="replace")
        self.lib.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx, log.value.decode(errors="replace")


def nvrtc_error(log):
    """Returns (class, message, line or None) of the first error in NVRTC's messages."""
    for line in log.splitlines():
        if m := re.match(r"probe\.cu\((\d+)\)(?:\s*\(col\. \d+\))?: (?:catastrophic )?error(?: #[\w-]+)?: (.*)", line):
            number, message = int(m[1]), m[2].strip()
            break
    else:
        # A crash of the compiler names no line.
        number, message = None, next((l.strip() for l in log.splitlines() if "rror" in l), log.strip() or "no message")
    kind = next((k for k, pattern in CLASSES if re.search(pattern, message)), "error")
    return kind, message, number


def ptxas_error(ptx, target):
    """Returns None, or (message, line in the PTX) of the first error."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        with open(name, "w") as f:
            f.write(ptx)
        run = subprocess.run([PTXAS, "-arch=" + target, name, "-o", os.devnull], capture_output=True, text=True, errors="replace")
    if run.returncode == 0:
        return None
    for line in (run.stderr + run.stdout).splitlines():
        m = LINE.match(line)
        if m and m[1] == name and m[3] in ("error", "fatal"):
            return m[4].strip(), int(m[2])
    # Some errors name no line.
    return next(line.split(":", 1)[1].strip() for line in (run.stderr + run.stdout).splitlines() if re.match(r"ptxas (error|fatal)", line)), None


def place(ptx, number):
    """Returns (line of the host text where the statement begins, text of the line) of a line of the PTX.

    A line behind a statement counts as the last line of that statement, since a missing semicolon is found there."""
    lines = ptx.split("\n")
    begin = next((k for k in range(number - 1, -1, -1) if "// begin inline asm" in lines[k]), None)
    end = next((k for k in range(begin or 0, number - 1) if "// end inline asm" in lines[k]), None)
    number = number if end is None else end
    loc = next((m for k in range(begin or 0, -1, -1) if (m := re.match(r"\s*\.loc\s+\d+ (\d+) ", lines[k]))), None)
    return (int(loc[1]) if begin is not None and loc else None), lines[number - 1].strip()


TOKEN = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\(?:.|\n)|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/|[()]')


def statement_height(text, line):
    """Returns the number of lines of the statement that begins at this line (1-based): up to the parenthesis that ends it."""
    rest = "".join(text.splitlines(keepends=True)[line - 1:])
    depth = 0
    for token in TOKEN.finditer(rest, max(rest.find("asm"), 0)):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == ")" and depth <= 0:
            return rest.count("\n", 0, token.end()) + 1
    return rest.count("\n") + 1


def stands_in(text, lines, first, mark):
    """Whether a line of the PTX can come from this line (1-based) of the host text, in the statement that begins at `first`.

    The longest word of the PTX line shows where that line begins. The line goes on over literals that do not end with a line break,
    and an error may be in any of them."""
    words = sorted(re.findall(r"[A-Za-z_][\w.:]*", text), key=len)
    if not words or text.startswith(".loc"):
        return True
    begin = next((k for k in range(mark, first - 1, -1) if words[-1].split(".")[0] in lines[k - 1]), None)
    return begin is not None and not any(re.search(r'\\n"', line) for line in lines[begin - 1:mark - 1])


def judge(nvrtc, probe, target):
    """Returns (NVRTC's verdict, ptxas's verdict, line, PTX); a verdict is `ok` or a message, `-` where nothing was asked.

    The line is that of the mark wherever the compilers' own line does not contradict it."""
    ptx, log = nvrtc.compile(probe.text, target)
    mark = next((m for m in probe.marks if target in m[2]), None)
    if ptx is None:
        kind, message, number = nvrtc_error(log)
        # An internal error names the line where the statement begins.
        if mark and kind == "internal" and (number is None or number <= mark[0] < number + statement_height(probe.text, number)):
            number = mark[0]
        return f"{kind}: {message}", "-", number, ptx
    if not (error := ptxas_error(ptx, target)):
        return "ok", "ok", None, ptx
    message, number = error
    host, text = place(ptx, number) if number else (mark and mark[0], "")
    if mark and host and host <= mark[0] < host + statement_height(probe.text, host) and stands_in(text, probe.text.split("\n"), host, mark[0]):
        host = mark[0]
    return "ok", re.sub(r"\s+", " ", message), host, ptx


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    nvrtc, every, rows, wrong = Nvrtc(), probes(), [], 0
    for probe in every:
        if names and probe.name not in names:
            continue
        for target in TARGETS:
            first, second, line, ptx = judge(nvrtc, probe, target)
            refused = (first, second) != ("ok", "ok")
            mark = next((m for m in probe.marks if target in m[2]), None)
            if refused != (mark is not None) or refused and line != mark[0]:
                wrong += 1
                print(f"{probe.file}: {probe.name} {target}: marked {mark and (mark[0], mark[1])}, but: {first} | {second} | line {line}", file=sys.stderr)
            rows.append((probe.name, target, first, second, str(line or "-")))
            if names:
                print("\t".join(rows[-1]))
                if "--show" in sys.argv:
                    print(ptx)
    if not names:
        ptxas = re.search(r"V(\d\S*)", subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout)[1]
        with open(os.path.join(INLINE, "verdicts.tsv"), "w") as f:
            f.write(f"# {nvrtc.version()}, ptxas {ptxas}, asked by tests/oracle/inline.py\n")
            f.write("# name\ttarget\tNVRTC\tptxas\tline\n")
            f.writelines("\t".join(row) + "\n" for row in rows)
        print(f"{len(every)} probes, {len(rows)} verdicts, {sum(r[2:4] != ('ok', 'ok') for r in rows)} refused, {wrong} not as marked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
