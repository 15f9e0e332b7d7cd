// The keys that a user presses to write a text, and their transmission to a page at a given pace.

/** Keys of a keyboard with the US layout: key → [code, virtual key]. */
const KEYS = new Map([
    ['Enter', ['Enter', 13]],
    ['Escape', ['Escape', 27]],
    ['Delete', ['Delete', 46]],
    ['End', ['End', 35]],
    ['ArrowDown', ['ArrowDown', 40]],
    [' ', ['Space', 32]],
]);
for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const entry = [`Key${letter.toUpperCase()}`, letter.toUpperCase().charCodeAt(0)];
    KEYS.set(letter, entry).set(letter.toUpperCase(), entry);
}
[...'0123456789'].forEach((digit, i) => KEYS.set(digit, [`Digit${digit}`, 48 + i]).set(')!@#$%^&*('[i], [`Digit${digit}`, 48 + i]));
for (const [pair, code, key] of [
    [';:', 'Semicolon', 186], ['=+', 'Equal', 187], [',<', 'Comma', 188], ['-_', 'Minus', 189], ['.>', 'Period', 190], ['/?', 'Slash', 191],
    ['`~', 'Backquote', 192], ['[{', 'BracketLeft', 219], ['\\|', 'Backslash', 220], [']}', 'BracketRight', 221], ['\'"', 'Quote', 222],
]) {
    for (const sign of pair) KEYS.set(sign, [code, key]);
}

const CLOSERS = { '(': ')', '[': ']', '{': '}', '"': '"' };
const closes = (sign) => Object.values(CLOSERS).includes(sign);

/**
 * The keys for a text, as `{ key, pause }`; the editor inserts leading blanks. With `pairs` the editor closes brackets.
 * A closing bracket is then typed over the existing one, or reached with ArrowDown if it is on its own line. One that
 * is unwanted in a comment (`[0, 1)`) is deleted.
 *
 * `pause` is the number of milliseconds before the key in addition to the pace.
 */
export function keysFor(text, { pairs = true } = {}) {
    const out = [];
    const press = (key, pause = 0) => out.push({ key, pause });
    // Closing brackets after the cursor in its line, and those on their own lines below; the innermost is last.
    let here = [];
    const below = [];
    const lines = text.split('\n').map((line) => line.trimStart());
    lines.forEach((line, number) => {
        let from = 0;
        if (number > 0) {
            if (pairs && here.length === 0 && below.length > 0 && line.startsWith(below.at(-1))) {
                below.pop();
                press('ArrowDown');
                press('End');
                from = 1;
            } else {
                const opened = here.length > 0 && lines[number - 1].endsWith(Object.keys(CLOSERS).find((open) => CLOSERS[open] === here.at(-1)));
                press('Enter');
                if (opened && !lines[number - 1].startsWith('//')) below.push(here.pop());
            }
        }
        const quoted = { open: false };
        for (const sign of line.slice(from)) {
            press(sign);
            if (!pairs) continue;
            if (here.at(-1) === sign && (sign !== '"' || quoted.open)) {
                here.pop();
                if (sign === '"') quoted.open = false;
            } else if (CLOSERS[sign] !== undefined && !(sign !== '"' && quoted.open)) {
                here.push(CLOSERS[sign]);
                if (sign === '"') quoted.open = true;
            }
        }
        if (line.includes('//')) {
            here.forEach(() => press('Delete'));
            here = [];
        }
    });
    return out;
}

/**
 * Presses keys at a pace. It waits only for the clock, and while more than `queue` keys are unprocessed by the page.
 */
export async function pressKeys(cdp, keys, pace, { queue = 16 } = {}) {
    const waiting = new Set();
    let due = performance.now();
    for (const { key, pause } of keys) {
        due = Math.max(due + pace + pause, performance.now() - 1000);
        const early = due - performance.now();
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
        while (waiting.size >= queue) await Promise.race(waiting);
        const [code, number] = KEYS.get(key) ?? ['', 0];
        const shape = { key, code, windowsVirtualKeyCode: number };
        const text = key === 'Enter' ? '\r' : [...key].length === 1 ? key : undefined;
        const sent = Promise.all([
            cdp.send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...shape, ...(text !== undefined && { text, unmodifiedText: text }) }),
            cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...shape }),
        ]).finally(() => waiting.delete(sent));
        waiting.add(sent);
    }
    await Promise.all(waiting);
}

/** The number of characters of `wanted` that `found` lacks, and the number of extra characters in `found`. */
export function difference(wanted, found) {
    if (wanted === found) return { missing: 0, extra: 0 };
    const a = wanted.split('\n').map((line) => `${line}\n`);
    const b = found.split('\n').map((line) => `${line}\n`);
    let missing = 0;
    let extra = 0;
    for (const [before, after] of hunks(a, b)) {
        const [left, right] = [[...before.join('')], [...after.join('')]];
        const same = common(left, right);
        missing += left.length - same;
        extra += right.length - same;
    }
    return { missing, extra };
}

/** A short description of the first difference between two texts. */
export function firstDifference(wanted, found) {
    const [a, b] = [wanted.split('\n'), found.split('\n')];
    const at = a.findIndex((line, i) => line !== b[i]);
    if (at < 0) return `${b.length - a.length} lines more than wanted`;
    return `line ${at + 1}: wanted ${JSON.stringify(a.slice(at, at + 2).join('\n'))}, found ${JSON.stringify(b.slice(at, at + 2).join('\n'))}`;
}

function table(a, b) {
    const width = b.length + 1;
    const cells = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
        for (let j = b.length - 1; j >= 0; j--) {
            cells[i * width + j] = a[i] === b[j] ? cells[(i + 1) * width + j + 1] + 1 : Math.max(cells[(i + 1) * width + j], cells[i * width + j + 1]);
        }
    }
    return { cells, width };
}

function common(a, b) {
    // Above this size, the middle parts of two texts count as completely different.
    if (a.length * b.length > 2e7) return 0;
    return table(a, b).cells[0];
}

function hunks(a, b) {
    const { cells, width } = table(a, b);
    const out = [];
    let [i, j] = [0, 0];
    let open;
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            open = undefined;
            i++;
            j++;
            continue;
        }
        if (!open) out.push((open = [[], []]));
        if (j >= b.length || (i < a.length && cells[(i + 1) * width + j] >= cells[i * width + j + 1])) open[0].push(a[i++]);
        else open[1].push(b[j++]);
    }
    return out;
}
