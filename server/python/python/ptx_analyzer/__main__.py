"""`python -m ptx_analyzer`: runs the program that the package installs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def find_program() -> Path:
    """Return the path of the program `ptx-analyzer`. `FileNotFoundError` if it is not installed."""
    name = "ptx-analyzer" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    folders += [str(Path(__file__).parent.parent / "bin")]
    for folder in folders:
        program = Path(folder or "", name)
        if program.is_file():
            return program
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, folders))}: install the package again")


def main() -> int:
    """Run the program with the arguments of this one."""
    command = [str(find_program()), *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
