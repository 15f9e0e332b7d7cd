// What the server and this extension say to each other beyond the Language Server Protocol: the arguments and answers of the
// server's commands, and its own notifications. Lines and columns count from 1, columns in bytes, unless a type says otherwise.
// Types only: both the extension and the webview of the warp panel import this file.

/** One bit for each lane of a warp; lane 0 is the lowest bit. Unsigned, up to 0xffffffff. */
export type LaneMask = number;

/**
 * Bytes as hexadecimal digits, two a byte. Of a register: its 32 lanes, lane 0 first, each little-endian in its own size
 * (`.f32`: 4 bytes, 8 digits a lane). Of a predicate: 4 bytes, a bit a lane, little-endian.
 */
export type Hex = string;

/** An address as hexadecimal digits, without a prefix: it may need 64 bits. */
export type HexAddress = string;

export type Triple = [x: number, y: number, z: number];

/** A range of bytes: from the first up to, but without, the last. */
export type ByteRange = [from: number, to: number];

/** A launch: the text behind `launch:` (with further lines such as `expect:`), or the keys of a launch file. */
export type Launch = string | Record<string, unknown>;

/** What of memory is wanted, as it is at the step whose state is asked for. */
export type MemoryRequest =
    | { space: 'shared' | 'local' | 'param' | 'const' | 'global'; offset: number; length: number; lane?: number }
    | { buffer: string; offset?: number; length?: number }
    | { address: HexAddress; length: number };

/** The argument of `ptx-analyzer.evaluateWarp`. */
export interface EvaluateArguments {
    uri: string;
    /** The entry by name, or `line`: the entry around or below that line. With neither, the first that has a launch, else the first. */
    entry?: string;
    line?: number;
    /** Without one: the first launch above the entry, else a guess. */
    launch?: Launch;
    /** Which of the launches above the entry; the first is 0. */
    number?: number;
    cta?: Triple;
    /** The warp's number in its CTA. */
    warp?: number;
    /** The window of the warp's steps that is wanted: its first step, and how many (0: no trace). */
    from?: number;
    count?: number;
    /** Also what the warp holds before this step; `true`: before `from`. */
    state?: number | true;
    /** Each step of the window gets what it did to memory. */
    accesses?: boolean;
    /** Without what is the same in every window: buffers and the result document. */
    brief?: boolean;
    /** Masks of steps, without registers; `true`: of the first 20,000. */
    timeline?: boolean | { from: number; count: number };
    memory?: MemoryRequest[];
    /** Values of this lane are shown in the document, as after that step (the end if none is named); `null` takes them away. */
    focus?: { lane: number; step?: number } | null;
    /** The server shows a result document itself. */
    show?: boolean;
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
}

export interface Expectation {
    name: string;
    ok: boolean;
    message?: string;
}

export interface Grid {
    grid: Triple;
    block: Triple;
    cluster: Triple;
    ctas: number;
    /** Of one CTA. */
    warps: number;
    threads: number;
}

export interface RegisterChange {
    name: string;
    type: string;
    before: Hex;
    after: Hex;
    /** Lanes whose value the manual leaves unspecified. */
    unspecified?: LaneMask;
    /** Lanes whose value another device may compute differently in the last places. */
    approximate?: LaneMask;
}

/** What one step did to memory. */
export interface Access {
    kind: 'load' | 'store' | 'update';
    /** `global`, `shared`, `local`, `const`, `param`, `generic` … */
    space: string;
    /** Of one lane. */
    bytes: number;
    lanes: LaneMask;
    /** One for each lane: an offset in shared, local, const and param memory, an address elsewhere; null where the lane took no part. */
    addresses: (HexAddress | null)[];
    /** One for each lane: the place by the name of its variable or buffer, such as `x+16`. */
    names?: (string | null)[];
    /** Shared memory: passes that are needed. */
    wavefronts?: number;
    /** Shared memory: the largest number of different words in one bank. */
    conflict?: number;
    /** Shared memory: lanes by bank. */
    banks?: number[][];
    /** Global memory: 32-byte sectors that are touched, the fewest that the bytes need, 128-byte lines, and the ratio of the first two. */
    sectors?: number;
    ideal?: number;
    lines?: number;
    efficiency?: number;
}

export interface Step {
    /** Of this warp, from 0. */
    step: number;
    /** Warp instructions of the whole grid before it. */
    time: number;
    function: string;
    line: number;
    column: number;
    active: LaneMask;
    /** Active lanes whose guard holds. */
    executed: LaneMask;
    /** How many calls are open. */
    depth: number;
    registers: RegisterChange[];
    accesses?: Access[];
}

