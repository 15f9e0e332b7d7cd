// The results of the run: faults, expectations, printed text, buffer contents before and after, parameters, open calls.

import type { BufferView, Fault } from '../../../protocol';
import { lanesInWords } from '../model/lanes';
import type { Session } from '../session';
import { button, element, grouped, prose } from './dom';

const FIRST_ROWS = 16;

export class ResultsPane {
    readonly node = element('div', { class: 'results' });
    private readonly runPart = element('div');
    private readonly warpPart = element('div');
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
        this.drawRun();
        this.state = undefined;
        this.show(this.visible);
    }

    show(visible: boolean): void {
        this.visible = visible;
        if (visible) this.update();
    }

    /** Updates the parts that depend on the step: parameters and calls. */
    update(): void {
        if (!this.visible) return;
        const state = this.session.moment?.state;
        if (state === undefined || state === this.state) return;
        this.state = state;
        this.warpPart.replaceChildren();
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
        const rows = (this.session.rows() ?? []).filter((row) => row.data.kind === 'parameter');
        if (rows.length > 0) {
            const body = element('tbody');
            for (const { data } of rows) {
                const value = data.leads_to === undefined ? (data.folded ?? '') : `→ ${data.leads_to}`;
                body.append(element('tr', {}, element('th', { scope: 'row' }, data.name), element('td', { class: 'quiet' }, data.type), element('td', data.folded === undefined ? {} : { title: data.folded }, value)));
            }
            this.warpPart.append(section('Parameters', element('table', { class: 'plain' }, body)));
        }
    }

    private drawRun(): void {
        const { evaluation } = this.session;
        this.runPart.replaceChildren();
        if (evaluation === undefined) return;
        const { faults, expectations, contents = [] } = evaluation;
        if (faults.length > 0) {
            const list = element('ul', { class: 'faults' });
            for (const fault of faults) list.append(element('li', {}, this.fault(fault)));
            this.runPart.append(section(`Faults (${faults.length})`, list));
        }
        if (expectations.length > 0) {
            const list = element('ul', { class: 'expectations' });
            for (const one of expectations) {
                list.append(element('li', { class: one.ok ? 'ok' : 'bad' }, element('span', { class: 'sign', role: 'img', 'aria-label': one.ok ? 'holds' : 'does not hold' }, one.ok ? '✓' : '✗'), element('code', {}, one.name), one.message === undefined ? undefined : element('span', { class: 'why' }, prose(one.message))));
            }
            const failed = expectations.filter((one) => !one.ok).length;
            this.runPart.append(section(failed === 0 ? `Expectations: all ${expectations.length} hold` : `Expectations: ${failed} of ${expectations.length} fail`, list));
        }
        if (evaluation.printed !== undefined) this.runPart.append(section('Printed', element('pre', { tabindex: '0' }, evaluation.printed)));
        for (const buffer of contents) this.runPart.append(bufferView(buffer));
        if (this.runPart.childElementCount === 0) this.runPart.append(element('p', { class: 'empty' }, 'No faults. The launch expects nothing, and the kernel has no buffers.'));
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
        go.append(element('span', { class: 'kind' }, fault.kind.replaceAll('-', ' ')), element('span', {}, prose(fault.message)), element('span', { class: 'quiet' }, where));
        return go;
    }
}

function bufferView(buffer: BufferView): HTMLElement {
    const { name, rows } = buffer;
    const changed = buffer.changed === 0 ? 'unchanged' : `${grouped(buffer.changed)} changed`;
    const summary = element('summary', {}, element('strong', {}, name), element('span', { class: 'quiet' }, ` ${grouped(buffer.count)} × .${buffer.type} · ${changed}`));
    const details = element('details', { class: 'buffer' }, summary);
    const fill = (most: number): void => {
        const body = element('tbody');
        for (const row of rows.slice(0, most)) {
            const line = element('tr', {}, element('th', { scope: 'row' }, `${row.first}`));
            row.values.forEach((text, at) => {
                const before = row.before[at] ?? undefined;
                const place = `${name}[${row.first + at}]`;
                line.append(element('td', { ...(before === undefined ? {} : { class: 'stored' }), title: before === undefined ? place : `${place}: ${before} → ${text ?? '··'}` }, text ?? '··'));
            });
            body.append(line);
        }
        const table = element('table', { class: 'dump' }, body);
        details.replaceChildren(summary, element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Contents of ${name}` }, table));
        if (rows.length > most) details.append(button(`Show more of ${grouped(rows.length)} rows`, `Show more of ${name}`, () => { fill(most * 4); }));
        else if (buffer.more > 0) details.append(element('p', { class: 'quiet' }, `and ${grouped(buffer.more)} more rows`));
        if (buffer.changed > 0) details.append(element('p', { class: 'quiet' }, 'Rows in which nothing changed are left out.'));
    };
    details.addEventListener('toggle', () => {
        if (details.open && details.childElementCount === 1) fill(FIRST_ROWS);
    });
    return details;
}

function section(title: string, content: HTMLElement): HTMLElement {
    return element('section', {}, element('h2', {}, title), content);
}
