// Registers by lanes: a grid that contains only the visible rows and columns. Rows are identified by their index in the list. A row is
// updated only when its content has changed, and the text of a cell only when it differs.

import type { LaneMask } from '../../../protocol';
import { firstLane, hasLane, LANES, lanesOf } from '../model/lanes';
import { compareNames, matches } from '../model/names';
import { cellText, fullText, isPredicate, isTooLong, type Line, linesOf, longest, signs } from '../model/rows';
import type { Row } from '../model/trace';
import { FRACTION_ROOM } from '../../messages';
import type { Session } from '../session';
import { element, perFrame, setAttribute, setClass, setText } from './dom';
import { fit, type Fitted } from './gridWidth';
import { readings } from './readings';
import { cellName, makeRow, type RowView } from './rowView';
import type { Tooltip } from './tooltip';

/** The height of a row in pixels; must match the stylesheet. */
export const ROW_HEIGHT = 23;
const SPARE_ROWS = 6;
/** Rows and columns are created in batches, so that most frames of a scroll create none. */
const BATCH_ROWS = 4;

/** Masks of lanes at a position, which apply to all rows. */
interface LaneView {
    present: LaneMask;
    exited: LaneMask;
    active: LaneMask;
    executed: LaneMask;
    /** The lanes that exist and have not exited. */
    counting: LaneMask;
}

export class Grid {
    readonly node: HTMLElement;
    /** Called with the number of rows that the filter keeps: `12 of 40 registers`. */
    onCount: (shown: number, of: number) => void = () => undefined;
    /** Called when the pointer is over a value; other views may highlight it. */
    onPoint: (register: string, lane: number) => void = () => undefined;
    /** Called to say who wrote a value, or, with `go`, to go there. */
    onOrigin: (register: string, lane: number, go: boolean) => void = () => undefined;
    /** Called to copy a text to the clipboard. */
    onCopy: (text: string) => void = () => undefined;
    private readonly corner = element('div', { class: 'corner', role: 'columnheader', 'aria-colindex': '1' }, 'Registers');
    private readonly scroller: HTMLElement;
    private readonly body: HTMLElement;
    private readonly heads: HTMLElement[] = [];
    private readonly views = new Map<number, RowView>();
    private readonly free: RowView[] = [];
    /** All registers in their order, and the rows that show them. */
    private registers: Row[] = [];
    private rows: Line[] = [];
    /** Registers split into one row per number. They stay split during stepping. */
    private readonly split = new Set<string>();
    private readonly expanded = new Set<string>();
    private filter = '';
    private onlyChanged = false;
    private onlyLine = false;
    private active = { row: 0, column: 0 };
    /** The existing rows and lanes: the first ones, and the ends (exclusive). */
    private range = { first: 0, last: 0, left: 0, right: LANES };
    private sizes = { names: 0, cell: 0 };
    /** Widths of columns that follow the values; they do not shrink during stepping. */
    private fitted: Fitted = { room: 0, names: 0 };
    private readonly ids = new WeakMap<object, number>();
    private lengths = new WeakMap<object, number>();
    private nextId = 0;
    private lanes: LaneView = { present: 0, exited: 0, active: 0, executed: 0, counting: 0 };
    private readonly scrolled = perFrame(() => {
        const { first, last, left, right } = this.visible();
        const { range } = this;
        if (first !== range.first || last !== range.last || left !== range.left || right !== range.right) this.draw();
    });

    constructor(
        private readonly session: Session,
        private readonly tooltip: Tooltip,
        private readonly readingMenu: (row: Row, at: HTMLElement) => void,
    ) {
        const head = element('div', { class: 'grid-head', role: 'row', 'aria-rowindex': '1' }, this.corner);
        for (let lane = 0; lane < LANES; lane += 1) {
            const cell = element('div', { class: 'lane', role: 'columnheader', 'aria-colindex': `${lane + 2}`, tabindex: '-1', 'data-lane': `${lane}` }, `${lane}`);
            this.heads.push(cell);
            head.append(cell);
        }
        this.body = element('div', { class: 'grid-body', role: 'rowgroup' });
        this.scroller = element('div', { class: 'grid', role: 'grid', 'aria-label': 'Registers by lane', 'aria-colcount': `${LANES + 1}`, 'aria-readonly': 'true' });
        this.scroller.append(element('div', { role: 'rowgroup', class: 'grid-top' }, head), this.body);
        this.node = this.scroller;
        this.scroller.addEventListener('scroll', this.scrolled, { passive: true });
        new ResizeObserver(() => {
            this.sizes = { names: 0, cell: 0 };
            this.reset();
            this.measure();
            if (this.rows.length === 0) return;
            this.arrange();
            this.draw();
        }).observe(this.scroller);
        this.scroller.addEventListener('click', (event) => {
            this.clicked(event);
        });
        this.scroller.addEventListener('keydown', (event) => {
            this.keyed(event);
        });
        this.scroller.addEventListener('pointerover', (event) => {
            this.hovered(event);
        });
        this.scroller.addEventListener('pointerleave', () => {
            this.tooltip.hide();
        });
        this.scroller.addEventListener('focusin', (event) => {
            this.focused(event);
        });
    }

