#!/usr/bin/env python3
"""The expected results of the kernels in correct/, computed from what each kernel is for and the inputs of its launch.

usage: model.py            compares the `//! expect:` lines with the model; status 1 and a line per difference
       model.py --write    writes the lines

A model is a few lines of Python that say what the kernel computes ("the sum of x", "each thread's neighbour"). It knows
neither PTX nor the interpreter, and no value in it comes from a run. It needs Python 3.9 and no packages.
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "correct"
MODELS = {}
FLOATS = ("f32", "f64", "f16", "bf16")
# Maximum length of a line of expectations.
WIDTH = 110


class Launch:
    """The inputs of a launch: `launch["x"]` is a number or a list, `launch.threads` the number of threads of the grid."""

    def __init__(self, text):
        self.values, self.types = {}, {}
        self.grid = self.block = self.cluster = 1
        for name, value in re.findall(r"(\w+)=(\{[^}]*\}|\[[^\]]*\]|[^\s(\[]*(?:\[[^\]]*\])?(?::?\w*(?:\([^)]*\))?)?)", text):
            if name in ("grid", "block", "cluster", "shared"):
                setattr(self, name, int(value))
            elif buffer := re.fullmatch(r"(\w+)\[([\d*]+)\]:(\w+)(?:\(([^)]*)\))?", value):
                kind, length, fill, arguments = buffer.groups()
                count = 1
                for factor in length.split("*"):
                    count *= int(factor)
                numbers = [float(a) if kind in FLOATS else int(a, 0) for a in (arguments or "").split(",") if a]
                self.types[name] = kind
                self.values[name] = filled(kind, count, fill, numbers)
            elif not value.startswith("{"):
                self.values[name] = float(value) if "." in value else int(value, 0)
        self.threads = self.grid * self.block

    def __getitem__(self, name):
        return self.values[name]


def filled(kind, count, fill, numbers):
    """The contents of a buffer."""
    zero = 0.0 if kind in FLOATS else 0
    if fill == "zero":
        return [zero] * count
    if fill == "iota":
        start, step = (numbers + [zero, zero + 1][len(numbers):])[:2]
        return [start + i * step for i in range(count)]
    if fill == "const":
        return [numbers[0]] * count
    raise ValueError(f"a fill `{fill}` is not known here")


def model(function):
    """Registers the model of the kernel with the function's name."""
    MODELS[function.__name__] = function
    return function


def number(value):
    return repr(float(value)) if isinstance(value, float) else str(value)


def expectations(name, values):
    """The contents of a buffer, as expectations: progressions as a fill, the rest as lists."""
    parts, at = [], 0
    whole = len(values)
    while at < whole:
        step = values[at + 1] - values[at] if at + 1 < whole else 0
        end = at + 1
        while end < whole and values[end] - values[end - 1] == step:
            end += 1
        if end - at >= 5 or (end - at == whole and whole > 2):
            fill = number(values[at]) if step == 0 else f"iota({number(values[at])},{number(step)})"
        else:
            end = at
            # A list goes on until a progression begins.
            while end < whole and end - at < 12:
                run = values[end:end + 5]
                if len(run) == 5 and len({b - a for a, b in zip(run, run[1:])}) == 1:
                    break
                end += 1
            fill = f"[{', '.join(map(number, values[at:end]))}]" if end - at > 1 else number(values[at])
        place = "" if (at, end) == (0, whole) and whole > 1 else f"[{at}]" if end - at == 1 else f"[{at}..{end}]"
        parts.append(f"{name}{place}={fill}")
        at = end
    return parts


def lines(buffers):
    """The `//! expect:` lines of a launch."""
    out, line = [], ""
    for part in (p for name, values in buffers.items() for p in expectations(name, values)):
        if line and len(line) + len(part) > WIDTH:
            out.append(line)
            line = ""
        line += " " + part
    return [f"//! expect:{line}" for line in [*out, line]]


def rewritten(name, text):
    """The text of a kernel with the expectations of the model."""
    out, launch, found = [], None, 0

    def finish():
        nonlocal launch
        if launch is not None:
            out.extend(lines(MODELS[name](Launch(launch))))
        launch = None

    for line in text.split("\n"):
        if line.startswith("//! launch:"):
            finish()
            launch, found = line[len("//! launch:"):], found + 1
        elif line.startswith("//! expect:"):
            continue
        elif re.match(r"//! (params|buffers|globals):", line):
            launch += " " + line.split(":", 1)[1]
        else:
            finish()
        out.append(line)
    if not found:
        raise ValueError(f"{name} has no launch")
    return "\n".join(out)


