// Made by scripts/protocol.mjs from docs/schemas: change the types of server/view instead.

/** A range of memory, or the reason why there is none to show. */
export type MemoryPiece =
    | MemoryBlock
    | {
          /** A sentence for users. */
          error: string;
      };

/** The answer of `ptx-analyzer.evaluateWarp`. */
export interface Evaluation {
    /** For each buffer the ranges of bytes whose values are approximate. */
    approximate?: { [k: string]: [number, number][]; };
    blocks?: Blocks;
    /** The bytes of buffers after the run, in hexadecimal digits, by name; variables only if they changed. Later windows of a view leave them out. */
    buffers?: { [k: string]: string; };
    /** The buffers beside what they held before, if requested. */
    contents?: BufferView[];
    /** How it ended, with its place, size and time. */
    ended: string;
    /** Name of the kernel. */
    entry: string;
    /** Results of the expectations. */
    expectations: Expectation[];
    /** The faults. */
    faults: Fault[];
    grid: Grid;
    /** The guessed parts of the launch. */
    guessed?: string[];
    /** A sentence that explains guessed lengths of buffers. */
    guessed_lengths?: string;
    /** Kinds of findings that may be missing, because what is stored for them reached a limit: `race`, `asynchronous`. */
    incomplete?: string[];
    /** The launch, as a line. */
    launch: string;
    /** Number of launches above the kernel. */
    launches: number;
    /** The limit that ended the run. */
    limited_by?: 'steps' | 'effort' | 'time';
    /** The result document, unless the answer is brief. */
    markdown?: string;
    /** The matrices of the step before that of `state`, if requested; empty if its instruction has none. */
    matrices?: Matrix[];
    /** The requested ranges of memory. */
    memory?: MemoryPiece[];
    memory_choices?: MemoryChoices;
    /** Buffers without their bytes, because these would make the report too large: the number of bytes by name. */
    omitted?: { [k: string]: number; };
    /** How it ended, in a few words: `stopped at the time limit`. */
    outcome: string;
    /** Whether the run ended as expected, every expectation holds, and no other fault was found. */
    passed: boolean;
    /** Output of `printf`. */
    printed?: string;
    /** The readings by the size of a register, if rows are requested and the answer is not brief. */
    readings?: { [k: string]: ReadingChoice[]; };
    /** A register in all its readings, if requested and there is one of that name. */
    register?: ReadingTexts[];
    /** Duration in seconds. */
    seconds: number;
    /** Where the warps are that have begun and not ended; the instructions with the most warps first. */
    standing?: Standing[];
    state?: WarpState;
    /** Status at the end. */
    status: 'finished' | 'fault' | 'limit' | 'deadlock';
    /** Number of instructions that the warp executed. */
    steps: number;
    stopped_at?: Place;
    target: Target;
    timeline?: Timeline;
    /** The requested window of steps. */
    trace: Step[];
    /** For each buffer the ranges of bytes whose values are unspecified. */
    unspecified?: { [k: string]: [number, number][]; };
    /** For each buffer the ranges of bytes that were never written. */
    unwritten?: { [k: string]: [number, number][]; };
    /** The version of the document. */
    version: number;
    /** Number of executed warp instructions. */
    warp_instructions: number;
}
/** The CTAs of the grid. */
export interface Blocks {
    /** Number of those that have not begun. */
    ahead: number;
    /** Number of those that have ended. */
    ended: number;
    /** Number of those that have begun and not ended. */
    running: number;
}
/** A buffer after a run. */
export interface BufferView {
    /** Number of elements that the run has changed. */
    changed: number;
    /** Number of elements. */
    count: number;
    /** Number of rows that are left out. */
    more: number;
    /** Its name. */
    name: string;
    /** The rows in which something has changed, or, if nothing has, all; the first of them if there are many. */
    rows: BufferRow[];
    /** The type of its elements, without the dot. */
    type: string;
}
/** Some elements of a buffer in a row. */
export interface BufferRow {
    /** For elements that have changed the text before; `null` for the others. */
    before: (string | null)[];
    /** Index of the first element. */
    first: number;
    /** The texts of the elements; `null` where nothing was written. */
    values: (string | null)[];
}
/** Result of an expectation. */
export interface Expectation {
    /** Whether it compares approximate values. */
    approximate?: boolean;
    /** The reason, if it is not met. */
    message?: string;
    /** The expectation as written. */
    name: string;
    /** Whether the expectation is met. */
    ok: boolean;
    range?: PlaceRange;
    /** Whether it compares unspecified values. */
    unspecified?: boolean;
}
/** Where it is written, in a view of a document that contains it. */
export interface PlaceRange {
    /** Column of its beginning in bytes, from 1. */
    column: number;
    /** Column of its end. */
    end_column: number;
    /** Line of its end. */
    end_line: number;
    /** Line of its beginning, from 1. */
    line: number;
}
/** A fault. */
export interface Fault {
    /** Its column. */
    column: number;
    /** Number of occurrences. */
    count: number;
    /**
     * Index of the CTA in the grid.
     *
     * @minItems 3
     * @maxItems 3
     */
    cta: [number, number, number];
    /** The column of its end. */
    end_column: number;
    /** The line of its end. */
    end_line: number;
    /** Whether an expectation of the launch names this kind of fault. */
    expected?: boolean;
    /** Whether the fault ends the run. */
    fatal: boolean;
    /** Kind of the fault. */
    kind: string;
    /** Mask of the lanes. */
    lanes: number;
    /** The line of the instruction. */
    line: number;
    /** Message. */
    message: string;
    related?: Related;
    /** Number of instructions that the warp had executed before the first occurrence. */
    step: number;
    /** Index of the warp in the CTA. */
    warp: number;
}
/** A related place. */
export interface Related {
    /** Its column. */
    column: number;
    /** Its line. */
    line: number;
    /** Description of the place. */
    message: string;
}
/** The shape of the grid. */
export interface Grid {
    /**
     * Threads of a CTA in each direction.
     *
     * @minItems 3
     * @maxItems 3
     */
    block: [number, number, number];
    /**
     * CTAs of a cluster in each direction.
     *
     * @minItems 3
     * @maxItems 3
     */
    cluster: [number, number, number];
    /** Number of CTAs. */
    ctas: number;
    /**
     * CTAs in each direction.
     *
     * @minItems 3
     * @maxItems 3
     */
    grid: [number, number, number];
    /** Number of threads of a CTA. */
    threads: number;
    /** Number of warps of a CTA. */
    warps: number;
}
/** A matrix with its values. */
export interface Matrix {
    /** Number of columns. */
    columns: number;
    /** For each element its lane (in a warpgroup the number of the thread), register, part of the register, row and column. */
    elements: [number, number, number, number, number][];
    /** The name of the matrix: `A`, `D`. */
    matrix: string;
    /** The text of the operand. */
    operand: string;
    /** The names of the registers. */
    registers: string[];
    /** Whether the values are those after the step: those of its result. Of other operands they are those before. */
    result: boolean;
    /** Number of rows. */
    rows: number;
    /** The texts of the elements, in the same order; `null` where nothing was written, and in another warp. */
    texts: (string | null)[];
    /** Number of threads that hold the matrix. */
    threads: number;
    /** The type of its elements, with the dot. */
    type: string | null;
}
/** Its contents. */
export interface MemoryBlock {
    /** The generic address in hexadecimal digits. */
    address: string;
    /** Whether any byte is part of an approximation. */
    approximate: boolean;
    /** The bytes in hexadecimal digits. */
    bytes: string;
    /** The ranges of written bytes; the ends are exclusive. */
    known: [number, number][];
    /** The name of what lies there, if it has one. */
    name: string | null;
    /** The offset of the first byte in the state space, or from the beginning of what was named. */
    offset: number;
    /** The ranges of bytes that the step before has read. */
    read?: [number, number][];
    /** The state space. */
    space: string;
    texts?: MemoryTexts;
    /** Whether any byte has a value that the manual leaves open. */
    unspecified: boolean;
    /** The ranges of bytes that the step before has written. */
    written?: [number, number][];
}
/** If texts are asked for: the values, each of `size` bytes. */
export interface MemoryTexts {
    /** Number of bytes of a value. */
    size: number;
    /** The format of the values: `f32`. */
    type: string;
    /** The values; `null` where not all bytes were written. */
    values: (string | null)[];
}
/** What memory there is to show, if rows are requested and the answer is not brief. */
export interface MemoryChoices {
    /** Buffers and variables, for the `buffer` of a request; the first 1,000. */
    buffers: MemoryChoice[];
    /** The state spaces, for its `space`. */
    spaces: string[];
    /** Types of values, for its `type`. */
    types: string[];
}
/** A buffer or a variable. */
export interface MemoryChoice {
    /** Its name. */
    name: string;
    /** Its state space: `shared`. */
    space: string;
}
/** A reading, as a menu offers it. */
export interface ReadingChoice {
    /** Its short name beside a register. */
    label: string;
    /** Its name in requests. */
    name: string;
    /** Its name in the menu. */
    title: string;
}
/** A register in one of its readings. */
export interface ReadingTexts {
    /** The name of the reading, for requests. */
    reading: string;
    /** The texts of the 32 lanes; `null` where nothing was written. */
    texts: (string | null)[];
    /** Its name in a menu. */
    title: string;
}
/** Warps at an instruction. */
export interface Standing {
    /** Its column. */
    column: number;
    /** The line of the instruction that is the next of these warps. */
    line: number;
    /** Number of warps. */
    warps: number;
}
/** The state before a step, if requested. */
export interface WarpState {
    /** Mask of the lanes that have exited. */
    exited: number;
    /** The calls of that group, the innermost first. */
    frames: Frame[];
    /** The lanes with a common program counter. */
    groups: LaneGroup[];
    /** The group that continues first, as an index into `groups`. */
    next: number | null;
    /** The parameters of the kernel. */
    parameters?: ParameterState[];
    /** Mask of the lanes that are threads. */
    present: number;
    /** The registers of its innermost call. */
    registers?: RegisterState[];
    /** The same with their texts, if requested. */
    rows?: Row[];
    /** Special registers: those that identify a thread, and those that the function reads. */
    specials?: SpecialState[];
    /** Number of instructions that the warp has executed. */
    step: number;
    /** Number of instructions that the whole grid has executed. */
    time: number;
}
/** An open call. */
export interface Frame {
    /** The function. */
    function: string;
    /** Mask of the lanes that have not returned from it. */
    lanes: number;
    /** The line of its next instruction; of a caller that of its call. */
    line: number;
}
/** Lanes with a common program counter. */
export interface LaneGroup {
    /** Its column. */
    column: number;
    /** Depth of calls. */
    depth: number;
    /** The line of their next instruction. */
    line: number;
    /** The lanes. */
    mask: number;
    /** For lanes that gather: the lanes that they wait for. */
    needs?: number;
    /** What they wait for. */
    state: 'running' | 'barrier' | 'waiting' | 'gathering';
    /** The group in a line: `lanes 0–7 at line 12, wait for lanes 8–31`. */
    text: string;
}
/** A parameter of the kernel. */
export interface ParameterState {
    /** Its name. */
    name: string;
    /** Its offset in parameter memory. */
    offset: number;
    /** What a pointer points to: `x+16`. */
    points_to?: string;
    /** Its type, with the dot; empty if it has none. */
    type: string;
    /** Its bytes in hexadecimal digits. */
    value: string;
}
/** A register. */
export interface RegisterState {
    /** Mask of the lanes whose value is an approximation. */
    approximate?: number;
    /** Mask of the lanes in which something was written. */
    known: number;
    /** Its name. */
    name: string;
    /** For an untyped register: the type that its readers give it. */
    reads_as?: string;
    /** Its declared type, with the dot. */
    type: string;
    /** Whether all lanes that have not exited hold the same. */
    uniform: boolean;
    /** Mask of the lanes whose value the manual leaves open. */
    unspecified?: number;
    /** The values of its 32 lanes: lane 0 first, little-endian, in hexadecimal digits. A predicate has one bit for each lane. */
    value: string;
}
/** A register, a special register or a parameter with its texts. */
export interface Row {
    /** Mask of the lanes whose value is an approximation. */
    approximate?: number;
    /** For a row that the step wrote: the texts before it, for all lanes. */
    before?: string[];
    /** Mask of the lanes that the step wrote. */
    changed?: number;
    /** One text for all lanes that exist and have not exited, if they hold the same or count up. */
    folded?: string;
    /** What it is. */
    kind: 'register' | 'special' | 'parameter';
    /** Mask of the lanes in which something was written. */
    known: number;
    /** The text beside the register: the short name of the reading, of a predicate the mask of the lanes in which it is true. */
    label: string;
    /** What an address points to, shown after the folded text: `x+16`. */
    leads_to?: string;
    /** Its name; of a parameter in brackets. */
    name: string;
    /** The texts of the lanes: one list, or one for each number in the register, the lowest first. */
    parts: RowPart[];
    /** The name of its reading: `signed`, `half2`. */
    reading: string;
    /** For an untyped register: the type that its readers give it. */
    reads_as?: string;
    /** Number of bytes for each lane, which decides what readings there are; 0 for a predicate. */
    size: number;
    /** Its declared type, with the dot. */
    type: string;
    /** Mask of the lanes whose value the manual leaves open. */
    unspecified?: number;
}
/** The texts of one number of a register in all lanes. */
export interface RowPart {
    /** Its name: `f16 lo`; of a register with one number the short name of the reading. */
    label: string;
    /** If any text has more characters than there is room for: texts for all lanes that fit. */
    short?: (string | null)[];
    /** The texts of the 32 lanes; `null` where nothing was written. */
    texts: (string | null)[];
}
/** A special register. */
export interface SpecialState {
    /** Its name. */
    name: string;
    /** Its type, with the dot. */
    type: string;
    /** Its values, in the form of those of a register. */
    value: string;
}
/** Where a run stopped that reached a limit or a deadlock. */
export interface Place {
    /** Column in bytes, from 1. */
    column: number;
    /** Line, from 1. */
    line: number;
}
/** The warp. */
export interface Target {
    /**
     * The place of its CTA in the grid.
     *
     * @minItems 3
     * @maxItems 3
     */
    cta: [number, number, number];
    /** Mask of the lanes that are threads. */
    present: number;
    /** Its number in the CTA. */
    warp: number;
}
/** Where its lanes were, if requested. */
export interface Timeline {
    /** The first step. */
    from: number;
    /**
     * For each step the line, the active lanes (mask), the executing lanes (mask), the depth of calls, and the last line that belongs to
     * the statement.
     */
    steps: [number, number, number, number, number][];
}
/** A step of a warp. */
export interface Step {
    /** The memory accesses, if requested. */
    accesses?: Access[];
    /** Mask of the active lanes. */
    active: number;
    /** Its column. */
    column: number;
    /** Depth of calls. */
    depth: number;
    /** The last line that belongs to the instruction. */
    end_line: number;
    /** Mask of the lanes that execute the instruction: their guard is true. */
    executed: number;
    /** The function. */
    function: string;
    /** The line of the instruction. */
    line: number;
    /** Whether the step made more memory accesses than are listed. */
    more_accesses?: boolean;
    /** The names of the registers that its instruction names, if rows are requested. */
    names?: string[];
    /** The registers that it wrote. */
    registers: RegisterChange[];
    rows?: StepRows;
    /** Number of instructions that the warp had executed before this step. */
    step: number;
    /** Number of instructions that the whole grid had executed before. */
    time: number;
}
/** A request of one instruction to memory. */
export interface Access {
    /** For each lane the offset in the state space in hexadecimal digits, in global memory the address; `null` for other lanes. */
    addresses: (string | null)[];
    /** For shared memory: the lanes by bank. */
    banks?: number[][];
    /** Number of bytes for each lane. */
    bytes: number;
    /** For shared memory: the largest number of different words in one bank. */
    conflict?: number;
    /** What it costs, in a line: `2 passes, 2 words in one bank`. */
    cost?: string;
    /** For global memory: `ideal` divided by `sectors`. */
    efficiency?: number;
    /** The same, one fact after another. */
    facts?: Fact[];
    /** Number of passes without bank conflicts, or the fewest sectors for as many bytes. */
    ideal?: number;
    /** What it does: `load`, `store`, `update`. */
    kind: string;
    /** Mask of the lanes. */
    lanes: number;
    /** For global memory: number of 128-byte lines. */
    lines?: number;
    /** For each lane what lies there: `x+16`. */
    names?: (string | null)[];
    /** For global memory: number of 32-byte sectors. */
    sectors?: number;
    /** The state space: `global`, `shared`, `local`, `const`, `param`. */
    space: string;
    /** What it is, to stand above its picture: `Load of 4 bytes from shared memory in 32 lanes`. */
    title: string;
    /** For global memory: the lines that it touches, in order; the first of them if there are many. */
    touched?: TouchedLine[];
    /** Of shared memory: number of passes. */
    wavefronts?: number;
}
/** A figure with its name. */
export interface Fact {
    /** Whether it says that something could be better. */
    bad: boolean;
    /** The name. */
    name: string;
    /** The figure. */
    value: string;
}
/** A cache line that an access touches. */
export interface TouchedLine {
    /** The address of its first byte in hexadecimal digits. */
    address: string;
    /** What lies at the first touched byte: `x+16`. */
    name?: string;
    /** Its four sectors. */
    sectors: TouchedSector[];
}
/** A sector of a cache line. */
export interface TouchedSector {
    /** The touched bytes as ranges within the sector; the ends are exclusive. */
    bytes: [number, number][];
    /** Mask of the lanes that touch it. */
    lanes: number;
}
/** A register that was written. */
export interface RegisterChange {
    /** The values after the step, in the same form. */
    after: string;
    /** Mask of the lanes whose value is an approximation. */
    approximate?: number;
    /**
     * The values of its 32 lanes before the step: lane 0 first, little-endian, in hexadecimal digits. A predicate has one bit
     * for each lane.
     */
    before: string;
    /** Its name. */
    name: string;
    /** Its type, with the dot. */
    type: string;
    /** Mask of the lanes whose value the manual leaves open. */
    unspecified?: number;
}
/** The rows of the function's registers after the step, if requested. */
export interface StepRows {
    /** Whether these are all rows. If not, those that are missing look as after the step before. */
    all: boolean;
    /** The rows. */
    rows: Row[];
}
