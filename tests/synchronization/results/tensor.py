"""Products of a warpgroup and of the fifth-generation tensor core."""

from . import MODELS, model


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


@model
def wgmma_pipeline(launch):
    return {"out": [ONES + ONES + TWOS] * launch.threads}


@model
def tcgen05_pipeline(launch):
    return {"out": [ONES + ONES] * launch.threads}


MODELS["tcgen05_one_waits"] = MODELS["tcgen05_ld_dependency"] = lambda launch: {"out": [ONES] * launch.threads}


@model
def tcgen05_shift(launch):
    return {"out": [ONES] * launch.threads}


@model
def tcgen05_two_accumulators(launch):
    return {"out": [ONES] * (2 * launch.threads)}


@model
def wgmma_operand_read(launch):
    return {"out": [ONES + 1.0] * launch.threads}


MODELS["wgmma_cp_async"] = MODELS["wgmma_late_fence"] = lambda launch: {"out": [ONES] * launch.threads}


@model
def tcgen05_a_in_tensor_memory(launch):
    return {"out": [TWOS] * launch.threads}


MODELS["tcgen05_cp_then_product"] = MODELS["tcgen05_product"]


@model
def tcgen05_st_beside_product(launch):
    return {"out": [ONES + thread for thread in range(launch.threads)]}
