// The text of a launch that the form edits. A launch is a list of lines, and a line is a list of words. Editing
// replaces only the value of a word, so text that the form does not understand stays as it is.

export interface Word {
    /** Undefined if the word is not `name=value`. */
    name: string | undefined;
    value: string;
}

export interface LaunchLine {
    /** The keyword of the line: `launch`, `params`, `globals`, `buffers` or `expect`. */
    key: string;
    words: Word[];
    /** The text of a line that the form does not split into words. */
    raw: string | undefined;
}

/** The parts of a buffer in the usual notation: `f32[64]:iota`. */
export interface BufferText {
    type: string;
    length: string;
    fill: string;
}

const OPEN = '([{';
const CLOSE = ')]}';

/** Splits at white space outside brackets and quotation marks. */
export function splitWords(text: string): string[] {
    const words: string[] = [];
    let own = '';
    let depth = 0;
    let quoted = false;
    for (const character of text) {
        if (character === '"') quoted = !quoted;
        else if (!quoted && OPEN.includes(character)) depth += 1;
        else if (!quoted && CLOSE.includes(character)) depth -= 1;
        if (!quoted && depth <= 0 && /\s/.test(character)) {
            if (own !== '') words.push(own);
            own = '';
        } else own += character;
    }
    if (own !== '') words.push(own);
    return words;
}

function wordOf(text: string): Word {
    const at = text.indexOf('=');
    return at <= 0 ? { name: undefined, value: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Parses the text after `launch:`, with its further lines. */
export function parseLaunch(text: string): LaunchLine[] {
    return text.split('\n').map((whole, at) => {
        const line = whole.replace(/^\s*\/\/!\s*/, '');
        const found = /^\s*(launch|params|globals|buffers|expect)\s*:\s*(.*)$/.exec(line);
        const key = found?.[1] ?? (at === 0 ? 'launch' : '');
        const rest = (found?.[2] ?? line).trim();
        if (key === 'expect' || key === '') return { key, words: [], raw: rest };
        return { key, words: splitWords(rest).map(wordOf), raw: undefined };
    });
}

function lineText(line: LaunchLine): string {
    return line.raw ?? line.words.map((word) => (word.name === undefined ? word.value : `${word.name}=${word.value}`)).join(' ');
}

/** The launch as text for the server. */
export function launchText(lines: readonly LaunchLine[]): string {
    return lines.map((line, at) => (at === 0 && line.key === 'launch') || line.key === '' ? lineText(line) : `${line.key}: ${lineText(line)}`).join('\n');
}

/** The launch as comments above a kernel. */
export function launchComments(lines: readonly LaunchLine[]): string[] {
    return lines.filter((line) => line.key !== '' || lineText(line) !== '').map((line) => `//! ${line.key === '' ? '' : `${line.key}: `}${lineText(line)}`.trimEnd());
}

/** The value of a name in the launch. If there are several, the last one counts, as in the server. */
export function valueOf(lines: readonly LaunchLine[], name: string): string | undefined {
    let found: string | undefined;
    for (const line of lines) for (const word of line.words) if (word.name === name) found = word.value;
    return found;
}

/** Replaces a value in place, or adds it to the first line; removes it if the new value is empty. */
export function withValue(lines: readonly LaunchLine[], name: string, value: string): LaunchLine[] {
    const exists = valueOf(lines, name) !== undefined;
    const made = lines.map((line) => ({
        ...line,
        words: line.words.flatMap((word) => (word.name !== name ? [word] : value === '' ? [] : [{ name, value }])),
    }));
    const first = made[0];
    if (!exists && value !== '' && first !== undefined) {
        const geometry = ['grid', 'block', 'cluster', 'shared'];
        const word = { name, value };
        // By convention the size of the grid comes first.
        const at = geometry.includes(name) ? first.words.findIndex((own) => !geometry.includes(own.name ?? '')) : -1;
        if (at === -1) first.words.push(word);
        else first.words.splice(at, 0, word);
    }
    return made;
}

export function parseBuffer(value: string): BufferText | undefined {
    const found = /^([a-z]\w*)\[([^\]]*)\]:([^[{&].*)$/i.exec(value);
    if (found === null || /^(hex|file)\(/.test(found[3] ?? '')) return undefined;
    return { type: found[1] ?? '', length: found[2] ?? '', fill: found[3] ?? '' };
}

export function bufferText(buffer: BufferText): string {
    return `${buffer.type}[${buffer.length}]:${buffer.fill}`;
}

/** The mistake in a form value that can be found without the server, which finds the others. */
export function problemOf(name: string, value: string): string | undefined {
    if (['grid', 'block', 'cluster'].includes(name)) {
        if (value === '' && name !== 'block' && name !== 'grid') return undefined;
        const parts = value.split(',');
        if (parts.length > 3 || !parts.every((part) => /^[1-9]\d*$/.test(part.trim()))) return 'One to three numbers from 1, such as 2,2';
    }
    if (name === 'shared' && value !== '' && !/^\d+$/.test(value)) return 'A number of bytes';
    return undefined;
}

export function problemOfBuffer(buffer: BufferText): { field: keyof BufferText; message: string } | undefined {
    if (!/^[a-z]\w*$/.test(buffer.type)) return { field: 'type', message: 'A type such as f32' };
    if (!/^\d+(\s*\*\s*\d+)*$/.test(buffer.length)) return { field: 'length', message: 'A number of elements, or a product such as 32*8' };
    if (buffer.fill.trim() === '' || /\s/.test(buffer.fill.replace(/\([^)]*\)/g, ''))) return { field: 'fill', message: 'A fill such as iota or const(1)' };
    return undefined;
}
