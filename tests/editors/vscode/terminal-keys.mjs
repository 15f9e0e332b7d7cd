// Types a text into a program that runs in tmux, key by key; leading blanks are left to it.
//
//   terminal-keys.mjs SOCKET SESSION FILE PACE [pairs]
//
// PACE are milliseconds a key. With 0 the keys of a line come at once.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { keysFor } from './keys.mjs';

const [socket, session, file, pace, pairs] = process.argv.slice(2);
const NAMES = { Enter: 'Enter', ArrowDown: 'Down', End: 'End', Delete: 'DC' };
const send = (...keys) => promisify(execFile)('tmux', ['-u', '-L', socket, 'send-keys', '-t', session, ...keys]);
// tmux would treat a semicolon at the end as its own separator.
const type = (text) => send('-l', '--', text.replace(/;$/, '\\;'));

let plain = '';
const flush = async () => {
    if (plain) await type(plain);
    plain = '';
};
let due = performance.now();
let keys = 0;
for (const { key } of keysFor(readFileSync(file, 'utf8'), { pairs: pairs === 'pairs' })) {
    keys++;
    if (Number(pace) > 0) {
        due += Number(pace);
        const early = due - performance.now();
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
    }
    if (NAMES[key] !== undefined) {
        await flush();
        await send(NAMES[key]);
    } else {
        plain += key;
        if (Number(pace) > 0) await flush();
    }
}
await flush();
console.log(keys);
