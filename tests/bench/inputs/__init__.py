"""Inputs that have n of one thing: `growth.py --inputs` measures what doubling n costs. Each function takes n and returns a text."""

from . import bodies, characters, declarations, directives, functions, hosts, lists  # noqa: F401  They fill the tables.
from .common import HOST, PTX

__all__ = ["HOST", "PTX"]
