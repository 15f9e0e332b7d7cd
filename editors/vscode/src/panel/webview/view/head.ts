// The header of the panel: the kernel, the result of its run, the selected CTA and warp.

import type { EntryLaunches, Fault, Triple } from '../../../protocol';
import { evaluationCounts, expectationsInWords } from '../model/answer';
import type { Session } from '../session';
import { button, element, grouped, icon, setAttribute, setClass, setText, withoutTicks } from './dom';

export class Head {
    readonly node: HTMLElement;
    private readonly title = element('h1', { class: 'unseen' }, 'Warp');
    private readonly file = element('span', { class: 'quiet file' });
    private readonly entry = element('select', { class: 'entry', 'aria-label': 'Kernel' });
    private readonly status = element('button', { type: 'button', class: 'badge' });
    private readonly cta = element('span', { class: 'cta' });
    private readonly warp = element('select', { 'aria-label': 'Warp' });
    private entries: readonly string[] = [];

    constructor(
        private readonly session: Session,
        actions: { entry: (name: string) => void; results: () => void; keep: (() => void) | undefined; help: () => void },
    ) {
        this.entry.addEventListener('change', () => {
            actions.entry(this.entry.value);
        });
        this.warp.addEventListener('change', () => {
            session.selectWarp(session.cta, Number(this.warp.value));
        });
        this.status.addEventListener('click', actions.results);
        this.node = element(
            'header',
            { class: 'head' },
            this.title,
            this.entry,
            this.status,
            element('span', { class: 'warps', role: 'group', 'aria-label': 'Warp that is shown' }, element('span', { class: 'quiet' }, 'CTA'), this.cta, element('label', {}, element('span', { class: 'quiet' }, 'Warp '), this.warp)),
            this.file,
            actions.keep && button(icon('M5 2h6l-1 5 2.5 2.5h-9L6 7zM8 9.5V14'), 'Keep this panel and open another for the next kernel', actions.keep),
            button('?', 'Keys and signs', actions.help),
        );
    }

    setFile(file: string): void {
        setText(this.file, file);
        setAttribute(this.file, 'title', file);
    }

    setEntries(entries: readonly EntryLaunches[]): void {
        this.entries = entries.map((entry) => entry.name);
        this.update();
    }

    update(): void {
        const { evaluation, cta, warp } = this.session;
        this.node.classList.toggle('bare', evaluation === undefined);
        if (evaluation === undefined) return;
        const names = this.entries.includes(evaluation.entry) ? this.entries : [evaluation.entry, ...this.entries];
        if (this.entry.dataset['names'] !== names.join(' ')) {
            this.entry.dataset['names'] = names.join(' ');
            this.entry.replaceChildren(...names.map((name) => element('option', { value: name }, name)));
        }
        this.entry.value = evaluation.entry;
        setText(this.title, `Warp ${warp} of ${evaluation.entry}`);
        const { faults, expectations, status } = evaluation;
        const counts = evaluationCounts(expectations);
        const failed = counts.all - counts.held;
        const more = [
            faults.length > 0 ? `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}` : '',
            failed === 0 ? '' : `${failed} of ${counts.all} ${counts.all === 1 ? 'expectation' : 'expectations'} ${failed === 1 ? 'fails' : 'fail'}`,
        ].filter((part) => part !== '');
        const bad = status !== 'finished' || more.length > 0;
        const outcome = status === 'fault' && faults.length > 0 ? '' : !bad && counts.all > 0 ? expectationsInWords(counts) : evaluation.outcome;
        setText(this.status, `${bad ? '⚠' : '✓'} ${[outcome, ...more].filter((part) => part !== '').join(' · ')}`);
        setClass(this.status, `badge ${bad ? 'bad' : 'ok'}`);
        setAttribute(this.status, 'title', `${withoutTicks(evaluation.ended)}; ${grouped(evaluation.grid.ctas)} CTAs of ${evaluation.grid.warps} warps. Click: results`);
        this.drawCta(evaluation.grid.grid, cta);
        const broken = new Set(faults.filter((fault) => sameCta(fault, cta)).map((fault) => fault.warp));
        const options = Array.from({ length: evaluation.grid.warps }, (_, at) => element('option', { value: `${at}` }, broken.has(at) ? `${at} ⚠` : `${at}`));
        this.warp.replaceChildren(...options);
        this.warp.value = `${warp}`;
        this.warp.disabled = options.length < 2;
    }

    private drawCta(grid: Triple, cta: Triple): void {
        const key = `${grid.join()} ${cta.join()}`;
        if (this.cta.dataset['key'] === key) return;
        this.cta.dataset['key'] = key;
        const axes = ['x', 'y', 'z'] as const;
        this.cta.replaceChildren();
        if (grid.every((size) => size === 1)) {
            this.cta.append('0');
            return;
        }
        axes.forEach((axis, at) => {
            if (grid[at] === 1 && at > 0) return;
            const input = element('input', { type: 'number', min: '0', max: `${(grid[at] ?? 1) - 1}`, value: `${cta[at]}`, 'aria-label': `CTA ${axis}, up to ${(grid[at] ?? 1) - 1}`, title: `%ctaid.${axis}, up to ${(grid[at] ?? 1) - 1}` });
            input.addEventListener('change', () => {
                const wanted: Triple = [...this.session.cta];
                wanted[at] = Math.max(0, Math.min(Math.floor(Number(input.value) || 0), (grid[at] ?? 1) - 1));
                this.session.selectWarp(wanted, this.session.warp);
            });
            this.cta.append(input);
        });
    }
}

function sameCta(fault: Fault, cta: Triple): boolean {
    return fault.cta.every((one, at) => one === cta[at]);
}