    setFilter(filter: string, onlyChanged: boolean, onlyLine: boolean): void {
        this.filter = filter;
        this.onlyChanged = onlyChanged;
        this.onlyLine = onlyLine;
        this.refresh();
    }

    /** Rebuilds the list of rows and updates the visible ones, after a move or a change of preferences. */
    refresh(): void {
        const file = this.session.rows();
        setAttribute(this.scroller, 'aria-busy', file === undefined && this.session.steps > 0 ? 'true' : undefined);
        if (file === undefined && this.session.steps > 0 && this.rows.length > 0) return;
        const step = this.session.current;
        const { present } = this.session;
        const exited = this.session.exited(this.session.position);
        const counting = (present & ~exited) >>> 0;
        this.lanes = {
            present,
            exited,
            active: step?.active ?? present,
            executed: step?.executed ?? present,
            counting: counting === 0 ? present : counting,
        };
        const all = file ?? [];
        this.registers = this.sorted(all.filter((row) => this.shown(row)));
        const { length } = this.registers;
        this.onCount(length, all.length);
        setText(this.corner, length === all.length ? `${all.length} registers` : `${length} of ${all.length} registers`);
        this.arrange();
        this.drawHeads();
        this.draw();
    }

    /** Computes column widths and, from these, the rows: a register whose numbers do not fit into a cell gets a row for each. */
    private arrange(): void {
        this.measure();
        const spread = this.registers.filter((row) => row.data.known !== 0 && !isPredicate(row.data) && !this.isCollapsed(row));
        this.fitColumns(Math.max(0, ...spread.map((row) => this.longestOf(row))));
        const { room } = this.fitted;
        const lanes = lanesOf(this.lanes.present);
        this.rows = this.registers.flatMap((row) => {
            const whole: Line = { row, part: undefined };
            if (row.data.known === 0 || isPredicate(row.data) || this.isCollapsed(row)) return [whole];
            if (!this.split.has(row.data.name) && room > 0 && isTooLong(row.data, lanes, room)) this.split.add(row.data.name);
            return this.split.has(row.data.name) && row.data.parts.length > 1 ? linesOf(row) : [whole];
        });
    }

    /** Takes over the width that the user has chosen. */
    measure(): void {
        const { scroller } = this;
        const { width } = this.session.preferences;
        if (scroller.dataset['width'] === width && this.sizes.cell > 0) return;
        if (scroller.dataset['width'] !== width) {
            scroller.dataset['width'] = width;
            this.reset();
        }
        this.sizes = { names: 0, cell: 0 };
    }

    /** Whether one cell can show a row. */
    private isFolded(row: Row): boolean {
        return row.data.folded !== undefined || row.data.known === 0;
    }

    private isCollapsed(row: Row): boolean {
        return this.session.preferences.collapse !== this.expanded.has(row.data.name) && this.isFolded(row);
    }

    private shown(row: Row): boolean {
        if (this.onlyChanged && row.changed === 0) return false;
        if (this.onlyLine && this.session.current?.names?.includes(row.data.name) !== true) return false;
        const wanted = this.filter.trim().toLowerCase();
        if (wanted === '') return true;
        return wanted.split(/[\s,]+/).some((part) => matches(part, row.data.name.toLowerCase()));
    }

    private sorted(rows: Row[]): Row[] {
        const { order } = this.session.preferences;
        if (order === 'declared') return rows;
        if (order === 'name') return rows.sort((one, other) => compareNames(one.data.name, other.data.name));
        // The sort is stable: unwritten registers stay in the order of declaration, and special registers come last.
        return rows.sort((one, other) => other.written - one.written);
    }

