#!/usr/bin/env python3
"""Measures availability: for each statement and target, the PTX versions in which NVIDIA's assembler accepts it.

usage: PTXAS=/path/to/ptxas floors.py VERSIONS < statements        VERSIONS: the output of `snippets targets`
prints signatures (`s3 = sm_90:7.8 sm_90a:7.8 …`; `target:low`, or `target:low..high` if a newer version rejects it) and then,
for each statement, its signature's name. A target without an entry rejects the statement in every tested version.
"""
import sys
from ask import ask

STEP = 500


def accepts(memo, version, target, texts):
    """Fills memo[version, target, text] for all texts."""
    new = [t for t in texts if (version, target, t) not in memo]
    for start in range(0, len(new), STEP):
        part = new[start : start + STEP]
        for text, messages in zip(part, ask(version, target, part)):
            memo[version, target, text] = not messages


def edge(memo, target, versions, spans):
    """Bisects for all texts at once; spans[text] = [rejected, accepted] as indices of versions."""
    while any(abs(a - b) > 1 for a, b in spans.values()):
        groups = {}
        for text, (refused, taken) in spans.items():
            if abs(refused - taken) > 1:
                groups.setdefault((refused + taken) // 2, []).append(text)
        for middle, texts in groups.items():
            accepts(memo, versions[middle], target, texts)
            for text in texts:
                spans[text][1 if memo[versions[middle], target, text] else 0] = middle
    return {text: taken for text, (_, taken) in spans.items()}


def main():
    targets = {}
    for line in open(sys.argv[1]):
        name, *versions = line.split()
        targets[name] = versions
    texts = [line.rstrip("\n") for line in sys.stdin if line.strip()]
    spans = {text: {} for text in texts}
    for target, versions in targets.items():
        memo, newest = {}, len(versions) - 1
        accepts(memo, versions[newest], target, texts)
        taken = {t: newest for t in texts if memo[versions[newest], target, t]}
        # An older version may accept a statement that the newest rejects.
        for version in ("8.0", "6.3", "5.0", "3.1", "2.0", "1.4"):
            if version in versions:
                left = [t for t in texts if t not in taken]
                accepts(memo, version, target, left)
                taken.update({t: versions.index(version) for t in left if memo[version, target, t]})
        low = edge(memo, target, versions, {t: [-1, i] for t, i in taken.items()})
        high = edge(memo, target, versions, {t: [len(versions), i] for t, i in taken.items()})
        for text in taken:
            end = "" if high[text] == newest else ".." + versions[high[text]]
            spans[text][target] = versions[low[text]] + end
        print(target, len(taken), file=sys.stderr)
    names = {}
    for text in texts:
        names.setdefault(" ".join(f"{t}:{s}" for t, s in spans[text].items()), f"s{len(names)}")
    for signature, name in names.items():
        print(f"{name} = {signature}")
    for text in texts:
        print(names[" ".join(f"{t}:{s}" for t, s in spans[text].items())], text)


if __name__ == "__main__":
    main()
