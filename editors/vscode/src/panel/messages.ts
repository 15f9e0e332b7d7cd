// Messages between the two halves of the warp panel: the host in the extension, and the page in the webview. Neither
// half trusts the other: it checks every message before use, and drops invalid ones.

import type {
    EntryLaunches,
    Evaluated,
    EvaluateArguments,
    Evaluation,
    Launches,
    Refusal,
    ShowWarpArguments,
    Triple,
} from '../protocol';
import EVALUATION from '../generated/evaluation.json';
import { misfit } from '../schema';

/** The page's arguments for `ptx-analyzer.evaluateWarp`; the host adds the document and the entry. */
export type WarpQuestion = Omit<EvaluateArguments, 'uri' | 'line' | 'show' | 'entry'>;

/** A position in the document, from 1; the column counts bytes. */
export interface Place {
    line: number;
    column: number;
}

export type Question =
    | { kind: 'evaluate'; arguments: WarpQuestion }
    | { kind: 'launches' }
    | { kind: 'statements'; places: Place[] };

/** The texts of the requested statements, in the order of the request. */
export interface Statements {
    texts: string[];
}

/** Preferences of the panel that are stored between sessions, per entry. */
export interface Preferences {
    formats: Record<string, string>;
    order: 'recent' | 'declared' | 'name';
    collapse: boolean;
    /** The least width of the columns, and how far fractions are rounded. Columns are always as wide as their values need. */
    width: 'fit' | 'narrow' | 'normal' | 'wide';
    /** The pane below that the user has chosen; empty if it follows what the step does. */
    pane: string;
    /** True if the panel follows the line of the editor's cursor. */
    follow: boolean;
    /** Share of the space for the panes below (or beside) the registers, in percent. */
    share: number;
}

export interface Timings {
    /** Milliseconds from the user's action to the first painted grid, and the part of it until the answer arrived. */
    firstPaint: number;
    answered: number;
    /** Milliseconds from the key to the changed page, for the latest steps. */
    steps: number[];
}

export type FromPage =
    | { type: 'ready'; width: number }
    | { type: 'ask'; id: number; question: Question }
    | { type: 'at'; step: number; line: number; column: number; lane: number; reveal: boolean }
    | { type: 'reveal'; line: number; column: number }
    | { type: 'write'; lines: string[]; replaces: { line: number; lines: string[] } | null; above: number }
    | { type: 'remember'; preferences: Preferences }
    | { type: 'timings'; timings: Timings }
    | { type: 'entry'; entry: string }
    | { type: 'copy'; text: string }
    | { type: 'keep' };

export const ACTIONS = [
    'first', 'back', 'play', 'forward', 'last', 'previousOfLine', 'nextOfLine', 'nextFault', 'previousFault', 'help',
] as const;
export type Action = (typeof ACTIONS)[number];

export type FromHost =
    | { type: 'show'; target: ShowWarpArguments; file: string; preferences: Preferences; asked: number; step: number | null; cursor: number | null }
    | { type: 'answer'; id: number; body: unknown }
    | { type: 'failure'; id: number; message: string; refusal: Refusal | null }
    | { type: 'evaluated'; evaluated: Evaluated }
    | { type: 'edited' }
    | { type: 'server'; running: boolean }
    | { type: 'cursor'; line: number }
    | { type: 'goTo'; line: number; next: boolean }
    | { type: 'act'; action: Action };

export const NO_PREFERENCES: Preferences = { formats: {}, order: 'recent', collapse: true, width: 'fit', pane: '', follow: true, share: 45 };

/** Number of steps per window of the trace. */
export const WINDOW = 128;
/** Number of timeline steps in the first answer: enough for most kernels, without a long wait. */
export const FIRST_TIMELINE = 4096;

/** Number of characters to which numbers with a fraction are rounded, by the width of the columns. Other texts are never shortened. */
export const FRACTION_ROOM: Readonly<Record<Preferences['width'], number>> = { fit: 9, narrow: 6, normal: 9, wide: 21 };

/** How rows are written: the readings that the user has chosen for a function, and the room for fractions. */
export function styleOfRows(preferences: Preferences, function_: string): WarpQuestion['rows'] {
    const prefix = `${function_} `;
    const own = Object.entries(preferences.formats).filter(([key]) => key.startsWith(prefix));
    const readings = Object.fromEntries(own.map(([key, reading]) => [key.slice(prefix.length), reading]));
    return { readings, room: FRACTION_ROOM[preferences.width] };
}