    private drawHeads(): void {
        const { present, exited, active, executed } = this.lanes;
        this.heads.forEach((head, lane) => {
            const state = !hasLane(present, lane) ? 'absent' : hasLane(exited, lane) ? 'exited' : !hasLane(active, lane) ? 'diverged' : hasLane(executed, lane) ? 'on' : 'masked';
            const focus = lane === this.session.focus;
            setClass(head, `lane ${state}${focus ? ' focus' : ''}`);
            const words = { absent: 'does not exist', exited: 'has exited', diverged: 'is elsewhere (diverged)', on: 'executed this step', masked: 'is here, but its guard is false' }[state];
            const name = `Lane ${lane} ${words}${focus ? '; focus' : ''}`;
            setAttribute(head, 'aria-label', name);
            setAttribute(head, 'title', hasLane(present, lane) && !focus ? `${name}. Click: values of this lane in the editor` : name);
        });
    }

    private visible(): { first: number; last: number; left: number; right: number } {
        const { scroller, rows } = this;
        if (this.sizes.cell === 0) {
            // Fractions of pixels matter: cells are measured in characters.
            this.sizes = { names: this.corner.getBoundingClientRect().width, cell: this.heads[0]?.getBoundingClientRect().width ?? 0 };
        }
        const { names, cell } = this.sizes;
        const batch = (row: number): number => Math.floor(row / BATCH_ROWS) * BATCH_ROWS;
        const first = Math.max(0, batch(scroller.scrollTop / ROW_HEIGHT - SPARE_ROWS));
        const last = Math.min(rows.length, batch((scroller.scrollTop + scroller.clientHeight) / ROW_HEIGHT + SPARE_ROWS + BATCH_ROWS));
        if (cell === 0) return { first, last, left: 0, right: LANES };
        const left = Math.max(0, Math.floor(scroller.scrollLeft / cell) - 1);
        const right = Math.min(LANES, Math.ceil((scroller.scrollLeft + scroller.clientWidth - names) / cell) + 1);
        return { first, last, left, right };
    }

    private draw(): void {
        const { rows, scroller, body } = this;
        setAttribute(scroller, 'aria-rowcount', `${rows.length + 1}`);
        body.style.height = `${rows.length * ROW_HEIGHT}px`;
        this.range = this.visible();
        const { first, last } = this.range;
        this.active.row = Math.max(-1, Math.min(this.active.row, rows.length - 1));
        for (const [index, view] of this.views) {
            // Keep the row with the keyboard focus even if it is scrolled out of view: removing it would lose the focus.
            const holdsFocus = view.node.contains(document.activeElement);
            if (index >= rows.length || ((index < first || index >= last) && !holdsFocus)) this.release(view);
        }
        for (let index = first; index < last; index += 1) {
            const row = rows[index];
            if (row !== undefined) this.write(this.view(index), row);
        }
        for (const [index, view] of this.views) {
            const row = rows[index];
            if ((index < first || index >= last) && row !== undefined) this.write(view, row);
        }
        this.placeTabStop();
    }

    /** Fits the columns to the longest value of the rows without folding. */
    private fitColumns(values: number): void {
        const names = this.registers.map((row) => row.data.name.length + row.data.label.length);
        const fitted = fit(this.scroller, this.session.preferences.width, values, Math.max(8, ...names), this.fitted);
        if (fitted.room === this.fitted.room && fitted.names === this.fitted.names) return;
        this.fitted = fitted;
        this.sizes = { names: 0, cell: 0 };
    }

    private longestOf({ data }: Row): number {
        const characters = this.lengths.get(data) ?? longest(data, FRACTION_ROOM[this.session.preferences.width]);
        this.lengths.set(data, characters);
        return characters;
    }

    /** Resets the widths for another run. */
    reset(): void {
        this.fitted = { room: 0, names: 0 };
        this.lengths = new WeakMap<object, number>();
        this.split.clear();
    }

    private release(view: RowView): void {
        this.views.delete(view.index);
        view.node.remove();
        this.free.push(view);
    }

    private view(index: number): RowView {
        let view = this.views.get(index);
        if (view !== undefined) return view;
        view = this.free.pop() ?? makeRow();
        view.index = index;
        view.signature = '';
        view.node.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
        setAttribute(view.node, 'aria-rowindex', `${index + 2}`);
        view.node.dataset['row'] = `${index}`;
        this.views.set(index, view);
        // Screen readers follow the order of the document, so it must equal the order of the rows.
        let after: RowView | undefined;
        for (const other of this.views.values()) if (other.index > index && (after === undefined || other.index < after.index)) after = other;
        this.body.insertBefore(view.node, after?.node ?? null);
        return view;
    }