# ---- the models


def passes_42(launch):
    """CTA 1 stores the value 42 that CTA 0 has sent."""
    return {"out": [42]}


for name in ("release_acquire_gpu fence_relaxed membar_volatile sys_scope mixed_scopes cluster_scope atomics fence_sc one_way_fences "
             "red_release").split():
    MODELS[f"mp_{name}"] = passes_42


# Matrix products: all elements of A and B are 1.0 unless said otherwise, and k is 16.
ONES = 16 * 1.0 * 1.0
TWOS = 16 * 1.0 * 2.0


@model
def wgmma_generic_stores(launch):
    return {"out": [ONES] * launch.threads}


@model
def wgmma_two_groups(launch):
    return {"out": [ONES] * launch.threads + [1.0 + ONES] * launch.threads}


@model
def wgmma_chain(launch):
    return {"out": [3 * ONES] * launch.threads}


@model
def wgmma_fragments(launch):
    # The first of four registers holds row lane / 4 and k below 8: the row of the first accumulator. It is 0 the second time.
    return {"out": [16 * 2.0 + (16 - 8) * 2.0] * launch.threads}


@model
def wgmma_bulk_refill(launch):
    return {"out": [ONES + 16 * launch["in"][0]] * launch.threads}


@model
def wgmma_store_refill(launch):
    return {"out": [ONES + TWOS] * launch.threads}


@model
def tcgen05_product(launch):
    return {"out": [ONES] * launch.threads}


@model
def tcgen05_accumulate(launch):
    return {"out": [3 * ONES] * launch.threads}


@model
def tcgen05_st_ld(launch):
    return {"out": [float(thread) for thread in range(launch.threads)]}


@model
def tcgen05_st_then_product(launch):
    return {"out": [5.0 + ONES] * launch.threads}


@model
def tcgen05_read_then_product(launch):
    return {"out": [ONES] * launch.threads + [2 * ONES] * launch.threads}


@model
def tcgen05_operand_refill(launch):
    return {"out": [ONES + 16 * launch["in"][0]] * launch.threads}


@model
def tcgen05_cp(launch):
    return {"out": [0x3C003C00] * launch.threads}


def peer_values(launch):
    """Thread t of CTA r of a pair holds 256 r + t; each thread gets the value of the same thread of the other CTA."""
    return [256 * (1 - rank) + thread for rank in range(2) for thread in range(launch.block)]


for name in "dsmem_exchange dsmem_push cluster_barrier_fence dsmem_exit_early_reader".split():
    MODELS[name] = lambda launch: {"out": peer_values(launch)}


@model
def cluster_barrier_explicit(launch):
    return {"out": [value + 1000 * (i % launch.block) for i, value in enumerate(peer_values(launch))]}


@model
def dsmem_atomic(launch):
    return {"out": [2 * (thread + 1) for thread in range(launch.block)]}


@model
def remote_arrive(launch):
    return {"out": [99]}


@model
def multicast_bulk(launch):
    return {"out": [launch["in"][1] + rank for rank in range(2)]}


@model
def bar_sync_reverse(launch):
    return {"out": [3 * t for t in range(launch.block)][::-1]}


@model
def bar_sync_rounds(launch):
    return {"out": [(t + 4) % launch.block for t in range(launch.block)]}


@model
def bar_arrive_producer(launch):
    return {"out": [100 + lane for lane in range(32)]}


@model
def bar_named_ring(launch):
    return {"out": [sum(100 * n + lane for n in range(6)) for lane in range(32)]}


@model
def bar_red(launch):
    votes = sum(t % 3 == 0 for t in range(launch.block))
    return {"out": [1000 * votes + (t + 64) % 128 for t in range(launch.block)]}