/** Lanes with one program counter. */
export interface LaneGroup {
    mask: LaneMask;
    /** Of the instruction that comes next. */
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
    /** Lanes in which it was written. */
    known: LaneMask;
    /** The same in all lanes that have not exited. */
    uniform: boolean;
    /** Of a register that is declared as bits: the type that its readers take it as. */
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
    /** The buffer that a pointer leads into, such as `x+16`. */
    points_to?: string;
}

/** What the warp holds before a step. */
export interface WarpState {
    step: number;
    time: number;
    groups: LaneGroup[];
    exited: LaneMask;
    present: LaneMask;
    /** Innermost first, of the group that is next. */
    frames: Frame[];
    /** Of the innermost frame, in order of declaration. */
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
    /** Generic. */
    address: HexAddress;
    offset: number;
    bytes: Hex;
    /** Ranges of bytes that were written. */
    known: ByteRange[];
}

/** The answer of `ptx-analyzer.evaluateWarp`. */
export interface Evaluation {
    status: Status;
    /** With status `limit`. */
    limited_by?: 'steps' | 'time';
    /** With status `limit` or `deadlock`. */
    stopped_at?: { line: number; column: number };
    entry: string;
    /** The launch as text, and whether it was guessed. */
    launch?: unknown;
    guessed?: unknown;
    /** Where lengths of buffers are guessed: a sentence that says so. */
    guessed_lengths?: string;
    warp_instructions: number;
    faults: Fault[];
    buffers?: Record<string, Hex>;
    expectations: Expectation[];
    seconds: number;
    printed?: unknown;
    unwritten?: unknown;
    /** Of the document. */
    version: number;
    grid: Grid;
    target: { cta: Triple; warp: number; present: LaneMask };
    /** That this warp executed in all. */
    steps: number;
    trace?: Step[];
    state?: WarpState;
    timeline?: Timeline;
    memory?: MemoryBlock[];
    /** The result document. */
    markdown?: string;
}

/** Why nothing was evaluated: `data` of the error, whose message is one line for the user. */
export interface Refusal {
    kind: 'not-open' | 'no-kernel' | 'launch' | 'errors' | 'kernel';
    places?: { line: number; column: number; end_line: number; end_column: number; message: string }[];
}

/** `ptx-analyzer.fragments`: how the matrix operands of the instruction in a line lie in registers. */
export interface FragmentsArguments {
    uri: string;
    line: number;
}

export interface FragmentOperand {
    operand: string;
    type: string;
    rows: number;
    columns: number;
    /** From one element of a register to the next. */
    bits?: number;
    registers: string[];
    /** `element`: within the register. */
    elements: [lane: number, register: number, element: number, row: number, column: number][];
}

export interface Fragments {
    instruction: string;
    operands: FragmentOperand[];
}

/** `ptx-analyzer.launches`: what the source says of how its entries may be launched. */
export interface LaunchesArguments {
    uri: string;
    entry?: string;
    line?: number;
}

export interface LaunchText {
    line: number;
    /** What follows `launch:`. */
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

/** The notification `ptx-analyzer/evaluated`: a document was evaluated again after an edit. */
export interface Evaluated {
    uri: string;
    version: number;
    entry: string;
    status?: Status;
    faults: number;
    steps?: number;
    refused?: { message: string; data: Refusal };
}

/** The one argument of the client's command `ptx-analyzer.showWarp`, as code lenses and code actions carry it. */
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
    /** As a programmer wrote it; only where a compiler mangled it. */
    demangled?: string;
    entry: boolean;
    line: number;
    stale: boolean;
    registers: number;
    unlimited: number;
    limit: { registers: number; line: number | null };
    spill_likely: boolean;
    max_live: { b32: number; pred: number; peak_line: number };
    shared: number;
    dynamic_shared: boolean;
    occupancy: Occupancy | null;
    /** Lines that were asked for, each with the 32-bit registers and predicates that hold a value there. */
    lines: [line: number, b32: number, pred: number][];
}

export interface LiveRegister {
    name: string;
    b32: number;
    pred: number;
    /** Where its value comes from. */
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

/** `ptx-analyzer.checkWorkspace`. */
export interface WorkspaceCheck {
    files: number;
    unreadable: number;
    errors: number;
    warnings: number;
    too_big: number;
    more: boolean;
    seconds: number;
}
