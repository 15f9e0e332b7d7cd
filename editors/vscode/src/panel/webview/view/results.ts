// The results of the run: faults, expectations, printed text, buffer contents before and after, parameters, open calls.

import type { Fault, MemoryBlock } from '../../../protocol';
import { elementText, typeBits } from '../model/formats';
import { lanesInWords, reverseBytes } from '../model/lanes';
import { elementType, parseLaunch } from '../model/launch';
import type { Session } from '../session';
import { button, element, grouped } from './dom';

const PER_ROW = 8;
const FIRST_ROWS = 16;

export class ResultsPane {
    readonly node = element('div', { class: 'results' });
    private readonly runPart = element('div');
    private readonly warpPart = element('div');
    private before = new Map<string, MemoryBlock>();
    private askedBefore = false;
    private visible = false;
    private state: object | undefined;

    constructor(
        private readonly session: Session,
        private readonly goToFault: (fault: Fault) => void,
        private readonly reveal: (line: number) => void,
    ) {
        this.node.append(this.runPart, this.warpPart);
    }

    reset(): void {
        this.before = new Map();
        this.askedBefore = false;
        this.drawRun();
        this.state = undefined;
        this.show(this.visible);
    }

    show(visible: boolean): void {
        this.visible = visible;
        if (visible) {
            this.askBefore();
            this.update();
        }
    }

    /** Updates the parts that depend on the step: parameters and calls. */
    update(): void {
        if (!this.visible) return;
        const state = this.session.nearbyState();
        if (state === this.state) return;
        this.state = state;
        this.warpPart.replaceChildren();
        if (state === undefined) return;
        const calls = state.frames;
        if (calls.length > 1) {
            const list = element('ol', { class: 'calls' });
            for (const frame of calls) {
                const go = button(`${frame.function}, line ${frame.line}`, 'Show this line in the editor', () => {
                    this.reveal(frame.line);
                });
                go.className = 'link';
                list.append(element('li', {}, go));
            }
            this.warpPart.append(section('Calls', list));
        }
        if (state.parameters.length > 0) {
            const body = element('tbody');
            for (const one of state.parameters) {
                const digits = reverseBytes(one.value);
                const value = one.points_to === undefined ? elementText(one.type, digits, 0) : `→ ${one.points_to}`;
                body.append(element('tr', {}, element('th', { scope: 'row' }, one.name), element('td', { class: 'quiet' }, one.type), element('td', { title: `0x${digits}` }, digits.length > 16 ? `${one.value.length / 2} bytes` : value)));
            }
            this.warpPart.append(section('Parameters', element('table', { class: 'plain' }, body)));
        }
    }

    private askBefore(): void {
        if (this.askedBefore || this.session.evaluation === undefined) return;
        this.askedBefore = true;
        const names = Object.keys(this.session.evaluation.buffers ?? {}).slice(0, 64);
        if (names.length === 0) return;
        // Request the contents before the first instruction of the first warp, which are the initial contents of the
        // launch.
        void this.session
            .question({ cta: [0, 0, 0], warp: 0, count: 0, state: 0, memory: names.map((buffer) => ({ buffer })) })
            .then((answer) => {
                for (const block of answer?.memory ?? []) this.before.set(block.name, block);
                this.drawRun();
            })
            // Without the contents before the run, the contents after it are still useful.
            .catch(() => undefined);
    }

    private drawRun(): void {
        const { evaluation } = this.session;
        this.runPart.replaceChildren();
        if (evaluation === undefined) return;
        const { faults, expectations, buffers = {} } = evaluation;
        if (faults.length > 0) {
            const list = element('ul', { class: 'faults' });
            for (const fault of faults) list.append(element('li', {}, this.fault(fault)));
            this.runPart.append(section(`Faults (${faults.length})`, list));
        }
        if (expectations.length > 0) {
            const list = element('ul', { class: 'expectations' });
            for (const one of expectations) {
                list.append(element('li', { class: one.ok ? 'ok' : 'bad' }, element('span', { class: 'sign', role: 'img', 'aria-label': one.ok ? 'holds' : 'does not hold' }, one.ok ? '✓' : '✗'), element('code', {}, one.name), one.message === undefined ? undefined : element('span', { class: 'why' }, one.message)));
            }
            const failed = expectations.filter((one) => !one.ok).length;
            this.runPart.append(section(failed === 0 ? `Expectations: all ${expectations.length} hold` : `Expectations: ${failed} of ${expectations.length} fail`, list));
        }
        if (typeof evaluation.printed === 'string' && evaluation.printed !== '') this.runPart.append(section('Printed', element('pre', { tabindex: '0' }, evaluation.printed)));
        for (const [name, hex] of Object.entries(buffers)) this.runPart.append(this.buffer(name, hex));
    }