def other_warp(launch):
    """The index of the same lane in the other warp of a pair."""
    return {"out": [(t // 64) * 64 + (t + 32) % 64 for t in range(len(launch["out"]))]}


MODELS["bar_pairs"] = MODELS["bar_after_exit"] = other_warp


@model
def barrier_divergent(launch):
    # The other warp, and the other half of it.
    return {"out": [(t + 32) % 64 // 32 * 32 + (t + 16) % 32 for t in range(64)]}


@model
def shared_histogram(launch):
    return {"out": [sum(x % 8 == value for x in launch["in"]) for value in range(8)]}


@model
def tree_reduction(launch):
    return {"out": [sum(launch["in"])]}


@model
def warp_exchange(launch):
    return {"out": [7 + (t ^ 5) for t in range(32)]}


@model
def warp_halves(launch):
    return {"out": [t ^ (1 if t < 16 else 2) for t in range(32)]}


@model
def shfl_scan(launch):
    return {"out": [sum(launch["in"][: t + 1]) for t in range(32)]}


@model
def ballot_compact(launch):
    return {"out": [x for x in launch["in"] if x % 2 == 0]}


@model
def match_groups(launch):
    return {"out": [launch.grid * sum(lane % 5 == key for lane in range(32)) for key in range(5)]}


@model
def redux_values(launch):
    values = [37 * t % 64 for t in range(32)]
    return {"out": [sum(values), min(values), max(values)]}


@model
def volatile_lockstep(launch):
    return {"out": [sum(range(32))]}


@model
def elect_leader(launch):
    return {"out": [1234 + t for t in range(32)]}


@model
def store_buffering(launch):
    return {"flag": [1, 1], "out": [1]}


@model
def release_sequence(launch):
    return {"flag": [2], "out": [31]}


@model
def transitive_order(launch):
    return {"out": [55]}


def sum_of_ctas(launch):
    return {"n": [sum(range(launch.grid))]}


for name in "lock_spin lock_ticket lock_membar".split():
    MODELS[name] = sum_of_ctas


@model
def lock_shared(launch):
    return {"out": [sum(range(0, launch.block, 32))]}


@model
def lock_lanes(launch):
    return {"n": [sum(range(launch.block))], "lock": [0]}


@model
def grid_barrier(launch):
    # Each of two rounds passes a value on from the next CTA.
    return {"out": [(i + 2 * 32) % 96 for i in range(96)]}


@model
def last_block(launch):
    return {"out": [sum(2 * (32 * cta + t) for cta in range(3)) for t in range(32)], "ticket": [0]}


def prefix_sums(launch):
    return [sum(launch["in"][: i + 1]) for i in range(launch.grid)]


@model
def lookback_packed(launch):
    return {"out": prefix_sums(launch)}


@model
def lookback_flags(launch):
    return {"sum": prefix_sums(launch), "flag": [1] * launch.grid}


@model
def bar_carries_acquire(launch):
    return {"out": [1000 + t for t in range(launch.block)]}


@model
def atomic_scopes(launch):
    return {"percluster": [launch.cluster * 32] * 2, "out": [launch.threads, 31, launch.threads]}


MODELS["mp_shared_cta"] = MODELS["mp_shared_volatile"] = lambda launch: {"out": [77]}


@model
def read_only_data(launch):
    return {"out": [x + [100, 200, 300, 400][t % 4] for t, x in enumerate(launch["in"])]}


@model
def texture_read(launch):
    return {"out": [2.0 * texel for texel in range(8)]}


@model
def carved_shared(launch):
    # Each thread adds the two values of thread 31 - t, and passes the sum to its neighbour.
    sums = [(31 - t) + (31 - t + 100) for t in range(32)]
    return {"out": [sums[t ^ 1] for t in range(32)]}


@model
def dynamic_shared(launch):
    return {"out": [5 * (31 - t) + (31 - t) for t in range(32)]}


@model
def generic_addresses(launch):
    return {"out": [t ^ 33 for t in range(64)]}


@model
def grid_dependency(launch):
    return {"out": [x + 1 for x in launch["in"]]}


@model
def setmaxnreg_roles(launch):
    return {"out": [11 * i for i in range(128)]}


def other_half(launch):
    """Each thread gets the index of the same lane in the other of two warps."""
    return {"out": [t ^ 32 for t in range(64)]}


for name in "mbarrier_state mbarrier_count mbarrier_relaxed mbarrier_wait_hint".split():
    MODELS[name] = other_half


@model
def mbarrier_rounds(launch):
    # Six phases are three rounds of a store and a load from the next thread.
    return {"out": [(t + 3) % 64 for t in range(64)]}


@model
def mbarrier_ring(launch):
    return {"out": [sum(10 * n + lane for n in range(6)) for lane in range(32)]}


@model
def mbarrier_drop(launch):
    return {"out": [9 * (32 + lane) for lane in range(32)]}


@model
def mbarrier_pending_count(launch):
    # Before the arrivals of 1 and of 2: 4, and 4 - 1.
    return {"out": [4, 3]}


@model
def mbarrier_complete_tx(launch):
    return {"out": [32 + lane for lane in range(32)]}


@model
def mbarrier_inval_reuse(launch):
    return {"out": [77] * 32}


@model
def cp_async_own(launch):
    return {"out": launch["in"][:32]}


def both_halves(launch):
    return {"out": [launch["in"][31 - t] + launch["in"][63 - t] for t in range(32)]}


MODELS["cp_async_groups"] = MODELS["cp_async_refill"] = both_halves


@model
def cp_async_zero_fill(launch):
    # Only odd threads copy.
    return {"out": [launch["in"][31 - t] if (31 - t) % 2 else 0 for t in range(32)]}


def reversed_input(launch):
    return {"out": launch["in"][:32][::-1]}


for name in "cp_async_mbarrier_noinc cp_async_mbarrier_inc bulk_load".split():
    MODELS[name] = reversed_input


@model
def bulk_load_elected(launch):
    return {"out": launch["in"][::-1] * 2}


MODELS["bulk_store"] = MODELS["bulk_store_late_fence"] = lambda launch: {"out": [6 * t for t in range(32)]}


@model
def bulk_store_reuse(launch):
    return {"out": [6 * t for t in range(32)] + [6 * t + 1000 for t in range(32)]}


@model
def bulk_store_then_load(launch):
    values = [6 * t for t in range(32)]
    return {"out": values + values[::-1]}


@model
def bulk_reduce(launch):
    return {"out": [start + launch.grid * 6 * t for t, start in enumerate(launch["out"])]}


@model
def bulk_to_peer(launch):
    return {"out": [100 * (1 - rank) + t for rank in range(2) for t in range(32)]}


@model
def bulk_ring(launch):
    return {"out": [sum(launch["in"][32 * n + lane] for n in range(5)) for lane in range(32)]}


MODELS["st_async"] = MODELS["bulk_to_peer"]


@model
def red_async(launch):
    return {"out": [1000 + 100 * (1 - rank) + t for rank in range(2) for t in range(32)]}


def box(column):
    """Row-major indices of a box of 8 x 4 elements in a tensor of 16 x 4."""
    return [16 * row + column + i for row in range(4) for i in range(8)]


@model
def tma_load(launch):
    return {"out": [launch["x"][i] for cta in range(2) for i in box(8 * cta)]}


@model
def tma_store(launch):
    x = launch["x"][:]
    for cta in range(2):
        for t, i in enumerate(box(8 * cta)):
            x[i] = 100 * cta + t
    return {"x": x}


@model
def tma_reduce(launch):
    x = launch["x"][:]
    for cta in range(2):
        for t, i in enumerate(box(8)):
            x[i] += 100 * cta + t
    return {"x": x}


@model
def launch_control(launch):
    return {"out": list(range(launch.threads))}


# ---- the comparison


def main():
    wrong = 0
    names = sorted(p.stem for p in FOLDER.glob("*.ptx"))
    for name in sorted(set(names) ^ set(MODELS)):
        print(f"{name}: " + ("it has no model" if name in names else "there is no such kernel"))
        wrong += 1
    for name in (n for n in names if n in MODELS):
        path = FOLDER / f"{name}.ptx"
        text = path.read_text()
        expected = rewritten(name, text)
        if text == expected:
            continue
        if "--write" in sys.argv[1:]:
            path.write_text(expected)
            continue
        wrong += 1
        pairs = zip((l for l in text.split("\n") if "//! expect:" in l), (l for l in expected.split("\n") if "//! expect:" in l))
        print(f"{name}: the expectations are not those of the model", *(f"  {a}\n  {b}" for a, b in pairs if a != b), sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
