// The form for the launch. Every field edits one word of the launch text, which can also be edited directly. Text that
// the form does not understand stays unchanged.

import type { EntryLaunches, LaunchText } from '../../../protocol';
import { asLaunches } from '../../messages';
import type { Bus } from '../bus';
import { type BufferText, bufferText, launchComments, type LaunchLine, launchText, parseBuffer, parseLaunch, problemOf, problemOfBuffer, valueOf, withValue } from '../model/launch';
import type { Session } from '../session';
import { element, prose } from './dom';

const FILLS = ['zero', 'iota', 'iota(0, 1)', 'const(1)', 'uniform(0, 1, seed=1)', 'normal(0, 1, seed=1)', 'nan', 'poison'];
const TYPES = ['f32', 'f64', 'f16', 'bf16', 'u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64', 'b32', 'e4m3', 'e5m2'];
const GEOMETRY = [
    ['grid', 'Grid', '1'],
    ['block', 'Block', '32'],
    ['cluster', 'Cluster', '1'],
    ['shared', 'Shared bytes', '0'],
] as const;

interface Field {
    name: string;
    node: HTMLElement;
    problem: HTMLElement;
    inputs: HTMLElement[];
    refresh: () => void;
    check: () => string | undefined;
}

export class LaunchPane {
    readonly node = element('form', { class: 'launch' });
    private readonly which = element('select', { 'aria-label': 'Launch' });
    private readonly notes = element('div', { class: 'notes', role: 'status' });
    private readonly fieldsNode = element('div', { class: 'fields' });
    private readonly text = element('textarea', { rows: '4', spellcheck: 'false', id: 'launch-text' });
    private readonly write: HTMLButtonElement;
    private lines: LaunchLine[] = parseLaunch('');
    private fields: Field[] = [];
    private entry: EntryLaunches | undefined;
    /** The edited launch of the source; undefined for the guess. */
    private source: LaunchText | undefined;
    private edited = false;
    /** Called with the entries of the document, for the panel's header. */
    onEntries: (entries: readonly EntryLaunches[]) => void = () => undefined;

    constructor(
        private readonly session: Session,
        private readonly bus: Bus,
    ) {
        const run = element('button', { type: 'submit', class: 'primary' }, 'Run');
        this.write = element('button', { type: 'button' }, 'Write to file');
        const back = element('button', { type: 'button', title: 'Forget what was edited here and evaluate what the source says' }, 'Back to the source');
        this.node.append(
            datalist('launch-fills', FILLS),
            datalist('launch-types', TYPES),
            element('div', { class: 'pane-bar' }, element('label', {}, 'Launch ', this.which)),
            this.notes,
            this.fieldsNode,
            element('label', { class: 'whole', for: 'launch-text' }, 'As text'),
            this.text,
            element('div', { class: 'actions' }, run, this.write, back),
        );
        this.node.addEventListener('submit', (event) => {
            event.preventDefault();
            this.run();
        });
        this.write.addEventListener('click', () => {
            this.writeToFile();
        });
        back.addEventListener('click', () => {
            this.edited = false;
            this.session.launch = undefined;
            this.choose(this.session.number);
            void this.session.start();
        });
        this.text.addEventListener('input', () => {
            this.edited = true;
            this.lines = parseLaunch(this.text.value);
            for (const field of this.fields) field.refresh();
            this.checkAll();
        });
        this.which.addEventListener('change', () => {
            this.edited = false;
            this.session.launch = undefined;
            this.session.number = Math.max(0, Number(this.which.value));
            this.choose(Number(this.which.value));
            this.session.position = 0;
            void this.session.start();
        });
    }

    /** Loads the launches of the source; does not change a form with edits. */
    async reset(): Promise<void> {
        let entries: readonly EntryLaunches[] = [];
        try {
            ({ entries } = asLaunches(await this.bus.ask({ kind: 'launches' })));
        } catch {
            // Without the launches of the source, the text of the executed launch can still be edited.
        }
        this.onEntries(entries);
        this.entry = entries.find((entry) => entry.name === this.session.evaluation?.entry) ?? entries[0];
        const launches = this.entry?.launches ?? [];
        const options = launches.map((launch, at) => element('option', { value: `${at}` }, `${at + 1}. line ${launch.line}`));
        if (options.length === 0) options.push(element('option', { value: '-1' }, 'guessed'));
        this.which.replaceChildren(...options);
        this.which.disabled = options.length < 2;
        if (!this.edited) this.choose(this.session.number);
        else this.drawNotes();
    }

    private choose(number: number): void {
        this.source = this.entry?.launches[number];
        this.which.value = this.source === undefined ? '-1' : `${number}`;
        const ran = typeof this.session.evaluation?.launch === 'string' ? this.session.evaluation.launch : '';
        const text = this.session.launch ?? (this.source === undefined ? (this.entry?.guess.lines.join('\n') ?? ran) : this.source.lines.join('\n'));
        this.lines = parseLaunch(text.replace(/^\s*\/\/!\s*launch:\s*/, ''));
        this.makeFields();
        this.drawText();
        this.drawNotes();
        this.checkAll();
    }

    private drawText(): void {
        this.text.value = launchText(this.lines);
        this.text.rows = Math.max(3, Math.min(8, this.lines.length + 2));
    }

    private drawNotes(): void {
        this.notes.replaceChildren();
        const guessed = this.source === undefined ? (this.entry?.guess.guessed ?? []) : [];
        if (this.source === undefined) this.notes.append(element('p', { class: 'guess' }, `The source has no launch for this kernel, so one was guessed${guessed.length === 0 ? '.' : `: ${guessed.join(', ')}.`} ${this.entry?.guess.lengths ?? ''}`));
        this.write.textContent = this.source === undefined ? 'Write to file' : `Replace line ${this.source.line}`;
        this.write.disabled = this.entry === undefined;
    }

