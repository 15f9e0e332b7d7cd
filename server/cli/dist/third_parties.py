#!/usr/bin/env python3
"""Prints the notices of the crates that are part of the program, as their licences ask for.

usage: third_parties.py [--package NAME]… TARGET…      such as x86_64-unknown-linux-gnu

NAME is a package of the workspace, by default that of the program. Several packages have their notices in one list.

Crates that only take part in compiling, procedural macros among them, are not passed on and not named. A crate without a licence
file in its package, and none here in licences/NAME, is an error.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAM = "ptx-analyzer"
LICENCE = re.compile(r"^(licen[cs]e|copying|unlicense|copyright|notice)", re.IGNORECASE)
RULE = "-" * 78


def parts(target, program):
    """Returns the third-party packages that are linked into a package of the workspace for a target."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    ours = set(metadata["workspace_members"])
    waiting = [id for id in ours if packages[id]["name"] == program]
    if len(waiting) != 1:
        sys.exit(f"third_parties.py: the workspace has no package {program}")
    seen = set()
    while waiting:
        id = waiting.pop()
        if id in seen or any("proc-macro" in made["kind"] for made in packages[id]["targets"]):
            continue
        seen.add(id)
        for dependency in nodes[id]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return [packages[id] for id in seen - ours]


def texts(package):
    """Returns the licence files of a package by name. If the package offers a choice that includes the MIT licence,
    returns only the MIT files and copyright notices."""
    folders = [Path(package["manifest_path"]).parent, HERE / "licences" / package["name"]]
    files = [f for folder in folders if folder.is_dir() for f in sorted(folder.iterdir()) if f.is_file() and LICENCE.match(f.name)]
    if not files:
        sys.exit(f"third_parties.py: {package['name']} {package['version']} has no licence file: add one to licences/{package['name']}")
    mit = [file for file in files if "mit" in file.name.lower()]
    if mit and re.search(r"\bMIT\b", package["license"]) and " AND " not in package["license"]:
        files = mit + [file for file in files if re.match("notice|copyright", file.name, re.IGNORECASE)]
    return [file.read_text(encoding="utf-8").replace("\r\n", "\n").strip() for file in files]


def notices(targets, programs=(PROGRAM,)):
    """Returns the notices to distribute with packages for these targets: each text once, under all crates that have
    exactly this text."""
    packages = {(p["name"], p["version"]): p for target in targets for program in programs for p in parts(target, program)}
    under = {}
    for key in sorted(packages):
        under.setdefault("\n\n".join(texts(packages[key])), []).append(key)
    blocks = []
    for text, keys in sorted(under.items(), key=lambda entry: entry[1]):
        names = "\n".join(f"{name} {version} ({packages[name, version]['license']})" for name, version in keys)
        blocks.append(f"{names}\n\n{text}\n")
    return "ptx-analyzer contains these crates:\n\n" + f"\n{RULE}\n\n".join(blocks)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    programs = []
    while arguments[:1] == ["--package"]:
        programs.append("".join(arguments[1:2]))
        del arguments[:2]
    if not arguments or any(argument.startswith("-") for argument in arguments):
        sys.exit(__doc__)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print(notices(arguments, programs or [PROGRAM]), end="")
