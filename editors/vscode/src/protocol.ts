// The protocol between the server and this extension beyond the Language Server Protocol: arguments and answers of the
// server's commands, and its own notifications. Lines and columns count from 1, columns in bytes, unless a type says
// otherwise. This file contains only types, because both the extension and the webview of the warp panel import it.

/** One bit for each lane of a warp; lane 0 is the lowest bit. Unsigned, up to 0xffffffff. */
export type LaneMask = number;

/**
 * Bytes as hexadecimal digits, two per byte. For a register: its 32 lanes, lane 0 first, each little-endian in its own
 * size (`.f32`: 4 bytes, 8 digits per lane). For a predicate: 4 bytes, one bit per lane, little-endian.
 */
export type Hex = string;

/** An address as hexadecimal digits without a prefix, because it may need 64 bits. */
export type HexAddress = string;

export type Triple = [x: number, y: number, z: number];

/** A range of bytes; the end is exclusive. */
export type ByteRange = [from: number, to: number];

/** A launch: the text after `launch:` (with further lines such as `expect:`), or the keys of a launch file. */
export type Launch = string | Record<string, unknown>;

/** A requested part of memory, with its contents at the step of the requested state. */
export type MemoryRequest =
    | { space: 'shared' | 'local' | 'param' | 'const' | 'global'; offset: number; length: number; lane?: number }
    | { buffer: string; offset?: number; length?: number }
    | { address: HexAddress; length: number };

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
    /** Show the values of this lane in the document, after that step (by default at the end); `null` removes them. */
    focus?: { lane: number; step?: number } | null;
    /** The server itself shows a result document. */
    show?: boolean;
    /** False: the run changes nothing in the document, neither diagnostics nor values nor what edits evaluate again. */
    follow?: boolean;
}

export type Status = 'finished' | 'fault' | 'limit' | 'deadlock';

export interface Fault {
    kind: string;
    line: number;
    column: number;
    end_line?: number;
    end_column?: number;
    message: string;
    lanes: LaneMask;
    cta: Triple;
    warp: number;
    /** Number of occurrences. */
    count?: number;
    /** An expectation of the launch names this kind of fault. */
    expected?: true;
}

export interface Expectation {
    name: string;
    ok: boolean;
    message?: string;
    /** The place of the expectation; absent if the launch is not written in the document. */
    range?: { line: number; column: number; end_line: number; end_column: number };
}

export interface Grid {
    grid: Triple;
    block: Triple;
    cluster: Triple;
    ctas: number;
    /** Number of warps per CTA. */
    warps: number;
    threads: number;
}

export interface RegisterChange {
    name: string;
    type: string;
    before: Hex;
    after: Hex;
    /** The lanes whose value the manual leaves unspecified. */
    unspecified?: LaneMask;
    /** The lanes whose value may differ in the last places on another device. */
    approximate?: LaneMask;
}

/** A memory access of one step. */
export interface Access {
    kind: 'load' | 'store' | 'update';
    /** The state space: `global`, `shared`, `local`, `const`, `param`, `generic` and so on. */
    space: string;
    /** Number of bytes per lane. */
    bytes: number;
    lanes: LaneMask;
    /**
     * The address of each lane: an offset in shared, local, const and param memory, otherwise an address; null if the
     * lane took no part.
     */
    addresses: (HexAddress | null)[];
    /** The position of each lane's access in a named variable or buffer, such as `x+16`. */
    names?: (string | null)[];
    /** For shared memory: number of passes needed. */
    wavefronts?: number;
    /** For shared memory: the largest number of different words in one bank. */
    conflict?: number;
    /** For shared memory: the lanes by bank. */
    banks?: number[][];
    /**
     * For global memory: the touched 32-byte sectors, the minimum that the bytes need, the 128-byte lines, and the
     * ratio of the first two.
     */
    sectors?: number;
    ideal?: number;
    lines?: number;
    efficiency?: number;
}

export interface Step {
    /** Index of the step in this warp, from 0. */
    step: number;
    /** Number of warp instructions that the whole grid executed before it. */
    time: number;
    function: string;
    line: number;
    column: number;
    active: LaneMask;
    /** The active lanes whose guard is true. */
    executed: LaneMask;
    /** The number of open calls. */
    depth: number;
    registers: RegisterChange[];
    accesses?: Access[];
}

