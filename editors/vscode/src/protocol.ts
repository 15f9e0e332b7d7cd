// The protocol between the server and this extension beyond the Language Server Protocol: arguments and answers of the
// server's commands, and its own notifications. Lines and columns count from 1, columns in bytes, unless a type says
// otherwise. This file contains only types, because both the extension and the webview of the warp panel import it. The
// answer of `evaluateWarp` is made from the server's own types: generated/view.ts.

import type { Evaluation } from './generated/view';

export type * from './generated/view';

/** One bit for each lane of a warp; lane 0 is the lowest bit. Unsigned, up to 0xffffffff. */
export type LaneMask = number;

/** An address as hexadecimal digits without a prefix, because it may need 64 bits. */
export type HexAddress = string;

export type Triple = [x: number, y: number, z: number];

/** A launch: the text after `launch:` (with further lines such as `expect:`), or the keys of a launch file. */
export type Launch = string | Record<string, unknown>;

/**
 * A requested part of memory, with its contents at the step of the requested state; with `type` also the texts of its
 * values.
 */
export type MemoryRequest = { type?: string } & (
    | { space: string; offset: number; length: number; lane?: number }
    | { buffer: string; offset?: number; length?: number }
    | { address: HexAddress; length: number }
);

/** The argument of `ptx-analyzer.evaluateWarp`. */
export interface EvaluateArguments {
    uri: string;
    /**
     * The entry by name, or `line`: the entry around or below that line. With neither, the first entry with a launch,
     * otherwise the first entry.
     */
    entry?: string;
    line?: number;
    /** The launch; by default the first launch above the entry, otherwise a guess. */
    launch?: Launch;
    /** Index of a launch above the entry, from 0. */
    number?: number;
    cta?: Triple;
    /** Index of the warp in its CTA. */
    warp?: number;
    /** The requested window of the warp's steps: its first step, and the number of steps (0: no trace). */
    from?: number;
    count?: number;
    /** Also return the state before this step; `true` means before `from`. */
    state?: number | true;
    /** Return the memory accesses of each step in the window. */
    accesses?: boolean;
    /** Omit the parts that are the same in every window: buffers and the result document. */
    brief?: boolean;
    /** Return masks of steps without registers; `true` means those of the first 20,000 steps. */
    timeline?: boolean | { from: number; count: number };
    memory?: MemoryRequest[];
    /**
     * Return the rows of registers with their texts, in the window and the state; `readings` are those that the user has
     * chosen, `room` is the number of characters that fit into a cell.
     */
    rows?: boolean | { readings?: Record<string, string>; room?: number; steps?: boolean; state?: boolean };
    /** Return a row in all its readings. */
    register?: string;
    /** Return the matrices of the step before that of `state`. */
    matrices?: boolean;
    /** Return the buffers beside what they held before. */
    contents?: boolean;
    /** Show the values of this lane in the document, after that step (by default at the end); `null` removes them. */
    focus?: { lane: number; step?: number } | null;
    /** The server itself shows a result document. */
    show?: boolean;
    /** False: the run changes nothing in the document, neither diagnostics nor values nor what edits evaluate again. */
    follow?: boolean;
}

/** The reason of a refused evaluation: `data` of the error, whose message is one line for the user. */
export interface Refusal {
    kind: 'not-open' | 'no-kernel' | 'launch' | 'errors' | 'kernel';
    /** In the document, or, by offsets, in a launch that was sent along. */
    places?: ({ line: number; column: number; end_line: number; end_column: number; message: string } | { start: number; end: number; message: string })[];
}

/** Arguments of `ptx-analyzer.launches`, which returns the launches in the source. */
export interface LaunchesArguments {
    uri: string;
    entry?: string;
    line?: number;
}

export interface LaunchText {
    line: number;
    end_line: number;
    /** The lines that begin with `expect:`. */
    expect: number[];
    /** The text after `launch:`. */
    text: string;
    /** All `//!` lines. */
    lines: string[];
}

