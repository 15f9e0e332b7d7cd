// Comments above labels and guards. They may be at the column of statements or at that of labels. The formatter moves
// such a comment together with a label that is not yet at its column, and otherwise leaves it where it is.

/** The lines of a text. */
export interface Lines {
    count: number;
    at(line: number): string;
}

const isComment = (text: string): boolean => /^\s*\/\//.test(text);
const isBlank = (text: string): boolean => text.trim() === '';

/** Whether a line is a comment above a label or a guard. */
export function isCommentAboveLabel(lines: Lines, line: number): boolean {
    if (!isComment(lines.at(line))) return false;
    let next = line + 1;
    while (next < lines.count && isComment(lines.at(next))) next++;
    return next < lines.count && /^\s*(?:@(?!@)|[A-Za-z_$%][\w$]*\s*:(?!:))/.test(lines.at(next));
}

/**
 * The indentation that a comment above a label shares with the statement before it; `undefined` for every other line, and where something other
 * than an indented statement comes before it.
 */
export function indentationOfComment(lines: Lines, line: number): string | undefined {
    if (!isCommentAboveLabel(lines, line)) return undefined;
    let above = line - 1;
    while (above >= 0 && (isBlank(lines.at(above)) || isComment(lines.at(above)))) above--;
    return above < 0 ? undefined : /^([ \t]+)[^@\s/{}].*;\s*(?:\/\/.*)?$/.exec(lines.at(above))?.[1];
}
