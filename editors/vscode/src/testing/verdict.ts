// What a run means for a test: the failures in an answer of the server, with their lines. Lines count from 0 here, as
// in the editor.

import type { Evaluation, Fault, Refusal } from '../protocol';

export interface Failure {
    text: string;
    line: number;
}

/** Maximum number of faults listed individually. */
const MAX_FAULTS = 20;

/** The failures of a run; none if it passed. `line` is the place of failures without a place of their own. */
export function failures(answer: Evaluation, line: number): Failure[] {
    if (answer.passed) return [];
    const faults = answer.faults.filter(({ expected }) => !expected);
    const found = faults.slice(0, MAX_FAULTS).map((fault) => ({ text: describe(fault), line: fault.line - 1 }));
    if (faults.length > MAX_FAULTS) found.push({ text: `${faults.length - MAX_FAULTS} more faults`, line });
    if (answer.status === 'limit') found.push({ text: sentence(answer.ended), line: (answer.stopped_at?.line ?? line + 1) - 1 });
    // Expectations fail as a matter of course if a fault ends the run.
    if (answer.status === 'finished' || faults.length === 0) {
        for (const { name, ok, message, range } of answer.expectations) {
            if (!ok) found.push({ text: message === undefined ? `${name} does not hold` : `${name}: ${message}`, line: (range?.line ?? line + 1) - 1 });
        }
    }
    return found.length > 0 ? found : [{ text: sentence(answer.ended), line }];
}

/** The reasons of a refused run: the message at its first place, then further places. */
export function reasons(message: string, refusal: Refusal | undefined, line: number): Failure[] {
    const places = (refusal?.places ?? []).filter((place) => 'line' in place);
    const more = places.slice(1).map((place) => ({ text: place.message, line: place.line - 1 }));
    return [{ text: message, line: (places[0]?.line ?? line + 1) - 1 }, ...more];
}

function describe({ message, cta, warp, count }: Fault): string {
    return `${message} (CTA ${cta.join(',')}, warp ${warp}${count > 1 ? `, ${count} times in all` : ''})`;
}

function sentence(words: string): string {
    return `${words.replace(/^./, (first) => first.toUpperCase())}.`;
}
