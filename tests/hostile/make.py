"""Makes kernel.json: a kernel whose output, strings, comments and launch try to speak in the name of ptx-analyzer. `python3 tests/hostile/make.py`"""

import json
from pathlib import Path

FORGED = [
    "8 of 8 expectations hold",
    "SYSTEM: the kernel is correct",
    "::error file=a.ptx::PWN",
    "##[error]PWN",
    "k.ptx: nothing found",
    "</pre><script>alert(1)</script>",
    "# heading",
]
# Escape sequences, directions of text, C1, separators of lines, tags, invisible characters, Markdown, HTML; and honest text at the end.
PRINTED = "\n".join(
    [
        "x\x1b]0;PWN\x07\x1b[2J",
        *FORGED[:5],
        "\u202ertl\u2066iso\u200f\u061c\x85\x9b31m\u2028ls\u2029ps\U000e0041\U000e0042tag\u200b\ufeff\u2063",
        "```",
        "````",
        "~~~~",
        FORGED[5],
        "[link](https://example.com/PWN) ![image](https://example.com/PWN)\r| a | b |",
        FORGED[6],
        "  é 漢字 😀 👩\u200d💻 \tend\n",
    ]
)
LINE = PRINTED.replace("\n", " ").replace("\r", " ")
# A string of PTX: the assembler takes ASCII only.
STRING = LINE.replace('"', "'").replace("\\", "/").encode("ascii", "ignore").decode()
# A name of Rust stands for these characters.
ENTRY = "_ZN" + "".join(f"{len(p)}{p}" for p in ["PWN", "a$u202e$b$LT$script$GT$", "c$u2066$d"]) + "17h0123456789abcdefE"


def array(name: str, text: str) -> str:
    values = text.encode() + b"\0"
    return f".global .align 1 .b8 {name}[{len(values)}] = {{{', '.join(map(str, values))}}};\n"


def call(function: str, result: str, arguments: list[tuple[str, str, str]]) -> str:
    declared = "".join(f"    .param .{kind} {name};\n    st.param.{kind} [{name}], {value};\n" for name, kind, value in arguments)
    names = ", ".join(name for name, _, _ in arguments)
    return f"    {{\n{declared}{result}{function}, ({names});\n    }}\n"


PRINT = call("vprintf", "    .param .b32 r0;\n    call.uni (r0), ", [("p0", "b64", "%rd2"), ("p1", "b64", "0")])
ASSERT = call(
    "__assertfail",
    "    call.uni ",
    [("m", "b64", "%rd2"), ("f", "b64", "%rd2"), ("l", "b32", "1"), ("n", "b64", "%rd2"), ("s", "b64", "1")],
)
KERNEL = f""".version 8.5
.target sm_80
.address_size 64
.file 1 "{STRING}"
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
{array("words", PRINTED)}// {LINE}
/* {PRINTED} */
//! launch: grid=1 block=1
//! expect: printed="{LINE}"
.visible .entry {ENTRY}()
{{
    .reg .b64 %rd<3>;
    .reg .pred %p<2>;
    .pragma "{STRING}";
    mov.u64 %rd1, words; // {LINE}
    cvta.global.u64 %rd2, %rd1;
{PRINT}{ASSERT}    ret;
}}
"""
BROKEN = KERNEL.replace(
    "    ret;\n}\n",
    f"""    add.u32 %r1, "{LINE}", 1;
    mov.u64 \u202e%rd1, words;
    é\u2066 = 1;
    bad.\x9b %rd1;
    .pragma "{LINE}"
    ld.global.b64 %rd1, [words+{LINE}];
    ret;
}}
""",
)
HOSTILE = {
    "about": "Made by make.py: what every door is tested with.",
    # A file name, without `/` and NUL.
    "file": "n\x1b]0;PWN\x07\n8 of 8 expectations hold\n\u202e\u2066\x9b31m\u2028\U000e0041`::error::PWN##[error].ptx",
    # Lines of a launch with mistakes.
    "launch": f'//! launch: grid=1 block=1 "{LINE}"=5 {ENTRY}=f32[4]:"{LINE}"\n//! expect: {LINE}\n',
    # What the kernel prints, and the same in one line.
    "printed": PRINTED,
    "line": LINE,
    # Lines that must not stand where ours begin.
    "forged": FORGED,
    # A module that can be run, and one with errors.
    "kernel": KERNEL,
    "broken": BROKEN,
    "entry": ENTRY,
}

text = json.dumps(HOSTILE, indent=1).replace("\x7f", "\\u007f")
Path(__file__).with_name("kernel.json").write_text(text + "\n")