export interface EntryLaunches {
    name: string;
    line: number;
    launches: LaunchText[];
    guess: { text: string; lines: string[]; guessed: string[]; lengths?: string | null };
    parameters: { name: string; type: string; pointer: boolean }[];
}

export interface Launches {
    entries: EntryLaunches[];
}

/** The parameters of the notification `ptx-analyzer/evaluated`: a document was evaluated again after an edit. */
export interface Evaluated {
    uri: string;
    version: number;
    entry: string;
    status?: Evaluation['status'];
    faults: number;
    steps?: number;
    refused?: { message: string; data: Refusal };
}

/** The argument of the client command `ptx-analyzer.showWarp` in code lenses and code actions. */
export interface ShowWarpArguments {
    uri: string;
    entry?: string;
    line?: number;
}

/** The argument of `ptx-analyzer.registerPressure`. */
export interface PressureArguments {
    uri: string;
    entry?: string;
    line?: number;
    first?: number;
    last?: number;
    wait?: boolean;
    show?: boolean;
}

export interface Occupancy {
    warps_per_sm: number;
    most_warps: number;
    percent: number;
    limited_by: string;
    ctas_per_sm: number;
    threads: number;
    threads_assumed: boolean;
    fewer: { registers: number; warps: number } | null;
}

export interface FunctionPressure {
    name: string;
    /** The name in the source language; only if a compiler mangled it. */
    demangled?: string;
    entry: boolean;
    line: number;
    stale: boolean;
    /** The estimate. */
    registers: number;
    /** The assembler's figures, if they are known for the current text. */
    measured: { registers: number; spilled: number; by: string } | null;
    unlimited: number;
    limit: { registers: number; line: number | null };
    /** The range in which the number of registers lies for nine of ten kernels. */
    likely: { low: number; high: number };
    spill_likely: boolean;
    max_live: { b32: number; pred: number; peak_line: number };
    shared: number;
    dynamic_shared: boolean;
    occupancy: Occupancy | null;
    /** The requested lines, each with the numbers of 32-bit registers and predicates that are live there. */
    lines: [line: number, b32: number, pred: number][];
}

export interface LiveRegister {
    name: string;
    b32: number;
    pred: number;
    /** The line that defines the value. */
    line: number;
    next_line: number | null;
    instructions: number;
}

export interface Pressure {
    complete: boolean;
    functions: FunctionPressure[];
    live?: LiveRegister[];
    markdown?: string;
}

/** The answer of `ptx-analyzer.checkWorkspace`. */
export interface WorkspaceCheck {
    files: number;
    unreadable: number;
    errors: number;
    warnings: number;
    too_big: number;
    more: boolean;
    seconds: number;
}

/** The argument of `ptx-analyzer.sass`. */
export interface SassArguments {
    uri: string;
    /** Only this kernel. */
    entry?: string;
    /** Another architecture than that of `.target`. */
    target?: string;
    /** False: without the numbers of live registers, which take longer. */
    live?: boolean;
}

/** What became of a PTX statement: its machine instructions, counted from 0 over all functions. */
export interface SassLine {
    line: number;
    /** The last line of the statement. */
    end_line: number;
    instructions: number[];
    fate: 'kept' | 'moved' | 'merged' | 'dropped';
    words: string;
}

/** The answer of `ptx-analyzer.sass`. */
export interface Sass {
    /** Null if the assembler refuses the module. */
    text: string | null;
    /** False if the numbers of live registers are missing. */
    live: boolean;
    /** For each instruction its line in the text, from 1. */
    rows: number[];
    /** For each line of the text the PTX line that it comes from, or 0. */
    lines: number[];
    ptx: SassLine[];
    errors: { line: number | null; message: string }[];
}

/** The answer of `ptx-analyzer.sourceOf`. */
export interface SourcePlace {
    uri: string;
    line: number;
    column: number;
}