    private write(view: RowView, line: Line): void {
        const { lanes } = this;
        const { row, part } = line;
        const { data } = row;
        const predicate = isPredicate(data);
        const uniform = this.isFolded(row);
        const collapsed = uniform && this.isCollapsed(row);
        const { room } = this.fitted;
        const signature = `${this.idOf(row)}|${row.changed}|${collapsed}|${part}|${room}|${lanes.present}|${lanes.exited}|${lanes.active}|${this.session.focus}|${this.range.left}|${this.range.right}`;
        if (view.signature === signature) return;
        view.signature = signature;
        const focused = view.collapsed !== collapsed && view.node.contains(document.activeElement);
        view.collapsed = collapsed;
        setText(view.name, data.name);
        setAttribute(view.head, 'title', `${data.name} ${data.type}`);
        const label = part === undefined ? data.label : (data.parts[part]?.label ?? '');
        setText(view.format, predicate && collapsed ? '' : label);
        setClass(view.format, predicate ? 'format mask' : 'format');
        setAttribute(view.head, 'aria-expanded', uniform ? (collapsed ? 'false' : 'true') : undefined);
        const shown = predicate ? '' : `, shown as ${label}${part === undefined ? '' : `, part ${part + 1} of ${data.parts.length}`}`;
        setAttribute(view.head, 'aria-label', `${data.name}, ${data.type.slice(1)}${shown}${row.changed === 0 ? '' : ', written by this step'}`);
        setClass(view.node, `row${collapsed ? ' collapsed' : ''}${row.changed === 0 ? '' : ' written'}${data.known === 0 ? ' unwritten' : ''}${uniform ? ' uniform' : ''}${part !== undefined && part > 0 ? ' part' : ''}`);
        if (collapsed) {
            const lane = firstLane(lanes.counting);
            const value = data.folded === undefined ? '—' : `${signs(data, lane)}${predicate ? `${data.folded === 'true' ? '●' : '○'} ` : ''}${data.folded}`;
            const text = `${value}${data.leads_to === undefined ? '' : ` → ${data.leads_to}`}`;
            const whole = (row.changed & lanes.counting) !== 0;
            setText(view.one, text);
            setClass(view.one, `cell one${whole ? ' changed' : ''}${data.known === 0 ? ' unknown' : ''}`);
            setAttribute(view.one, 'aria-label', cellName(row, data.folded, lane, whole, 'all lanes: ', data.leads_to));
            if (view.one.parentNode === null) view.head.after(view.one);
            for (const cell of view.cells) if (cell.parentNode !== null) cell.remove();
            if (focused) this.refocus(view);
            return;
        }
        if (view.one.parentNode !== null) view.one.remove();
        this.attach(view);
        for (let lane = 0; lane < LANES; lane += 1) {
            const cell = view.cells[lane];
            if (cell === undefined || cell.parentNode === null) continue;
            if (!hasLane(lanes.present, lane)) {
                setText(cell, '');
                setClass(cell, 'cell absent');
                setAttribute(cell, 'aria-label', 'no such lane');
                continue;
            }
            const changed = hasLane(row.changed, lane);
            const text = cellText(data, part, lane, room);
            setText(cell, text === undefined ? '—' : predicate ? `${signs(data, lane)}${fullText(data, part, lane) === 'true' ? '●' : '○'}` : text);
            setClass(
                cell,
                `cell${changed ? ' changed' : ''}${text === undefined ? ' unknown' : ''}${hasLane(lanes.exited, lane) ? ' exited' : hasLane(lanes.active, lane) ? '' : ' diverged'}${lane === this.session.focus ? ' focus' : ''}${predicate ? ' dot' : ''}`,
            );
            setAttribute(cell, 'aria-label', cellName(row, fullText(data, part, lane), lane, changed, ''));
        }
        if (focused) this.refocus(view);
    }

    /** Puts the cells of the visible lanes into the page in their order; a cell with the focus stays. */
    private attach(view: RowView): void {
        const { left, right } = this.range;
        let next: HTMLElement | null = null;
        for (let lane = LANES - 1; lane >= 0; lane -= 1) {
            const cell = view.cells[lane];
            if (cell === undefined) continue;
            const wanted = (lane >= left && lane < right) || cell === document.activeElement;
            if (!wanted) {
                if (cell.parentNode !== null) cell.remove();
                continue;
            }
            if (cell.parentNode === null) view.node.insertBefore(cell, next);
            next = cell;
        }
    }