/** The first request of a page. The host sends it while the page loads. */
export function firstQuestion(rows: WarpQuestion['rows'], step = 0, lane = 0, target: WarpQuestion = { cta: [0, 0, 0], warp: 0 }): WarpQuestion {
    return {
        ...target,
        from: Math.floor(step / WINDOW) * WINDOW,
        count: WINDOW,
        state: true,
        accesses: true,
        rows,
        contents: true,
        timeline: { from: 0, count: FIRST_TIMELINE },
        focus: { lane, step },
    };
}

type Fields = Record<string, unknown>;

export function isRecord(value: unknown): value is Fields {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isText(value: unknown, most = 100_000): value is string {
    return typeof value === 'string' && value.length <= most;
}

function isList<T>(value: unknown, each: (one: unknown) => one is T, most = 1_000_000): value is T[] {
    return Array.isArray(value) && value.length <= most && value.every(each);
}

function isTriple(value: unknown): value is Triple {
    return isList(value, isCount) && value.length === 3;
}

const isString = (value: unknown): value is string => isText(value);

function isPlace(value: unknown): value is Place {
    return isRecord(value) && isCount(value['line']) && isCount(value['column']);
}

function oneOf<T extends string>(value: unknown, names: readonly T[]): value is T {
    return typeof value === 'string' && (names as readonly string[]).includes(value);
}

const optional = (value: unknown, check: (one: unknown) => boolean): boolean => value === undefined || check(value);

function isMemoryRequest(value: unknown): boolean {
    if (!isRecord(value) || !optional(value['length'], isCount) || !optional(value['offset'], isCount)) return false;
    if (!optional(value['lane'], isCount)) return false;
    if (!optional(value['type'], (one) => isText(one, 16))) return false;
    return isText(value['buffer'], 1000) || isText(value['address'], 32) || isText(value['space'], 16);
}

function isWarpQuestion(value: unknown): value is WarpQuestion {
    if (!isRecord(value)) return false;
    const known = ['launch', 'number', 'cta', 'warp', 'from', 'count', 'state', 'accesses', 'brief', 'timeline', 'memory', 'focus', 'rows', 'register', 'matrices', 'contents'];
    if (!Object.keys(value).every((key) => known.includes(key))) return false;
    const { launch, number, cta, warp, from, count, state, accesses, brief, timeline, memory, focus, rows, register, matrices, contents } = value;
    return (
        optional(launch, (one) => isText(one) || isRecord(one)) &&
        optional(number, isCount) &&
        optional(cta, isTriple) &&
        optional(warp, isCount) &&
        optional(from, isCount) &&
        optional(count, (one) => isCount(one) && one <= 65_536) &&
        optional(state, (one) => one === true || isCount(one)) &&
        [accesses, brief, matrices, contents].every((flag) => optional(flag, (one) => typeof one === 'boolean')) &&
        optional(timeline, (one) => typeof one === 'boolean' || (isRecord(one) && isCount(one['from']) && isCount(one['count']))) &&
        optional(memory, (one) => Array.isArray(one) && one.length <= 64 && one.every(isMemoryRequest)) &&
        optional(rows, (one) => typeof one === 'boolean' || isRecord(one)) &&
        optional(register, (one) => isText(one, 10_000)) &&
        optional(focus, (one) => one === null || (isRecord(one) && isCount(one['lane']) && optional(one['step'], isCount)))
    );
}

function isQuestion(value: unknown): value is Question {
    if (!isRecord(value)) return false;
    switch (value['kind']) {
        case 'evaluate':
            return isWarpQuestion(value['arguments']);
        case 'launches':
            return true;
        case 'statements':
            return isList(value['places'], isPlace, 5000);
        default:
            return false;
    }
}

/** The valid preferences of a value, with defaults for the others. */
export function preferencesFrom(value: unknown): Preferences {
    const out: Preferences = { ...NO_PREFERENCES, formats: {} };
    if (!isRecord(value)) return out;
    if (oneOf(value['order'], ['recent', 'declared', 'name'])) out.order = value['order'];
    if (oneOf(value['width'], ['fit', 'narrow', 'normal', 'wide'])) out.width = value['width'];
    if (typeof value['collapse'] === 'boolean') out.collapse = value['collapse'];
    if (typeof value['follow'] === 'boolean') out.follow = value['follow'];
    if (isCount(value['share']) && value['share'] >= 15 && value['share'] <= 80) out.share = value['share'];
    if (isText(value['pane'], 32)) out.pane = value['pane'];
    if (isRecord(value['formats'])) {
        for (const [name, format] of Object.entries(value['formats']).slice(0, 5000)) {
            if (isText(name, 1000) && isText(format, 16)) out.formats[name] = format;
        }
    }
    return out;
}

/** Validates a message of the page; undefined if it is invalid. */
export function fromPage(value: unknown): FromPage | undefined {
    if (!isRecord(value)) return undefined;
    const message = value as FromPage & Fields;
    const fits = ((): boolean => {
        switch (value['type']) {
            case 'keep':
                return true;
            case 'ready':
                return isCount(value['width']);
            case 'ask':
                return isCount(value['id']) && isQuestion(value['question']);
            case 'at':
                return isPlace(value) && isCount(value['step']) && isCount(value['lane']) && value['lane'] < 32 && typeof value['reveal'] === 'boolean';
            case 'reveal':
                return isPlace(value);
            case 'write': {
                const replaces = value['replaces'];
                return (
                    isList(value['lines'], isString, 200) &&
                    isCount(value['above']) &&
                    (replaces === null || (isRecord(replaces) && isCount(replaces['line']) && isList(replaces['lines'], isString, 200)))
                );
            }
            case 'remember':
                return isRecord(value['preferences']);
            case 'entry':
                return isText(value['entry'], 10_000);
            case 'timings':
                return isRecord(value['timings']);
            case 'copy':
                return isText(value['text'], 5_000_000);
            default:
                return false;
        }
    })();
    return fits ? message : undefined;
}

/** Validates a message of the host; undefined if it is invalid. */
export function fromHost(value: unknown): FromHost | undefined {
    if (!isRecord(value)) return undefined;
    const message = value as FromHost & Fields;
    const fits = ((): boolean => {
        switch (value['type']) {
            case 'show':
                return isRecord(value['target']) && isText(value['target']['uri']) && isText(value['file']) && isRecord(value['preferences']) && (value['cursor'] === null || isCount(value['cursor']));
            case 'answer':
                return isCount(value['id']);
            case 'failure':
                return isCount(value['id']) && isText(value['message']) && (value['refusal'] === null || isRefusal(value['refusal']));
            case 'evaluated':
                return isRecord(value['evaluated']) && optional(value['evaluated']['refused'], isRecord);
            case 'edited':
                return true;
            case 'server':
                return typeof value['running'] === 'boolean';
            case 'cursor':
                return isCount(value['line']);
            case 'goTo':
                return isCount(value['line']) && typeof value['next'] === 'boolean';
            case 'act':
                return oneOf(value['action'], ACTIONS);
            default:
                return false;
        }
    })();
    return fits ? message : undefined;
}

export function isRefusal(value: unknown): value is Refusal {
    const isPlaceOfRefusal = (one: unknown): boolean => isRecord(one) && isText(one['message']) && (isPlace(one) || (isCount(one['start']) && isCount(one['end'])));
    return isRecord(value) && isText(value['kind'], 100) && optional(value['places'], (one) => Array.isArray(one) && one.every(isPlaceOfRefusal));
}

/** Validates an answer of `evaluateWarp`; throws an error that says what is wrong. */
export function asEvaluation(value: unknown): Evaluation {
    const place = misfit(value, EVALUATION);
    if (place !== undefined) throw new Error(`The server's answer does not fit this version of the extension (${place === '' ? 'no object' : place}).`);
    return value as Evaluation;
}

export function asLaunches(value: unknown): Launches {
    if (!isRecord(value) || !Array.isArray(value['entries'])) return { entries: [] };
    const fits = (one: unknown): boolean => isRecord(one) && isText(one['name'], 10_000) && isCount(one['line']) && Array.isArray(one['launches']) &&
        one['launches'].every((launch) => isRecord(launch) && isCount(launch['line']) && isText(launch['text']) && isList(launch['lines'], isString)) &&
        isRecord(one['guess']) && isText(one['guess']['text']) && isList(one['guess']['lines'], isString) && Array.isArray(one['parameters']);
    return { entries: value['entries'].filter(fits) as EntryLaunches[] };
}

export function asStatements(value: unknown): Statements {
    return isRecord(value) && isList(value['texts'], isString) ? { texts: value['texts'] } : { texts: [] };
}
