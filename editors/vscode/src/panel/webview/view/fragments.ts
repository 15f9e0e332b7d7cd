// The matrices of an instruction: each operand as rows and columns, from the registers of the 32 lanes. An element
// shows its lane and register, and highlights the other elements of the same lane or register.

import type { FragmentOperand, Fragments } from '../../../protocol';
import { asFragments } from '../../messages';
import type { Bus } from '../bus';
import { elementText } from '../model/formats';
import { hasLane, isPredicate, laneBytes, laneDigits } from '../model/lanes';
import type { Session } from '../session';
import { element, setText } from './dom';

export class FragmentsPane {
    readonly node = element('div', { class: 'fragments' });
    private readonly status = element('p', { class: 'holder', 'aria-live': 'polite' });
    private readonly content = element('div', { class: 'matrices' });
    private readonly remembered = new Map<number, Fragments | null>();
    private readonly asked = new Set<number>();
    private visible = false;
    private marks: { node: HTMLElement; lane: number; register: string }[] = [];

    constructor(
        private readonly session: Session,
        private readonly bus: Bus,
        /** Called with whether the instruction of the step has matrices. */
        private readonly available: (there: boolean) => void,
    ) {
        this.node.append(this.status, this.content);
        this.content.addEventListener('pointerover', (event) => {
            this.point(event.target);
        });
        this.content.addEventListener('focusin', (event) => {
            this.point(event.target);
        });
        this.content.addEventListener('keydown', (event) => {
            this.keyed(event);
        });
    }

    reset(): void {
        this.remembered.clear();
        this.asked.clear();
    }

    show(visible: boolean): void {
        this.visible = visible;
        if (visible) this.draw();
    }

    update(): void {
        const line = this.session.current?.line;
        if (line === undefined) return;
        if (!this.asked.has(line)) {
            this.asked.add(line);
            void this.bus
                .ask({ kind: 'fragments', line })
                .then((body) => {
                    this.remembered.set(line, asFragments(body));
                    if (this.session.current?.line === line) this.update();
                })
                // An older server without this request has no matrices to show.
                .catch(() => this.remembered.set(line, null));
        }
        this.available((this.remembered.get(line) ?? null) !== null);
        if (this.visible) this.draw();
    }

    private draw(): void {
        const line = this.session.current?.line;
        const fragments = line === undefined ? null : (this.remembered.get(line) ?? null);
        this.marks = [];
        if (fragments === null) {
            setText(this.status, 'The instruction of this step has no matrix operands.');
            this.content.replaceChildren();
            return;
        }
        setText(this.status, 'Point at an element to see its lane and register.');
        this.content.replaceChildren(...fragments.operands.map((operand, at) => this.matrix(operand, at === 0)));
    }

    private matrix(operand: FragmentOperand, result: boolean): HTMLElement {
        const cells = new Map<string, { lane: number; register: number; element: number }>();
        for (const [lane, register, part, row, column] of operand.elements) cells.set(`${row},${column}`, { lane, register, element: part });
        const head = element('tr', {}, element('td'));
        for (let column = 0; column < operand.columns; column += 1) head.append(element('th', { scope: 'col' }, `${column}`));
        const body = element('tbody');
        for (let row = 0; row < operand.rows; row += 1) {
            const line = element('tr', {}, element('th', { scope: 'row' }, `${row}`));
            for (let column = 0; column < operand.columns; column += 1) {
                const place = cells.get(`${row},${column}`);
                const node = element('td', { class: 'unknown', tabindex: row === 0 && column === 0 ? '0' : '-1', 'data-at': `${row},${column}` }, '');
                if (place !== undefined) {
                    const name = operand.registers[place.register] ?? `register ${place.register}`;
                    const text = this.text(operand, result, name, place.lane, place.element);
                    node.textContent = text;
                    if (text !== '—') node.classList.remove('unknown');
                    node.dataset['mark'] = `${this.marks.length}`;
                    node.setAttribute('aria-label', `${text}, lane ${place.lane}, ${name}`);
                    this.marks.push({ node, lane: place.lane, register: name });
                }
                line.append(node);
            }
            body.append(line);
        }
        const caption = element('caption', {}, element('strong', {}, operand.operand), element('span', { class: 'quiet' }, ` ${operand.rows} × ${operand.columns} ${operand.type}${result ? ', after this step' : ', before this step'}`));
        const table = element('table', { class: 'matrix' }, caption, element('thead', {}, head), body);
        return element('div', { class: 'matrix-box' }, table);
    }

    /**
     * The value of an element: after the step for the first operand, which is the result, and before the step for the
     * others.
     */
    private text(operand: FragmentOperand, result: boolean, register: string, lane: number, part: number): string {
        const row = this.session.file()?.row(register);
        if (row === undefined || isPredicate(row.type) || !hasLane(row.known, lane)) return '—';
        const value = result ? row.value : (row.before ?? row.value);
        return elementText(operand.type, laneDigits(value, laneBytes(row.type, value), lane), part, operand.bits);
    }

    private point(target: EventTarget | null): void {
        if (!(target instanceof HTMLElement)) return;
        const own = this.marks[Number(target.dataset['mark'] ?? -1)];
        if (own === undefined) return;
        setText(this.status, `Lane ${own.lane}, ${own.register}`);
        for (const mark of this.marks) {
            mark.node.classList.toggle('same-lane', mark.lane === own.lane);
            mark.node.classList.toggle('same-register', mark.register === own.register && mark.lane !== own.lane);
        }
    }

    private keyed(event: KeyboardEvent): void {
        const from = event.target;
        if (!(from instanceof HTMLElement)) return;
        const [row = 0, column = 0] = (from.dataset['at'] ?? '').split(',').map(Number);
        const moves: Record<string, [number, number]> = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], Home: [row, 0] };
        const to = moves[event.key];
        if (to === undefined || from.dataset['at'] === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const next = from.closest('table')?.querySelector<HTMLElement>(`[data-at="${to[0]},${to[1]}"]`);
        if (next === null || next === undefined) return;
        from.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
    }

    /** Highlights the elements in a cell of the register grid. */
    pointAt(register: string, lane: number): void {
        for (const mark of this.marks) {
            mark.node.classList.toggle('same-lane', mark.lane === lane && mark.register === register);
            mark.node.classList.remove('same-register');
        }
    }
}
