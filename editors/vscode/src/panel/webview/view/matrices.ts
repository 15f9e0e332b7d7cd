// The matrices of an instruction: each operand as rows and columns, from the registers of the 32 lanes. An element
// shows its lane and register, and highlights the other elements of the same lane or register.

import type { Matrix } from '../../../protocol';
import type { Session } from '../session';
import { element, setText } from './dom';

export class MatricesPane {
    readonly node = element('div', { class: 'fragments' });
    private readonly status = element('p', { class: 'holder', 'aria-live': 'polite' });
    private readonly content = element('div', { class: 'matrices' });
    private visible = false;
    private marks: { node: HTMLElement; lane: number; register: string }[] = [];

    constructor(private readonly session: Session) {
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

    show(visible: boolean): void {
        this.visible = visible;
        this.update();
    }

    /** Draws the matrices of the step, once they are there. */
    update(): void {
        const matrices = this.session.moment?.matrices;
        if (!this.visible || matrices === undefined) return;
        this.marks = [];
        if (matrices.length === 0) {
            setText(this.status, 'The instruction of this step has no matrix operands.');
            this.content.replaceChildren();
            return;
        }
        setText(this.status, 'Point at an element to see its lane and register.');
        this.content.replaceChildren(...matrices.map((matrix) => this.matrix(matrix)));
    }

    private matrix(matrix: Matrix): HTMLElement {
        const cells = new Map<string, { lane: number; register: number; text: string }>();
        matrix.elements.forEach(([lane, register, , row, column], at) => {
            cells.set(`${row},${column}`, { lane, register, text: matrix.texts[at] ?? '—' });
        });
        const head = element('tr', {}, element('td'));
        for (let column = 0; column < matrix.columns; column += 1) head.append(element('th', { scope: 'col' }, `${column}`));
        const body = element('tbody');
        for (let row = 0; row < matrix.rows; row += 1) {
            const line = element('tr', {}, element('th', { scope: 'row' }, `${row}`));
            for (let column = 0; column < matrix.columns; column += 1) {
                const cell = cells.get(`${row},${column}`);
                const node = element('td', { class: 'unknown', tabindex: row === 0 && column === 0 ? '0' : '-1', 'data-at': `${row},${column}` }, cell?.text ?? '');
                if (cell !== undefined) {
                    const name = matrix.registers[cell.register] ?? `register ${cell.register}`;
                    if (cell.text !== '—') node.classList.remove('unknown');
                    node.dataset['mark'] = `${this.marks.length}`;
                    node.setAttribute('aria-label', `${cell.text}, lane ${cell.lane}, ${name}`);
                    this.marks.push({ node, lane: cell.lane, register: name });
                }
                line.append(node);
            }
            body.append(line);
        }
        const caption = element('caption', {}, element('strong', {}, matrix.matrix), ` ${matrix.operand}`, element('span', { class: 'quiet' }, ` ${matrix.rows} × ${matrix.columns} ${matrix.type ?? ''}, ${matrix.result ? 'after' : 'before'} this step`));
        const table = element('table', { class: 'matrix' }, caption, element('thead', {}, head), body);
        return element('div', { class: 'matrix-box' }, table);
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
