// Who wrote a value: whether a step of the warp wrote a register of a lane, or bytes of memory.

import type { Access, MemoryBlock, Step } from '../../../protocol';
import { hasLane } from './lanes';

/** Bytes in memory, as accesses and ranges of memory name them. */
export interface BytePlace {
    space: string;
    /** The offset in the state space; in global memory the address. Undefined for a named range of another space. */
    start: bigint | undefined;
    /** The name of what lies there, and the offset in it. */
    name: string | undefined;
    offset: number;
    size: number;
    /** The lane whose local memory it is. */
    lane: number | undefined;
}

/** The place of a value in a range of memory. `named` says that the range was requested by its name. */
export function placeIn(block: MemoryBlock, at: number, size: number, named: boolean, lane?: number): BytePlace {
    const start = block.space === 'global' ? BigInt(`0x${block.address.replace(/^0x/, '')}`) : named ? undefined : BigInt(block.offset);
    return { space: block.space, start: start === undefined ? undefined : start + BigInt(at), name: block.name ?? undefined, offset: block.offset + at, size, lane: block.space === 'local' ? lane : undefined };
}

/** Whether a step wrote a register in a lane. */
export function writesRegister(step: Step, name: string, lane: number): boolean {
    return hasLane(step.rows?.rows.find((row) => row.name === name)?.changed ?? 0, lane);
}

/** The lowest lane with which a step wrote one of the bytes; undefined if it did not. */
export function writerOfBytes(step: Step, place: BytePlace): number | undefined {
    for (const access of step.accesses ?? []) {
        if (access.kind === 'load' || access.space !== place.space) continue;
        const lane = access.addresses.findIndex((address, own) => address !== null && (place.lane === undefined || place.lane === own) && covers(access, own, address, place));
        if (lane >= 0) return lane;
    }
    return undefined;
}

function covers(access: Access, lane: number, address: string, place: BytePlace): boolean {
    if (place.start !== undefined) {
        const start = BigInt(`0x${address.replace(/^0x/, '')}`);
        return start < place.start + BigInt(place.size) && place.start < start + BigInt(access.bytes);
    }
    const named = /^(.*?)(?:\+(\d+))?$/.exec(access.names?.[lane] ?? '');
    if (named === null || place.name === undefined || named[1] !== place.name) return false;
    const start = Number(named[2] ?? 0);
    return start < place.offset + place.size && place.offset < start + access.bytes;
}
