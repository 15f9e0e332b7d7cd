// Facts about a PTX text that need no server: cheap to compute, and correct for well-formed text. Lines and columns
// count from 0 here, as in the editor.

/** The text with comments and strings replaced by blanks, so that all other characters keep their positions. */
export function withoutComments(text: string): string {
    return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"[^"\n]*"/g, (hidden) => hidden.replace(/[^\n]/g, ' '));
}

export interface Header {
    version?: string;
    target?: string;
}

/** The first `.version`, and the architecture in the first `.target`, without options. */
export function header(text: string): Header {
    const code = withoutComments(text);
    const version = /(?:^|[\s;}])\.version\s+(\d+\.\d+)/.exec(code)?.[1];
    const target = /(?:^|[\s;}])\.target\s+([\w]+)/.exec(code)?.[1];
    return { ...(version !== undefined && { version }), ...(target !== undefined && { target }) };
}

/** PreTeXt documents share the extension `.ptx`; they are XML, and no PTX module begins with `<`. */
export function isPreTeXt(text: string): boolean {
    return /^\uFEFF?\s*</.test(text);
}

export interface EntrySpan {
    name: string;
    /** The line of `.entry`, and the line in which its body ends. */
    line: number;
    lastLine: number;
}

/** All kernels, in the order of the text. */
export function entries(text: string): EntrySpan[] {
    const code = withoutComments(text);
    const found: EntrySpan[] = [];
    const starts = lineStarts(code);
    for (const match of code.matchAll(/(?:^|\s)\.entry\s+([\w$%]+)/g)) {
        const name = match[1];
        if (name === undefined) continue;
        const at = match.index + match[0].indexOf('.entry');
        found.push({ name, line: lineOf(starts, at), lastLine: lineOf(starts, bodyEnd(code, at + 1)) });
    }
    return found;
}

/** The kernel around a line, otherwise the first one below it. */
export function entryAt(text: string, line: number): EntrySpan | undefined {
    return entries(text).find((entry) => line <= entry.lastLine);
}

/** The kernel around a line, from its header to its end. */
export function entryAround(text: string, line: number): EntrySpan | undefined {
    return entries(text).find((entry) => entry.line <= line && line <= entry.lastLine);
}

function bodyEnd(code: string, from: number): number {
    let depth = 0;
    for (let at = from; at < code.length; at++) {
        const character = code[at];
        if (character === '{') depth++;
        else if (character === '}') {
            depth--;
            if (depth <= 0) return at;
        } else if (character === ';' && depth === 0) return at; // a declaration without a body
    }
    return code.length;
}

function lineStarts(text: string): number[] {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
}

function lineOf(starts: number[], offset: number): number {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? Infinity) <= offset) low = middle;
        else high = middle - 1;
    }
    return low;
}

/**
 * The text to explain at the cursor: the instruction with all its modifiers, a register, a directive, or any other
 * word.
 */
export function queryAt(line: string, column: number): string | undefined {
    for (const match of line.matchAll(/[%@!]?[\w$.:]*[\w$]/g)) {
        if (match.index <= column && column <= match.index + match[0].length) {
            const query = match[0].replace(/^[@!]+/, '').replace(/^:+|:+$/g, '');
            return query === '' ? undefined : query;
        }
    }
    return undefined;
}

export interface RegisterUse {
    name: string;
    line: number;
    column: number;
}

/** The registers in some lines, each name once, at its last occurrence. Declarations are excluded. */
export function registersIn(lines: string[], firstLine: number): RegisterUse[] {
    const last = new Map<string, RegisterUse>();
    withoutComments(lines.join('\n'))
        .split('\n')
        .forEach((code, index) => {
            if (/^\s*\.reg\b/.test(code)) return;
            for (const match of code.matchAll(/%[A-Za-z_$][\w$]*/g)) {
                // Skip special registers such as `%tid.x`.
                if (code[match.index + match[0].length] === '.') continue;
                last.set(match[0], { name: match[0], line: firstLine + index, column: match.index });
            }
        });
    return [...last.values()];
}

/** The scheme of statements that were made kernels. */
export const STATEMENT_SCHEME = 'ptx-statement';

/** A statement with PTX in a file of another language: the line counts from 0. */
export interface StatementPlace {
    uri: string;
    line: number;
}

/**
 * The address of a statement's kernel: beside its file, with the tab title `k.cu:4.ptx`. `name` is the server's name of the
 * kernel, `k.cu-4`. The query has what is needed to make the kernel again.
 */
export function statementAddress(file: string, name: string, place: StatementPlace): { path: string; query: string } {
    const folder = file.slice(0, file.lastIndexOf('/') + 1);
    return { path: `${folder.startsWith('/') ? '' : '/'}${folder}${name.replace(/-(\d+)$/, ':$1')}.ptx`, query: JSON.stringify(place) };
}

/** The statement in the query of a kernel's address; undefined if it names none. */
export function statementPlace(query: string): StatementPlace | undefined {
    try {
        const place = JSON.parse(query) as Partial<StatementPlace> | null;
        if (typeof place?.uri === 'string' && Number.isSafeInteger(place.line)) return { uri: place.uri, line: place.line ?? 0 };
    } catch {
        // Not written by `statementAddress`.
    }
    return undefined;
}