    private fault(fault: Fault): HTMLElement {
        const { cta, warp } = this.session;
        const here = fault.warp === warp && fault.cta.every((one, at) => one === cta[at]);
        const go = button('', `Go to this fault: line ${fault.line}`, () => {
            this.goToFault(fault);
        });
        go.className = 'fault';
        go.removeAttribute('aria-label');
        const where = `line ${fault.line} · ${lanesInWords(fault.lanes)}${here ? '' : ` · CTA (${fault.cta.join(', ')}) warp ${fault.warp}`}`;
        go.append(element('span', { class: 'kind' }, fault.kind.replaceAll('-', ' ')), element('span', {}, fault.message), element('span', { class: 'quiet' }, where));
        return go;
    }

    private buffer(name: string, hex: string): HTMLElement {
        const launch = typeof this.session.evaluation?.launch === 'string' ? this.session.evaluation.launch : '';
        const type = this.session.launch === undefined ? elementType(parseLaunch(launch), name) : elementType(parseLaunch(this.session.launch), name);
        const bits = type === undefined ? 32 : typeBits(type);
        const size = Math.max(1, bits / 8);
        const count = Math.floor(hex.length / 2 / size);
        const before = this.before.get(name);
        const gaps = unwrittenOf(this.session.evaluation?.unwritten, name);
        const changed: number[] = [];
        for (let at = 0; at < count; at += 1) {
            const slice = [at * size * 2, (at + 1) * size * 2] as const;
            if (before !== undefined && before.bytes.slice(...slice) !== hex.slice(...slice)) changed.push(at);
        }
        const rows = new Set<number>();
        for (const at of changed) rows.add(Math.floor(at / PER_ROW));
        const summary = element('summary', {}, element('strong', {}, name), element('span', { class: 'quiet' }, ` ${grouped(count)} × .${type ?? 'b32'}${before === undefined ? '' : changed.length === 0 ? ' · unchanged' : ` · ${grouped(changed.length)} changed`}`));
        const details = element('details', { class: 'buffer' }, summary);
        const fill = (most: number): void => {
            const body = element('tbody');
            const own = changed.length === 0 || rows.size * PER_ROW >= count ? Array.from({ length: Math.ceil(count / PER_ROW) }, (_, at) => at) : [...rows].sort((one, other) => one - other);
            for (const row of own.slice(0, most)) {
                const line = element('tr', {}, element('th', { scope: 'row' }, `${row * PER_ROW}`));
                for (let at = row * PER_ROW; at < Math.min(count, (row + 1) * PER_ROW); at += 1) {
                    const digits = (bytes: string): string => reverseBytes(bytes.slice(at * size * 2, (at + 1) * size * 2));
                    const text = gaps.some(([from, to]) => at * size >= from && at * size < to) ? '··' : elementText(type ?? 'b32', digits(hex), 0);
                    const old = before === undefined ? undefined : elementText(type ?? 'b32', digits(before.bytes), 0);
                    const new_ = changed.includes(at);
                    line.append(element('td', { ...(new_ ? { class: 'stored' } : {}), title: new_ && old !== undefined ? `${name}[${at}]: ${old} → ${text}` : `${name}[${at}]` }, text));
                }
                body.append(line);
            }
            const table = element('table', { class: 'dump' }, body);
            details.replaceChildren(summary, element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Contents of ${name}` }, table));
            if (own.length > most) details.append(button(`Show more of ${grouped(own.length * PER_ROW)} elements`, `Show more of ${name}`, () => { fill(most * 4); }));
            else if (own.length < Math.ceil(count / PER_ROW)) details.append(element('p', { class: 'quiet' }, 'Rows in which nothing changed are left out.'));
        };
        details.addEventListener('toggle', () => {
            if (details.open && details.childElementCount === 1) fill(FIRST_ROWS);
        });
        return details;
    }
}

function section(title: string, content: HTMLElement): HTMLElement {
    return element('section', {}, element('h2', {}, title), content);
}

function unwrittenOf(all: unknown, name: string): [number, number][] {
    const list: unknown = typeof all === 'object' && all !== null ? (all as Record<string, unknown>)[name] : undefined;
    return Array.isArray(list) ? list.filter((one): one is [number, number] => Array.isArray(one) && one.length === 2) : [];
}
