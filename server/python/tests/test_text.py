"""`check`, `explain` and `registers`."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from conftest import KERNELS
from ptx_analyzer import CheckError, KernelFault, check, explain, load, registers
from ptx_text import HEADER

BAD = HEADER + ".entry k()\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %d;\n    add.u64 %d, %d, %r1; // ü\n    ret;\n}\n"


def test_check() -> None:
    diagnostics = check(BAD)
    first = next(d for d in diagnostics if d.severity == "error")
    assert (first.code, first.line, first.column, first.end_line, first.end_column) == ("operand-type", 8, 21, 8, 24)
    assert "%r1" in first.message and first.help and first.fixes == []
    assert str(first).startswith("8:21: error[operand-type]: ") and repr(first).startswith("<Diagnostic 8:21")


def test_fixes() -> None:
    text = BAD.replace("add.u64 %d, %d, %r1;", "add.u6 %d, %d, 1;")
    fixes = [fix for d in check(text, fixes=True) for fix in d.fixes]
    assert fixes and all(fix.title for fix in fixes)
    for edit in sorted(fixes[0].edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert not [d for d in check(text) if d.severity == "error"]


def test_parse_only() -> None:
    text = HEADER + ".entry k()\n{\n    .reg .b32 %r<3>;\n    ld.b32 %r1, [%r2];\n    cvta.to.global.u32 %r1, %r2;\n    ret;\n}\n"
    errors = [d.code for d in check(text) if d.severity == "error"]
    assert errors == ["narrow-address", "not-assembled"]
    assert not [d for d in check(text, parse_only=True) if d.severity == "error"]
    # What the parser refuses stays, and so do warnings.
    assert [d.code for d in check(BAD, parse_only=True) if d.severity == "error"] == ["operand-type"]
    narrow = text.replace("%r<3>", "%r<3>; .reg .b16 %r16").replace("[%r2]", "[%r16]")
    assert "narrow-address" in [d.code for d in check(narrow, parse_only=True) if d.severity == "warning"]


def test_target() -> None:
    text = (KERNELS / "tma_pipeline.ptx").read_text()
    assert not [d for d in check(text) if d.severity == "error"]
    assert [d.code for d in check(text, "sm_70") if d.severity == "error"]
    with pytest.raises(ValueError, match="`sm_1` is not an architecture"):
        check(text, target="sm_1")


def test_explain() -> None:
    assert explain("fma.rn.f32").startswith("```ptx\nfma.rn.f32")
    assert len(explain("mma", all=True)) > len(explain("mma"))
    with pytest.raises(LookupError, match="did you mean `fma`"):
        explain("fmaa")


def test_registers() -> None:
    report = registers((KERNELS / "tiled_matmul.ptx").read_text(), "sm_90")
    assert [r.name for r in report] == ["tiled_matmul"] and report[0].low <= report[0].registers <= report[0].high
    assert report[0].target == "sm_90" and report[0].occupancy is not None and report[0].occupancy.percent > 0
    with pytest.raises(CheckError, match="`k` has 1 error"):
        registers(BAD)


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEADER + ".entry k() { ret; }")
    for source in (path, str(path), path.read_text()):
        assert load(source).kernels == ["k"]
    assert load(path).path == path and load(path.read_text()).path is None
    with pytest.raises(FileNotFoundError):
        load("missing.ptx")
    for folder in (tmp_path, str(tmp_path), f"{tmp_path}/"):
        with pytest.raises(IsADirectoryError):
            load(folder)
    (tmp_path / "folder.ptx").mkdir()
    with pytest.raises(IsADirectoryError):
        load(str(tmp_path / "folder.ptx"))
    assert load("").kernels == []


def is_safe(text: str) -> bool:
    """Whether each character is shown: no control character, no direction of text, nothing invisible but joiners of emoji."""
    return all(unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") or c == "\u200d" for c in text)


def test_words_of_a_module_do_no_harm() -> None:
    hostile = json.loads((KERNELS.parent / "hostile" / "kernel.json").read_text())
    diagnostics = check(hostile["broken"], fixes=True)
    assert len(diagnostics) > 5
    for d in diagnostics:
        words = [str(d), repr(d), d.message, d.help or "", *map(repr, d.related), *(fix.title for fix in d.fixes)]
        assert all(map(is_safe, words)), words
    with pytest.raises(CheckError) as refused:
        load(hostile["broken"]).kernel(hostile["entry"])
    assert all(map(is_safe, str(refused.value).splitlines()))
    with pytest.raises(KernelFault) as failed:
        load(hostile["kernel"]).kernel(hostile["entry"])[1, 1]()
    lines = str(failed.value).splitlines()
    assert "assertion `x␛]0;PWN␇␛[2J␊8 of 8 expectations hold␊" in str(failed.value)
    assert all(map(is_safe, lines)) and not [line for line in lines if line.startswith(tuple(hostile["forged"]))]
    # What a kernel printed is data.
    assert failed.value.report.printed == hostile["printed"]