    private makeFields(): void {
        this.fields = GEOMETRY.map(([name, title, placeholder]) => this.plain(name, title, placeholder));
        const parameters = this.entry?.parameters ?? [];
        for (const parameter of parameters) {
            this.fields.push(parameter.pointer ? this.pointer(parameter.name, parameter.type) : this.plain(parameter.name, `${parameter.name} ${parameter.type}`, 'value'));
        }
        const sizes = element('div', { class: 'sizes' }, ...this.fields.slice(0, GEOMETRY.length).map((field) => field.node));
        this.fieldsNode.replaceChildren(sizes, ...this.fields.slice(GEOMETRY.length).map((field) => field.node));
    }

    private edit(name: string, value: string): void {
        this.edited = true;
        this.lines = withValue(this.lines, name, value);
        this.drawText();
        this.checkAll();
    }

    private plain(name: string, title: string, placeholder: string): Field {
        const id = `launch-${name}`;
        const input = element('input', { type: 'text', id, placeholder, spellcheck: 'false' });
        const problem = element('span', { class: 'problem', id: `${id}-problem` });
        input.addEventListener('input', () => {
            this.edit(name, input.value.trim());
        });
        const refresh = (): void => {
            input.value = valueOf(this.lines, name) ?? '';
        };
        refresh();
        const node = element('div', { class: 'field' }, element('label', { for: id }, title), input, problem);
        return { name, node, problem, inputs: [input], refresh, check: () => problemOf(name, input.value.trim()) };
    }

    private pointer(name: string, type: string): Field {
        const id = `launch-${name}`;
        const problem = element('span', { class: 'problem', id: `${id}-problem` });
        const parts: Record<keyof BufferText, HTMLInputElement> = {
            type: element('input', { type: 'text', id, list: 'launch-types', 'aria-label': `${name}: type of the elements`, spellcheck: 'false' }),
            length: element('input', { type: 'text', 'aria-label': `${name}: number of elements`, spellcheck: 'false' }),
            fill: element('input', { type: 'text', list: 'launch-fills', 'aria-label': `${name}: what is in it`, spellcheck: 'false' }),
        };
        const whole = element('input', { type: 'text', 'aria-label': `${name}: as text`, spellcheck: 'false' });
        const structured = element('span', { class: 'parts' }, parts.type, element('span', { 'aria-hidden': 'true' }, '['), parts.length, element('span', { 'aria-hidden': 'true' }, ']:'), parts.fill);
        const read = (): BufferText => ({ type: parts.type.value.trim(), length: parts.length.value.trim(), fill: parts.fill.value.trim() });
        for (const input of Object.values(parts)) {
            input.addEventListener('input', () => {
                this.edit(name, bufferText(read()));
            });
        }
        whole.addEventListener('input', () => {
            this.edit(name, whole.value.trim());
        });
        const refresh = (): void => {
            const value = valueOf(this.lines, name) ?? '';
            const buffer = parseBuffer(value);
            // A value that is not a plain buffer (an address, bytes, a file) is edited as text.
            structured.hidden = buffer === undefined;
            whole.hidden = buffer !== undefined;
            whole.value = value;
            for (const key of ['type', 'length', 'fill'] as const) parts[key].value = buffer?.[key] ?? '';
        };
        refresh();
        const node = element('div', { class: 'field' }, element('label', { for: id }, `${name} ${type} pointer`), structured, whole, problem);
        return { name, node, problem, inputs: [...Object.values(parts), whole], refresh, check: () => (structured.hidden ? undefined : problemOfBuffer(read())?.message) };
    }

    /** Shows problems at their fields: those found by the form, and those of the server if it names a field. */
    private checkAll(): boolean {
        const said = this.session.refused;
        let fine = true;
        for (const field of this.fields) {
            const own = field.check();
            const named = said !== undefined && said.refusal?.kind === 'launch' && new RegExp(`(^|[^\\w%])${escape(field.name)}([^\\w]|$)`).test(said.message);
            const text = own ?? (named ? said.message : '');
            field.problem.replaceChildren(prose(text));
            field.problem.hidden = text === '';
            if (own !== undefined) fine = false;
            for (const input of field.inputs) {
                if (text === '') {
                    input.removeAttribute('aria-invalid');
                    input.removeAttribute('aria-describedby');
                } else {
                    input.setAttribute('aria-invalid', 'true');
                    input.setAttribute('aria-describedby', field.problem.id);
                }
            }
        }
        return fine;
    }

    /** Handles a new message of the server, which may belong to a field. */
    noticed(): void {
        this.checkAll();
    }

    private run(): void {
        if (!this.checkAll()) {
            this.node.querySelector<HTMLElement>('[aria-invalid]:not([hidden])')?.focus();
            return;
        }
        this.session.launch = launchText(this.lines);
        this.session.position = 0;
        void this.session.start();
    }

    writeToFile(): void {
        if (this.entry === undefined) return;
        const replaces = this.source === undefined ? null : { line: this.source.line, lines: this.source.lines };
        this.edited = false;
        this.session.launch = undefined;
        this.bus.send({ type: 'write', lines: launchComments(this.lines), replaces, above: this.entry.line });
    }
}

function datalist(id: string, values: readonly string[]): HTMLElement {
    return element('datalist', { id }, ...values.map((value) => element('option', { value })));
}

function escape(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
