"""The models of the kernels in correct/: what each of them is for, in a few lines.

A model takes the launch, in which `launch["x"]` is the contents of a buffer before the run, and returns the buffers after it.
It knows neither PTX nor the interpreter, and no value in it comes from a run.
"""

MODELS = {}


def model(function):
    """Registers the model of the kernel with the function's name."""
    MODELS[function.__name__] = function
    return function


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
def last_block_one_fence(launch):
    return {"out": [t + (64 + t) for t in range(64)], "ticket": [0]}


MODELS["dsmem_exit_by_mbarrier"] = lambda launch: {"out": peer_values(launch)}


@model
def st_async_sender_exits(launch):
    return {"out": [3 * t for t in range(32)]}


@model
def multicast_receivers_exit(launch):
    return {"out": [launch["in"][2] + 50 * rank for rank in range(2)]}


@model
def wgmma_pipeline(launch):
    return {"out": [ONES + ONES + TWOS] * launch.threads}


@model
def tcgen05_pipeline(launch):
    return {"out": [ONES + ONES] * launch.threads}


MODELS["tcgen05_one_waits"] = MODELS["tcgen05_ld_dependency"] = lambda launch: {"out": [ONES] * launch.threads}


@model
def bulk_store_pipeline(launch):
    return {"out": [100 * n + t for n in range(5) for t in range(32)]}


@model
def nc_other_half(launch):
    return {"data": launch["data"][:32] + [x + 1 for x in launch["data"][:32]]}


@model
def shared_toggle(launch):
    return {"out": [(t + 3) % 32 for t in range(32)]}


@model
def shared_end_pointer(launch):
    return {"out": [3 * 8]}


@model
def tensormap_replaced(launch):
    return {"out": [launch["x2"][i] for i in box(0)]}


@model
def proxy_fence_kinds(launch):
    return {"out": [t ^ 31 for t in range(32)]}


@model
def tcgen05_shift(launch):
    return {"out": [ONES] * launch.threads}


@model
def tcgen05_two_accumulators(launch):
    return {"out": [ONES] * (2 * launch.threads)}


@model
def multicast_ring(launch):
    return {"out": [sum(launch["in"][4 * n + 1] for n in range(3))] * 2}


@model
def warp_aggregated_atomic(launch):
    # Every place is taken by one thread.
    return {"count": [launch.threads], "out": [6] * launch.threads}


@model
def bulk_load_fresh_data(launch):
    return {"out": [13]}


@model
def cluster_init_relaxed(launch):
    return {"out": [1, 2]}


MODELS["cluster_barrier_divergent"] = lambda launch: {"out": peer_values(launch)}


@model
def cluster_barrier_after_exit(launch):
    return {"out": [256 * (1 - rank) + t for rank in range(2) for t in range(32)]}


@model
def bulk_reduce_to_peer(launch):
    return {"out": [5000 + 100 * (1 - rank) + t for rank in range(2) for t in range(32)]}


@model
def poll_with_sleep(launch):
    return {"out": [42]}
