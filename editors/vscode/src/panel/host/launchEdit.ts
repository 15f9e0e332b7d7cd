// Edits of launch lines in the source.

import { splitAtColumn } from './bytes';

/** An edit of whole lines; both line numbers count from 0, and the end is exclusive. */
export interface LinesEdit {
    from: number;
    to: number;
    lines: string[];
}

/**
 * The edit that writes a launch: it replaces the old lines if they are unchanged, otherwise it inserts above a line.
 * Undefined if the lines to replace have changed.
 */
export function launchEdit(
    source: readonly string[],
    lines: readonly string[],
    replaces: { line: number; lines: readonly string[] } | null,
    above: number,
): LinesEdit | undefined {
    if (replaces === null) {
        const at = Math.max(0, Math.min(above - 1, source.length));
        const indent = /^[ \t]*/.exec(source[at] ?? '')?.[0] ?? '';
        return { from: at, to: at, lines: lines.map((line) => indent + line) };
    }
    const from = replaces.line - 1;
    const stands = replaces.lines.every((line, at) => source[from + at]?.trim() === line.trim());
    if (!stands || replaces.lines.length === 0) return undefined;
    const indent = /^[ \t]*/.exec(source[from] ?? '')?.[0] ?? '';
    return { from, to: from + replaces.lines.length, lines: lines.map((line) => indent + line) };
}

/** The statement at a position: from its column (in bytes) to the semicolon, on one line, without comments. */
export function statementText(source: readonly string[], line: number, column: number): string {
    const first = source[line - 1];
    if (first === undefined) return '';
    let text = splitAtColumn(first, column)[1];
    for (let next = line; next < Math.min(line + 7, source.length) && !withoutComments(text).includes(';'); next += 1) text += `\n${source[next] ?? ''}`;
    const bare = withoutComments(text).replace(/\s+/g, ' ').trim();
    const end = bare.indexOf(';');
    return end === -1 ? bare : bare.slice(0, end + 1);
}

function withoutComments(text: string): string {
    return text.replace(/\/\*[^]*?\*\//g, ' ').replace(/\/\/[^\n]*/g, '');
}
