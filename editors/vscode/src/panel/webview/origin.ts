// The search for the writer of a value: the last step that wrote it before now, of this warp or of others. The trace of the warp is
// in the session; steps of other warps are asked for. The time of steps puts them in order.

import type { Evaluation, Step, Triple } from '../../protocol';
import { WINDOW } from '../messages';
import type { Session } from './session';

/** Maximum number of other warps that are searched, and of windows for each. */
const MAX_WARPS = 64;
const MAX_WINDOWS = 50;

export interface WarpName {
    cta: Triple;
    warp: number;
}

export interface Writer extends WarpName {
    step: Step;
    lane: number;
}

export interface Origin {
    /** The last writer, if there is one among the searched steps. */
    writer: Writer | undefined;
    /** Whether every warp that can have written the value was searched. */
    complete: boolean;
}

/** Which warps can have written a value. */
export type Scope = 'warp' | 'cta' | 'grid';

/** The scope of the memory of a state space. */
export function scopeOf(space: string): Scope {
    return space === 'global' ? 'grid' : space === 'shared' ? 'cta' : 'warp';
}

/** Finds the last step up to the session's position that wrote a value: `writes` returns the lane with which a step wrote it. */
export async function findOrigin(session: Session, writes: (step: Step) => number | undefined, scope: Scope): Promise<Origin> {
    const { current, evaluation, cta, warp } = session;
    if (current === undefined || evaluation === undefined) return { writer: undefined, complete: false };
    const own = await session.writer(writes);
    let writer: Writer | undefined = own === undefined ? undefined : { ...own, cta, warp };
    const others = scope === 'warp' ? [] : otherWarps(evaluation, { cta, warp }, scope);
    for (const other of others.slice(0, MAX_WARPS)) {
        const later = await lastWrite(session, other, writes, { after: writer?.step.time ?? -1, before: current.time });
        if (later !== undefined) writer = { ...later, ...other };
    }
    return { writer, complete: others.length <= MAX_WARPS };
}

/** The other warps, those of the same CTA first. */
function otherWarps({ grid }: Evaluation, own: WarpName, scope: Scope): WarpName[] {
    const isOwn = (cta: Triple): boolean => cta.every((one, at) => one === own.cta[at]);
    const ctas: Triple[] = [own.cta];
    const [width, height] = grid.grid;
    for (let number = 0; scope === 'grid' && number < grid.ctas && ctas.length <= MAX_WARPS + 1; number += 1) {
        const cta: Triple = [number % width, Math.floor(number / width) % height, Math.floor(number / (width * height))];
        if (!isOwn(cta)) ctas.push(cta);
    }
    return ctas.flatMap((cta) => Array.from({ length: grid.warps }, (_, warp) => ({ cta, warp }))).filter(({ cta, warp }) => warp !== own.warp || !isOwn(cta));
}

interface Times {
    /** A write at this time is known already. */
    after: number;
    before: number;
}

/** The last write of a warp between two times. */
async function lastWrite(session: Session, { cta, warp }: WarpName, writes: (step: Step) => number | undefined, { after, before }: Times): Promise<{ step: Step; lane: number } | undefined> {
    const load = async (from: number, count: number): Promise<Evaluation | undefined> => session.question({ brief: true, cta, warp, from, count, accesses: true });
    const first = await load(0, WINDOW);
    if (first === undefined) return undefined;
    // The last window that begins before the time.
    let low = 0;
    let high = Math.max(0, Math.ceil(first.steps / WINDOW) - 1);
    while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        const time = (await load(middle * WINDOW, 1))?.trace[0]?.time;
        if (time !== undefined && time < before) low = middle;
        else high = middle - 1;
    }
    for (let window = low; window >= Math.max(0, low - MAX_WINDOWS); window -= 1) {
        const trace = window === 0 ? first.trace : ((await load(window * WINDOW, WINDOW))?.trace ?? []);
        for (const step of trace.toReversed()) {
            if (step.time >= before) continue;
            if (step.time <= after) return undefined;
            const lane = writes(step);
            if (lane !== undefined) return { step, lane };
        }
    }
    return undefined;
}
