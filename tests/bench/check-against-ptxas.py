#!/usr/bin/env python3
"""Compares `ptx-analyzer check` with NVIDIA's assembler in check-only mode: runs both alternately on the same file.

usage: PTXAS=/path/to/ptxas check-against-ptxas.py FILE [ARCH [RUNS]]       ARCH: compute_120 by default, which generates no code
Needs `cargo build --release`. Prints the median of each in seconds, the highest memory, and the ratio.
"""
import os, resource, statistics, subprocess, sys, time

file = sys.argv[1]
arch = sys.argv[2] if len(sys.argv) > 2 else "compute_120"
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 7
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
commands = {
    "ptx-analyzer": [os.path.join(root, "target/release/ptx-analyzer"), "check", file],
    "ptxas": [os.environ.get("PTXAS", "ptxas"), "-arch=" + arch, file, "-o", os.devnull],
}
times = {name: [] for name in commands}
for _ in range(runs):
    for name, command in commands.items():
        begin = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times[name].append(time.monotonic() - begin)
for name, seconds in times.items():
    print(f"{name}: median {statistics.median(seconds):.3f} s, best {min(seconds):.3f} s")
print(f"ratio of the medians: {statistics.median(times['ptx-analyzer']) / statistics.median(times['ptxas']):.2f}")
print(f"highest memory of either: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
