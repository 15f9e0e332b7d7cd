// Memory accesses of a warp: banks of shared memory, sectors and lines of global memory, and nearby bytes.

import type { Access, ByteRange, MemoryBlock, MemoryRequest } from '../../../protocol';
import { addressOf, hasLane, LANES } from './lanes';

const BANKS = 32;
const WORD = 4n;
const SECTOR = 32n;
const LINE = 128n;

export interface Sector {
    /** The touched bytes of the sector, as ranges. */
    touched: ByteRange[];
    lanes: number[];
}

export interface MemoryLine {
    address: bigint;
    /** The position of the line's first touched byte in a named variable or buffer, if known. */
    name: string | undefined;
    sectors: Sector[];
}

/** The address of a lane's access; undefined if the lane did not take part. */
export function laneAddress(access: Access, lane: number): bigint | undefined {
    const text = access.addresses[lane];
    return text === undefined || text === null || !hasLane(access.lanes, lane) ? undefined : addressOf(text);
}

/** Lanes by bank of shared memory: from the server, otherwise computed from four-byte words. */
export function banksOf(access: Access): number[][] {
    if (access.banks !== undefined && access.banks.length === BANKS) return access.banks;
    const banks: number[][] = Array.from({ length: BANKS }, () => []);
    for (let lane = 0; lane < LANES; lane += 1) {
        const start = laneAddress(access, lane);
        if (start === undefined) continue;
        const first = start / WORD;
        const last = (start + BigInt(Math.max(1, access.bytes)) - 1n) / WORD;
        for (let word = first; word <= last; word += 1n) banks[Number(word % BigInt(BANKS))]?.push(lane);
    }
    return banks;
}

/** The touched 128-byte lines, each with its four sectors. */
export function linesOf(access: Access): MemoryLine[] {
    const lines = new Map<bigint, { name: string | undefined; sectors: { marks: Uint8Array; lanes: Set<number> }[] }>();
    for (let lane = 0; lane < LANES; lane += 1) {
        const start = laneAddress(access, lane);
        if (start === undefined) continue;
        for (let byte = 0n; byte < BigInt(access.bytes); byte += 1n) {
            const at = start + byte;
            const base = (at / LINE) * LINE;
            let line = lines.get(base);
            if (line === undefined) {
                line = {
                    name: access.names?.[lane] ?? undefined,
                    sectors: Array.from({ length: 4 }, () => ({ marks: new Uint8Array(Number(SECTOR)), lanes: new Set<number>() })),
                };
                lines.set(base, line);
            }
            const sector = line.sectors[Number((at - base) / SECTOR)];
            if (sector === undefined) continue;
            sector.marks[Number((at - base) % SECTOR)] = 1;
            sector.lanes.add(lane);
        }
    }
    return [...lines]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([address, line]) => ({
            address,
            name: line.name,
            sectors: line.sectors.map((sector) => ({ touched: rangesOf(sector.marks), lanes: [...sector.lanes] })),
        }));
}

function rangesOf(marks: Uint8Array): ByteRange[] {
    const ranges: ByteRange[] = [];
    for (let at = 0; at < marks.length; at += 1) {
        if (marks[at] === 0) continue;
        let end = at;
        while (end < marks.length && marks[end] !== 0) end += 1;
        ranges.push([at, end]);
        at = end;
    }
    return ranges;
}

/** Whether addresses of a space are offsets, because each warp or lane has its own memory. */
function hasOffsets(space: string): space is 'shared' | 'local' | 'param' | 'const' {
    return ['shared', 'local', 'param', 'const'].includes(space);
}

export const MOST_BYTES = 512;

/** The request for the bytes around an access: at most a few hundred, beginning slightly before the lowest address. */
export function aroundAccess(access: Access): MemoryRequest | undefined {
    let low: bigint | undefined;
    let high = 0n;
    let lowest = 0;
    for (let lane = 0; lane < LANES; lane += 1) {
        const start = laneAddress(access, lane);
        if (start === undefined) continue;
        if (low === undefined || start < low) {
            low = start;
            lowest = lane;
        }
        const end = start + BigInt(access.bytes);
        if (end > high) high = end;
    }
    if (low === undefined) return undefined;
    const from = (low / 16n) * 16n;
    const span = Number(((high - from + 15n) / 16n) * 16n);
    const length = Math.max(16, Math.min(MOST_BYTES, span));
    if (hasOffsets(access.space)) return { space: access.space, offset: Number(from), length, ...(access.space === 'local' ? { lane: lowest } : {}) };
    return { address: from.toString(16), length };
}

/** For each byte of a block, how an access touches it: 1 read, 2 written. */
export function touchedBytes(block: MemoryBlock, accesses: readonly Access[]): Uint8Array {
    const length = block.bytes.length / 2;
    const marks = new Uint8Array(length);
    const generic = addressOf(block.address);
    for (const access of accesses) {
        const offsets = hasOffsets(access.space);
        if (offsets && access.space !== block.space) continue;
        if (!offsets && hasOffsets(block.space) && access.space !== 'generic') continue;
        const base = offsets ? BigInt(block.offset) : generic;
        for (let lane = 0; lane < LANES; lane += 1) {
            const start = laneAddress(access, lane);
            if (start === undefined) continue;
            const from = start - base;
            for (let at = 0n; at < BigInt(access.bytes); at += 1n) {
                const byte = from + at;
                if (byte < 0n || byte >= BigInt(length)) continue;
                marks[Number(byte)] = (marks[Number(byte)] ?? 0) | (access.kind === 'load' ? 1 : access.kind === 'store' ? 2 : 3);
            }
        }
    }
    return marks;
}

export function isKnown(ranges: readonly ByteRange[], from: number, to: number): boolean {
    return ranges.some(([low, high]) => low <= from && to <= high);
}
