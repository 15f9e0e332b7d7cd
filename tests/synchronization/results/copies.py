"""Barriers in memory, and asynchronous copies and stores."""

from . import MODELS, model
from .order import peer_values


@model
def multicast_bulk(launch):
    return {"out": [launch["in"][1] + rank for rank in range(2)]}


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


MODELS["dsmem_exit_by_mbarrier"] = lambda launch: {"out": peer_values(launch)}


@model
def st_async_sender_exits(launch):
    return {"out": [3 * t for t in range(32)]}


@model
def multicast_receivers_exit(launch):
    return {"out": [launch["in"][2] + 50 * rank for rank in range(2)]}


@model
def bulk_store_pipeline(launch):
    return {"out": [100 * n + t for n in range(5) for t in range(32)]}


@model
def nc_other_half(launch):
    return {"data": launch["data"][:32] + [x + 1 for x in launch["data"][:32]]}


@model
def tensormap_replaced(launch):
    return {"out": [launch["x2"][i] for i in box(0)]}


@model
def multicast_ring(launch):
    return {"out": [sum(launch["in"][4 * n + 1] for n in range(3))] * 2}


@model
def bulk_load_fresh_data(launch):
    return {"out": [13]}


@model
def bulk_reduce_to_peer(launch):
    return {"out": [5000 + 100 * (1 - rank) + t for rank in range(2) for t in range(32)]}


@model
def bulk_copy_through(launch):
    return {"out": launch["in"]}


@model
def bulk_store_by_consumer(launch):
    return {"out": [2 * t for t in range(32, 64)]}


MODELS["dsmem_then_bulk_store"] = MODELS["bulk_to_peer"]
