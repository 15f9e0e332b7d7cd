#!/usr/bin/env python3
"""Makes the release archives: ptx-analyzer-VERSION-TARGET.tar.gz (.zip for Windows), each with a SHA-256 file beside it.

usage: archive.py [--out DIR] [--binary FILE] TARGET…

Zig links programs for Linux against glibc 2.17, so that they start on distributions from 2014 on, and those for macOS where this is
another system. The linker of this system links the others. requirements.txt beside this file lists Zig and cargo-zigbuild. --binary uses an existing program instead of building one.
Manual pages and completions come from the first of the programs that runs here, or from the one that PTX_ANALYZER names.

The same program gives the same archive, byte by byte: names are sorted, times are those of the last commit (or SOURCE_DATE_EPOCH).
"""

import argparse
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import third_parties

ROOT = third_parties.ROOT
GLIBC = "2.17"
COMPLETIONS = {
    "bash": "ptx-analyzer.bash",
    "zsh": "_ptx-analyzer",
    "fish": "ptx-analyzer.fish",
    "powershell": "_ptx-analyzer.ps1",
    "elvish": "ptx-analyzer.elv",
}


def said(*command):
    """Returns the standard output of a command."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def version():
    return said("cargo", "pkgid", "--package", third_parties.PROGRAM).decode().strip().rpartition("#")[2].rpartition("@")[2]


def build(target):
    """Compiles the program without paths of this machine in it."""
    linux = target.endswith("-linux-gnu")
    zig = linux or (target.endswith("-apple-darwin") and sys.platform != "darwin")
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    flags = [f"--remap-path-prefix={ROOT}=.", f"--remap-path-prefix={home}=cargo"]
    environment = {**os.environ, "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}
    command = ["cargo", "zigbuild" if zig else "build", "--locked", "--profile", "dist", "--package", third_parties.PROGRAM]
    subprocess.run([*command, "--target", f"{target}.{GLIBC}" if linux else target], cwd=ROOT, env=environment, check=True)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / target / "dist"
    return folder / (third_parties.PROGRAM + (".exe" if "windows" in target else ""))


def runs(program):
    try:
        return subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def pages(speaker):
    """Generates manual pages and completions with the program."""
    files = {f"completions/{name}": said(speaker, "completions", shell) for shell, name in COMPLETIONS.items()}
    with tempfile.TemporaryDirectory() as folder:
        said(speaker, "man", folder)
        files.update({f"man/man1/{page.name}": page.read_bytes() for page in Path(folder).iterdir()})
    return files


def tar(top, files, seconds):
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        with tarfile.open(mode="w", fileobj=stream, format=tarfile.USTAR_FORMAT) as archive:
            for name, (data, executable) in sorted(files.items()):
                entry = tarfile.TarInfo(f"{top}/{name}")
                entry.size, entry.mtime, entry.mode = len(data), seconds, 0o755 if executable else 0o644
                archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def pack(top, files, seconds):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, executable) in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}", time.gmtime(seconds)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)
    return packed.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "archives", metavar="DIR")
    parser.add_argument("--binary", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.binary and len(arguments.targets) != 1:
        parser.error("--binary is for one target")

    programs = {target: arguments.binary or build(target) for target in arguments.targets}
    speakers = [Path(os.environ["PTX_ANALYZER"])] if "PTX_ANALYZER" in os.environ else list(programs.values())
    speaker = next((program.resolve() for program in speakers if runs(program.resolve())), None)
    if speaker is None:
        sys.exit("archive.py: none of the programs runs here; name one that does in PTX_ANALYZER, for the manual pages")
    shared = {**pages(speaker), **{name: (ROOT / name).read_bytes() for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")}}
    shared["INSTALL.md"] = (ROOT / "docs/install.md").read_bytes()

    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or said("git", "log", "-1", "--format=%ct"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    for target, program in programs.items():
        windows = "windows" in target
        top = f"{third_parties.PROGRAM}-{version()}-{target}"
        files = {name: (data, False) for name, data in shared.items()}
        files["THIRD-PARTY.txt"] = (third_parties.notices([target]).encode(), False)
        files[third_parties.PROGRAM + (".exe" if windows else "")] = (program.read_bytes(), True)
        name, data = (f"{top}.zip", pack(top, files, seconds)) if windows else (f"{top}.tar.gz", tar(top, files, seconds))
        (arguments.out / name).write_bytes(data)
        (arguments.out / f"{name}.sha256").write_bytes(f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode())
        print(f"{name}: {len(data) / 1e6:.1f} MB, the program {program.stat().st_size / 1e6:.1f} MB")


main()