/** Lanes with the same program counter. */
export interface LaneGroup {
    mask: LaneMask;
    /** The position of the next instruction. */
    line: number;
    column: number;
    depth: number;
    state: 'running' | 'barrier' | 'waiting';
}

export interface Frame {
    function: string;
    line: number;
}

export interface RegisterState {
    name: string;
    type: string;
    value: Hex;
    /** The lanes in which it has been written. */
    known: LaneMask;
    /** True if the value is the same in all lanes that have not exited. */
    uniform: boolean;
    /** For a register declared as bits: the type that the instructions reading it use. */
    reads_as?: string;
    unspecified?: LaneMask;
    approximate?: LaneMask;
}

export interface SpecialRegister {
    name: string;
    type: string;
    value: Hex;
}

export interface ParameterState {
    name: string;
    type: string;
    offset: number;
    value: Hex;
    /** The buffer position that a pointer refers to, such as `x+16`. */
    points_to?: string;
}

/** The state of the warp before a step. */
export interface WarpState {
    step: number;
    time: number;
    groups: LaneGroup[];
    exited: LaneMask;
    present: LaneMask;
    /** The frames of the group that executes next, innermost first. */
    frames: Frame[];
    /** The registers of the innermost frame, in order of declaration. */
    registers: RegisterState[];
    specials: SpecialRegister[];
    parameters: ParameterState[];
}

export type TimelineStep = [line: number, active: LaneMask, executed: LaneMask, depth: number];

export interface Timeline {
    from: number;
    steps: TimelineStep[];
}

export interface MemoryBlock {
    name: string;
    space: string;
    /** The generic address. */
    address: HexAddress;
    offset: number;
    bytes: Hex;
    /** The ranges of written bytes. */
    known: ByteRange[];
}

/** The answer of `ptx-analyzer.evaluateWarp`. */
export interface Evaluation {
    status: Status;
    /** The limit that ended the run; only with status `limit`. */
    limited_by?: 'steps' | 'effort' | 'time';
    /** The position at which the run ended; only with status `limit` or `deadlock`. */
    stopped_at?: { line: number; column: number };
    entry: string;
    /** The launch as text, and whether it was guessed. */
    launch?: unknown;
    guessed?: unknown;
    /** A sentence about guessed buffer lengths, if there are any. */
    guessed_lengths?: string;
    warp_instructions: number;
    faults: Fault[];
    buffers?: Record<string, Hex>;
    expectations: Expectation[];
    /** The run ended as expected, every expectation holds, and no other fault was found. */
    passed: boolean;
    seconds: number;
    printed?: unknown;
    unwritten?: unknown;
    /** The version of the document. */
    version: number;
    grid: Grid;
    target: { cta: Triple; warp: number; present: LaneMask };
    /** The number of steps that this warp executed. */
    steps: number;
    trace?: Step[];
    state?: WarpState;
    timeline?: Timeline;
    memory?: MemoryBlock[];
    /** The result document. */
    markdown?: string;
}

/** The reason of a refused evaluation: `data` of the error, whose message is one line for the user. */
export interface Refusal {
    kind: 'not-open' | 'no-kernel' | 'launch' | 'errors' | 'kernel';
    places?: { line: number; column: number; end_line: number; end_column: number; message: string }[];
}

/**
 * Arguments of `ptx-analyzer.fragments`, which returns the layouts of an instruction's matrix operands in registers.
 */
export interface FragmentsArguments {
    uri: string;
    line: number;
}

export interface FragmentOperand {
    operand: string;
    type: string;
    rows: number;
    columns: number;
    /** The distance between elements of a register, in bits. */
    bits?: number;
    registers: string[];
    /** The position of each element; `element` is its index in the register. */
    elements: [lane: number, register: number, element: number, row: number, column: number][];
}

export interface Fragments {
    instruction: string;
    operands: FragmentOperand[];
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
    status?: Status;
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

/** What became of a PTX line: its machine instructions, counted from 0 over all functions. */
export interface SassLine {
    line: number;
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