    /** Folding or unfolding a row removes the focused cell: move the focus to its replacement. */
    private refocus(view: RowView): void {
        if (view.node.contains(document.activeElement)) return;
        this.cellAt(view.index, this.active.column)?.focus({ preventScroll: true });
    }

    /** A number for the contents of a row: rows that look the same are the same object. */
    private idOf(row: Row): number {
        let id = this.ids.get(row.data);
        if (id === undefined) {
            id = this.nextId;
            this.nextId += 1;
            this.ids.set(row.data, id);
        }
        return id;
    }

    private rowOf(target: EventTarget | null): { view: RowView; row: Row; lane: number | undefined } | undefined {
        if (!(target instanceof Element)) return undefined;
        const node = target.closest<HTMLElement>('.row');
        if (node === null) return undefined;
        const index = Number(node.dataset['row']);
        const view = this.views.get(index);
        const row = this.rows[index]?.row;
        if (view === undefined || row === undefined) return undefined;
        const cell = target.closest<HTMLElement>('.cell');
        const lane = cell === null ? undefined : cell === view.one ? firstLane(this.lanes.counting) : view.cells.indexOf(cell);
        return { view, row, lane };
    }

    private clicked(event: MouseEvent): void {
        const { target } = event;
        if (!(target instanceof Element)) return;
        const lane = target.closest<HTMLElement>('.lane')?.dataset['lane'];
        if (lane !== undefined) {
            this.session.setFocus(Number(lane));
            this.setActive(-1, Number(lane) + 1, true);
            return;
        }
        const at = this.rowOf(target);
        if (at === undefined) return;
        this.setActive(at.view.index, at.lane === undefined ? 0 : at.view.collapsed ? Math.max(1, this.active.column) : at.lane + 1, true);
        if (target.closest('.format') !== null && !isPredicate(at.row.data)) this.readingMenu(at.row, at.view.format);
        else if (target.closest('.rowhead') !== null) this.toggle(at.row);
        else if (at.lane !== undefined) this.askOrigin(at.row, at.lane, event.detail > 1);
    }

    /** Asks who wrote a value of a register. */
    private askOrigin({ data }: Row, lane: number, go: boolean): void {
        if (data.kind === 'register' && hasLane(data.known, lane)) this.onOrigin(data.name, lane, go);
    }

    private toggle(row: Row): void {
        if (!this.isFolded(row)) return;
        if (!this.expanded.delete(row.data.name)) this.expanded.add(row.data.name);
        this.arrange();
        this.draw();
    }

    /** Shows a row in the next or the previous of its readings. */
    private cycleReading(row: Row, direction: 1 | -1): void {
        const all = this.session.readingsOf(row.data);
        const own = this.session.readingOf(row.data);
        const at = all.findIndex((reading) => reading.name === own);
        const next = all[(at + direction + all.length) % all.length];
        if (next !== undefined) this.session.setReading(row.data.name, next.name);
    }

    /** Gives the focus to the cell that had it last. */
    takeFocus(): void {
        this.setActive(this.active.row, this.active.column, true);
    }

    private keyed(event: KeyboardEvent): void {
        if (event.altKey) return;
        const { row, column } = this.active;
        if ((event.ctrlKey || event.metaKey) && event.key === 'c') {
            this.copy(row, column);
            event.preventDefault();
            return;
        }
        if (event.metaKey) return;
        const last = this.rows.length - 1;
        const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
        const moves: Record<string, [number, number]> = {
            ArrowUp: [event.ctrlKey ? 0 : row - 1, column],
            ArrowDown: [event.ctrlKey ? last : row + 1, column],
            ArrowLeft: [row, event.ctrlKey ? 0 : column - 1],
            ArrowRight: [row, event.ctrlKey ? LANES : column + 1],
            Home: [event.ctrlKey ? 0 : row, 0],
            End: [event.ctrlKey ? last : row, LANES],
            PageUp: [row - page, column],
            PageDown: [row + page, column],
        };
        const move = moves[event.key];
        if (move !== undefined) {
            event.preventDefault();
            event.stopPropagation();
            this.tooltip.hide();
            this.setActive(Math.max(-1, Math.min(move[0], last)), Math.max(0, Math.min(move[1], LANES)), true);
            return;
        }
        const own = this.rows[row]?.row;
        if (event.key === 'Enter' || event.key === ' ') {
            if (row === -1 && column > 0) this.session.setFocus(column - 1);
            else if (own !== undefined && column === 0) this.toggle(own);
            else if (column > 0) this.session.setFocus(column - 1);
            event.preventDefault();
            event.stopPropagation();
        } else if (own !== undefined && event.key.toLowerCase() === 'f' && !event.ctrlKey) {
            this.cycleReading(own, event.key === 'F' ? -1 : 1);
            event.stopPropagation();
        } else if (own !== undefined && event.key === 'o') {
            this.askOrigin(own, column === 0 || this.views.get(row)?.collapsed === true ? firstLane(this.lanes.counting) : column - 1, true);
            event.stopPropagation();
        } else if (own !== undefined && event.key === 'i') {
            const cell = this.cellAt(row, column);
            if (cell !== undefined) this.tooltip.toggle(cell, () => this.readings(own, Math.max(0, column - 1)));
            event.stopPropagation();
        }
    }

