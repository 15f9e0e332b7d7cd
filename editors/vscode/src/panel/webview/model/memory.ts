// The request for the memory around an access.

import type { Access, MemoryRequest } from '../../../protocol';

export const MOST_BYTES = 512;

/** At most a few hundred bytes, beginning slightly before the lowest address. */
export function aroundAccess(access: Access): MemoryRequest | undefined {
    let low: bigint | undefined;
    let high = 0n;
    let lowest = 0;
    access.addresses.forEach((address, lane) => {
        if (address === null) return;
        const start = BigInt(`0x${address}`);
        if (low === undefined || start < low) {
            low = start;
            lowest = lane;
        }
        const end = start + BigInt(access.bytes);
        if (end > high) high = end;
    });
    if (low === undefined) return undefined;
    const from = (low / 16n) * 16n;
    const span = Number(((high - from + 15n) / 16n) * 16n);
    const length = Math.max(16, Math.min(MOST_BYTES, span));
    // Offsets are counted in the access's own space, addresses in global memory.
    if (access.space !== 'global') return { space: access.space, offset: Number(from), length, ...(access.space === 'local' ? { lane: lowest } : {}) };
    return { address: from.toString(16), length };
}

/** Whether a byte lies in one of the ranges. */
export function isWithin(ranges: readonly (readonly [number, number])[] | undefined, byte: number): boolean {
    return ranges?.some(([low, high]) => low <= byte && byte < high) ?? false;
}
