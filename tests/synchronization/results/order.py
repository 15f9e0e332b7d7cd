"""Barriers, fences, scopes, locks, clusters, and memory that only one kind of access uses."""

from . import MODELS, model


def passes_42(launch):
    """CTA 1 stores the value 42 that CTA 0 has sent."""
    return {"out": [42]}


for name in ("release_acquire_gpu fence_relaxed membar_volatile sys_scope mixed_scopes cluster_scope atomics fence_sc one_way_fences "
             "red_release").split():
    MODELS[f"mp_{name}"] = passes_42


def peer_values(launch):
    """Thread t of CTA r of a pair holds 256 r + t; each thread gets the value of the same thread of the other CTA."""
    return [256 * (1 - rank) + thread for rank in range(2) for thread in range(launch.block)]


for name in "dsmem_exchange dsmem_push cluster_barrier_fence dsmem_exit_split".split():
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
def scope_phases(launch):
    return {"n": [5 + 7]}


@model
def scope_chain(launch):
    return {"out": [63]}


@model
def scope_own_counter(launch):
    return {"count": [2 * launch.block] * launch.grid, "out": [2 * launch.threads]}


@model
def scope_global_in_cta(launch):
    return {"out": [20 + cta for cta in range(launch.grid)]}


for name in "fence_cluster fence_sys extra_narrow_fences".split():
    MODELS[f"mp_{name}"] = passes_42


@model
def warp_carries_order(launch):
    return {"out": [500 + t for t in range(32)]}


@model
def lane_by_lane(launch):
    return {"data": [t + 7 for t in range(32)], "flags": [1] * 32, "out": [t + 7 for t in range(32)]}


@model
def lane_relay(launch):
    return {"data": [42], "first": [1], "second": [1], "out": [42]}


@model
def last_block_one_fence(launch):
    return {"out": [t + (64 + t) for t in range(64)], "ticket": [0]}


@model
def shared_toggle(launch):
    return {"out": [(t + 3) % 32 for t in range(32)]}


@model
def shared_end_pointer(launch):
    return {"out": [3 * 8]}


@model
def proxy_fence_kinds(launch):
    return {"out": [t ^ 31 for t in range(32)]}


@model
def warp_aggregated_atomic(launch):
    # Every place is taken by one thread.
    return {"count": [launch.threads], "out": [6] * launch.threads}


@model
def cluster_init_relaxed(launch):
    return {"out": [1, 2]}


MODELS["cluster_barrier_divergent"] = lambda launch: {"out": peer_values(launch)}


@model
def cluster_barrier_after_exit(launch):
    return {"out": [256 * (1 - rank) + t for rank in range(2) for t in range(32)]}


@model
def poll_with_sleep(launch):
    return {"out": [42]}


MODELS["dsmem_flag"] = MODELS["dsmem_flag_fences"] = lambda launch: {"out": [81]}


@model
def dsmem_lock(launch):
    return {"out": [3 * launch.cluster]}


@model
def cluster_then_grid(launch):
    return {"out": [64 + rank for rank in range(2)]}