    /** Copies a value; in the name column, the values of all lanes. */
    private copy(index: number, column: number): void {
        const shown = this.rows[index];
        if (shown === undefined) return;
        const { counting, present } = this.lanes;
        const text = (lane: number): string => `${signs(shown.row.data, lane)}${fullText(shown.row.data, column === 0 ? undefined : shown.part, lane) ?? '—'}`;
        const lanes = column === 0 ? lanesOf(present) : [this.views.get(index)?.collapsed === true ? firstLane(counting) : column - 1];
        this.onCopy(lanes.map(text).join('\t'));
    }

    private cellAt(row: number, column: number): HTMLElement | undefined {
        if (row === -1) return column === 0 ? undefined : this.heads[column - 1];
        const view = this.views.get(row);
        if (view === undefined) return undefined;
        if (column === 0) return view.head;
        if (view.collapsed) return view.one;
        const cell = view.cells[column - 1];
        return cell?.parentNode === null ? undefined : cell;
    }

    private setActive(row: number, column: number, focus: boolean): void {
        this.active = { row: row === -1 && column === 0 ? 0 : row, column };
        if (this.active.row >= 0) this.scrollTo(this.active.row);
        if (focus && column > 0 && this.views.get(row)?.collapsed !== true) this.scrollAcross(column - 1);
        this.draw();
        if (focus) this.cellAt(this.active.row, this.active.column)?.focus({ preventScroll: true });
    }

    private scrollTo(row: number): void {
        const top = row * ROW_HEIGHT;
        const room = this.scroller.clientHeight - ROW_HEIGHT * 1.5;
        if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
        else if (top + ROW_HEIGHT > this.scroller.scrollTop + room) this.scroller.scrollTop = top + ROW_HEIGHT - room;
    }

    private scrollAcross(lane: number): void {
        const { scroller } = this;
        const { names, cell } = this.sizes;
        const left = lane * cell;
        if (left < scroller.scrollLeft) scroller.scrollLeft = left;
        else if (left + cell + names > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = left + cell + names - scroller.clientWidth;
    }

    /** Makes exactly one cell reachable by Tab: the one that had the focus last. */
    private placeTabStop(): void {
        const wanted = this.cellAt(this.active.row, this.active.column) ?? [...this.views.values()][0]?.head ?? this.heads[0];
        for (const old of this.scroller.querySelectorAll('[tabindex="0"]')) if (old !== wanted) old.setAttribute('tabindex', '-1');
        if (wanted !== undefined) setAttribute(wanted, 'tabindex', '0');
    }

    private focused(event: FocusEvent): void {
        const at = this.rowOf(event.target);
        if (at === undefined) return;
        this.active.row = at.view.index;
        if (at.lane !== undefined) this.onPoint(at.row.data.name, at.lane);
    }

    private hovered(event: PointerEvent): void {
        const at = this.rowOf(event.target);
        const target = event.target instanceof Element ? event.target.closest<HTMLElement>('.cell') : null;
        if (at?.lane === undefined || target === null || !hasLane(this.lanes.present, at.lane)) {
            this.tooltip.hide();
            return;
        }
        const { row, lane } = at;
        this.onPoint(row.data.name, lane);
        this.tooltip.later(target, () => this.readings(row, lane));
    }

    private readings(row: Row, lane: number): HTMLElement {
        return readings(this.session, row, lane);
    }

    /** Number of rows in the page, for tests and measurements. */
    get drawn(): number {
        return this.views.size;
    }
}
