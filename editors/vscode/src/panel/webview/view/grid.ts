// Registers by lanes: a grid that contains only the visible rows and columns. Rows are identified by their index in the list. A row is
// updated only when its content has changed, and the text of a cell only when it differs.

import type { LaneMask } from '../../../protocol';
import { affine, destination, foldedText, hexText } from '../model/fold';
import { defaultFormat, fitText, type FormatName, formatNamed, formatsFor, valueText } from '../model/formats';
import { firstLane, hasLane, isPredicate, laneBytes, laneDigits, LANES, lanesOf, maskHex, predicateMask } from '../model/lanes';
import { compareNames, matches } from '../model/names';
import { formatOfPart, isTooLong, partLabel, partsOf, wholeRow } from '../model/parts';
import { shortText } from '../model/short';
import { rowIsUniform, rowOfParameter, rowOfSpecial, type Row } from '../model/trace';
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
/** Number of characters per cell, by the selected width; must match the stylesheet. */
const ROOM = { narrow: 6, normal: 10, wide: 22 } as const;

/** Masks of lanes at a position, which apply to all rows. */
interface LaneView {
    present: LaneMask;
    exited: LaneMask;
    active: LaneMask;
    executed: LaneMask;
    /** The lanes that determine whether a register is uniform. */
    counting: LaneMask;
}

export class Grid {
    readonly node: HTMLElement;
    /** Called with the number of rows that the filter keeps: `12 of 40 registers`. */
    onCount: (shown: number, of: number) => void = () => undefined;
    /** Called when the pointer is over a value; other views may highlight it. */
    onPoint: (register: string, lane: number) => void = () => undefined;
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
    private rows: Row[] = [];
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
    private lanes: LaneView = { present: 0, exited: 0, active: 0, executed: 0, counting: 0 };
    private readonly scrolled = perFrame(() => {
        const { first, last, left, right } = this.visible();
        const { range } = this;
        if (first !== range.first || last !== range.last || left !== range.left || right !== range.right) this.draw();
    });

    constructor(
        private readonly session: Session,
        private readonly tooltip: Tooltip,
        private readonly formatMenu: (row: Row, bytes: number, at: HTMLElement) => void,
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
        const file = this.session.file();
        setAttribute(this.scroller, 'aria-busy', file === undefined && this.session.steps > 0 ? 'true' : undefined);
        if (file === undefined && this.session.steps > 0 && this.session.trace.step(this.session.position) === undefined && this.rows.length > 0) return;
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
        const parameters = (file?.anchor.parameters ?? []).map((parameter) => rowOfParameter(parameter, present)).filter((row) => row !== undefined);
        const all = [...(file?.rows ?? []), ...(file?.anchor.specials ?? []).map((special) => rowOfSpecial(special, present)), ...parameters];
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
        const { scroller } = this;
        const { width } = this.session.preferences;
        if (scroller.dataset['width'] !== width) {
            scroller.dataset['width'] = width;
            this.sizes = { names: 0, cell: 0 };
            this.reset();
        }
        this.fitColumns();
        const room = width === 'fit' ? this.fitted.room : ROOM[width];
        const lanes = lanesOf(this.lanes.present);
        this.rows = this.registers.flatMap((row) => {
            if (row.known === 0 || isPredicate(row.type) || this.isCollapsed(row)) return [row];
            const format = this.format(row);
            const known = lanes.filter((lane) => hasLane(row.known, lane));
            if (!this.split.has(row.name) && room > 0 && isTooLong(row, format, known, room)) this.split.add(row.name);
            return this.split.has(row.name) ? partsOf(row, format) : [row];
        });
    }

    /** The folded text of all lanes, if their values count up. */
    private folded(row: Row): string | undefined {
        const own = foldedText(row, isPredicate(row.type) ? 'bits' : this.format(row), this.lanes.counting);
        return own === undefined ? undefined : `${own}${this.leadsTo(row)}`;
    }

    /** The text ` → x+16` after an address. */
    private leadsTo(row: Row): string {
        if (row.note !== undefined) return ` ${row.note}`;
        const parameters = this.session.file()?.anchor.parameters ?? [];
        const name = destination(row, this.lanes.counting, parameters, this.session.evaluation?.buffers);
        return name === undefined ? '' : ` → ${name}`;
    }

    private isFolded(row: Row): boolean {
        return rowIsUniform(row, this.lanes.counting) || affine(row, this.lanes.counting) !== undefined && foldedText(row, this.format(row), this.lanes.counting) !== undefined;
    }

    private isCollapsed(row: Row): boolean {
        return this.session.preferences.collapse !== this.expanded.has(row.name) && this.isFolded(row);
    }

    private shown(row: Row): boolean {
        if (this.onlyChanged && row.before === undefined) return false;
        if (this.onlyLine && !this.namesInLine().has(row.name)) return false;
        const wanted = this.filter.trim().toLowerCase();
        if (wanted === '') return true;
        return wanted.split(/[\s,]+/).some((part) => matches(part, row.name.toLowerCase()));
    }

    private namesInLine(): Set<string> {
        const step = this.session.current;
        const text = step === undefined ? '' : (this.session.text(step) ?? '');
        const names = new Set<string>(text.match(/%?[A-Za-z_$%][\w$]*(?:\.[xyzw])?/g) ?? []);
        for (const change of step?.registers ?? []) names.add(change.name);
        return names;
    }

    private sorted(rows: Row[]): Row[] {
        const { order } = this.session.preferences;
        if (order === 'declared') return rows;
        if (order === 'name') return rows.sort((one, other) => compareNames(one.name, other.name));
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

    /** Fits the columns to the values of rows without folding, so that half a warp is visible. */
    private fitColumns(): void {
        if (this.session.preferences.width !== 'fit') {
            this.scroller.style.removeProperty('--names');
            this.scroller.style.removeProperty('--cell');
            return;
        }
        const spread = this.registers.filter((row) => row.known !== 0 && !isPredicate(row.type) && !this.isCollapsed(row));
        const texts = spread.slice(0, 200).map((row) => {
            const [format, bytes] = [this.format(row), laneBytes(row.type, row.value)];
            return Math.max(...lanesOf((row.known & this.lanes.present) >>> 0).map((lane) => this.cellText(row, format, bytes, lane, 24).length));
        });
        const names = this.registers.map((row) => row.name.length + (isPredicate(row.type) ? 8 : formatNamed(this.format(row)).short.length));
        const found = fit(this.scroller, Math.max(3, ...texts), Math.max(8, ...names), this.fitted);
        if (found.room === this.fitted.room && found.names === this.fitted.names) return;
        this.fitted = found;
        this.sizes = { names: 0, cell: 0 };
    }

    /** Resets the widths for another run. */
    reset(): void {
        this.fitted = { room: 0, names: 0 };
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

    format(row: Row): FormatName {
        if (row.part !== undefined) return formatOfPart(this.format(row.part.of));
        const bytes = laneBytes(row.type, row.value);
        const chosen = this.session.preferences.formats[this.formatKey(row)] as FormatName | undefined;
        if (chosen !== undefined && formatsFor(bytes).some((format) => format.name === chosen)) return chosen;
        const writer = row.written < 0 ? undefined : this.session.trace.step(row.written);
        return defaultFormat(row.readAs ?? row.type, bytes, writer === undefined ? undefined : this.session.text(writer));
    }

    formatKey(row: Row): string {
        return `${this.session.current?.function ?? this.session.evaluation?.entry ?? ''} ${row.name}`;
    }

    private write(view: RowView, row: Row): void {
        const { lanes } = this;
        const { width } = this.session.preferences;
        const predicate = isPredicate(row.type);
        const uniform = this.isFolded(row);
        const collapsed = uniform && this.isCollapsed(row);
        const format = predicate ? 'hex' : this.format(row);
        const signature = `${row.name}|${row.value}|${row.known}|${row.unspecified}|${row.approximate}|${row.changed}|${row.before === undefined}|${collapsed}|${uniform}|${format}|${row.part?.index}|${width}|${lanes.present}|${lanes.exited}|${lanes.active}|${this.session.focus}|${this.fitted.room}|${this.range.left}|${this.range.right}`;
        if (view.signature === signature) return;
        view.signature = signature;
        const focused = view.collapsed !== collapsed && view.node.contains(document.activeElement);
        view.collapsed = collapsed;
        setText(view.name, row.name);
        setAttribute(view.head, 'title', `${row.name} ${wholeRow(row).type}`);
        const bytes = laneBytes(row.type, row.value);
        setText(view.format, predicate && collapsed ? '' : predicate ? maskHex((predicateMask(row.value) & row.known) >>> 0) : partLabel(row, format));
        setClass(view.format, predicate ? 'format mask' : 'format');
        setAttribute(view.head, 'aria-expanded', uniform ? (collapsed ? 'false' : 'true') : undefined);
        setAttribute(view.head, 'aria-label', `${row.name}, ${row.type.slice(1)}${predicate ? '' : `, shown as ${formatNamed(format).title}${row.part === undefined ? '' : `, part ${row.part.index + 1} of ${row.part.count}`}`}${row.before === undefined ? '' : ', written by this step'}`);
        setClass(view.node, `row${collapsed ? ' collapsed' : ''}${row.before === undefined ? '' : ' written'}${row.known === 0 ? ' unwritten' : ''}${uniform ? ' uniform' : ''}${row.part !== undefined && row.part.index > 0 ? ' part' : ''}`);
        if (collapsed) {
            const lane = firstLane(lanes.counting);
            const plain = format === 'hex' && !predicate && hasLane(row.known, lane) && (row.unspecified | row.approximate) === 0;
            const own = plain ? hexText(BigInt(`0x${laneDigits(row.value, bytes, lane)}`)) : this.cellText(row, format, bytes, lane, 200);
            const value = this.folded(row) ?? `${own}${this.leadsTo(row)}`;
            const text = predicate && row.known !== 0 ? `${value} ${hasLane(predicateMask(row.value), lane) ? 'true' : 'false'}` : value;
            const whole = row.changed !== 0 && (row.changed & lanes.counting) !== 0;
            setText(view.one, text);
            setClass(view.one, `cell one${whole ? ' changed' : ''}${row.known === 0 ? ' unknown' : ''}`);
            setAttribute(view.one, 'aria-label', cellName(row, text, lane, whole, 'all lanes: '));
            if (view.one.parentNode === null) view.head.after(view.one);
            for (const cell of view.cells) if (cell.parentNode !== null) cell.remove();
            if (focused) this.refocus(view);
            return;
        }
        if (view.one.parentNode !== null) view.one.remove();
        this.attach(view);
        const room = width === 'fit' ? this.fitted.room : ROOM[width];
        for (let lane = 0; lane < LANES; lane += 1) {
            const cell = view.cells[lane];
            if (cell === undefined || cell.parentNode === null) continue;
            if (!hasLane(lanes.present, lane)) {
                setText(cell, '');
                setClass(cell, 'cell absent');
                setAttribute(cell, 'aria-label', 'no such lane');
                continue;
            }
            const text = this.cellText(row, format, bytes, lane, room);
            const changed = hasLane(row.changed, lane);
            const known = hasLane(row.known, lane);
            setText(cell, text);
            setClass(
                cell,
                `cell${changed ? ' changed' : ''}${known ? '' : ' unknown'}${hasLane(lanes.exited, lane) ? ' exited' : hasLane(lanes.active, lane) ? '' : ' diverged'}${lane === this.session.focus ? ' focus' : ''}${predicate ? ' dot' : ''}`,
            );
            setAttribute(cell, 'aria-label', cellName(row, text, lane, changed, ''));
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

    private cellText(row: Row, format: FormatName, bytes: number, lane: number, room: number): string {
        if (!hasLane(row.known, lane)) return '—';
        const marks = `${hasLane(row.unspecified, lane) ? '?' : ''}${hasLane(row.approximate, lane) ? '≈' : ''}`;
        if (isPredicate(row.type)) return `${marks}${hasLane(predicateMask(row.value), lane) ? '●' : '○'}`;
        const shorten = this.session.preferences.width === 'fit' ? shortText : fitText;
        return `${marks}${shorten(format, valueText(format, laneDigits(row.value, bytes, lane)), room - marks.length)}`;
    }

    private rowOf(target: EventTarget | null): { view: RowView; row: Row; lane: number | undefined } | undefined {
        if (!(target instanceof Element)) return undefined;
        const node = target.closest<HTMLElement>('.row');
        if (node === null) return undefined;
        const index = Number(node.dataset['row']);
        const view = this.views.get(index);
        const row = this.rows[index];
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
        const row = wholeRow(at.row);
        if (target.closest('.format') !== null && !isPredicate(row.type)) this.formatMenu(row, laneBytes(row.type, row.value), at.view.format);
        else if (target.closest('.rowhead') !== null) this.toggle(at.row);
    }

    private toggle(row: Row): void {
        if (!this.isFolded(row)) return;
        if (!this.expanded.delete(row.name)) this.expanded.add(row.name);
        this.arrange();
        this.draw();
    }

    cycleFormat(row: Row, direction: 1 | -1): void {
        const formats = formatsFor(laneBytes(row.type, row.value));
        if (formats.length === 0) return;
        const own = this.format(row);
        const at = formats.findIndex((format) => format.name === own);
        const next = formats[(at + direction + formats.length) % formats.length];
        if (next !== undefined) this.setFormat(row, next.name);
    }

    setFormat(row: Row, format: FormatName): void {
        this.session.remember({ formats: { ...this.session.preferences.formats, [this.formatKey(row)]: format } });
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
        const own = this.rows[row];
        if (event.key === 'Enter' || event.key === ' ') {
            if (row === -1 && column > 0) this.session.setFocus(column - 1);
            else if (own !== undefined && column === 0) this.toggle(own);
            else if (column > 0) this.session.setFocus(column - 1);
            event.preventDefault();
            event.stopPropagation();
        } else if (own !== undefined && event.key.toLowerCase() === 'f' && !event.ctrlKey) {
            this.cycleFormat(wholeRow(own), event.key === 'F' ? -1 : 1);
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
        const row = column === 0 ? wholeRow(shown) : shown;
        const { counting, present } = this.lanes;
        const text = (lane: number): string => this.cellText(row, isPredicate(row.type) ? 'hex' : this.format(row), laneBytes(row.type, row.value), lane, 1000);
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
        if (at.lane !== undefined) this.onPoint(at.row.name, at.lane);
    }

    private hovered(event: PointerEvent): void {
        const at = this.rowOf(event.target);
        const target = event.target instanceof Element ? event.target.closest<HTMLElement>('.cell') : null;
        if (at?.lane === undefined || target === null || !hasLane(this.lanes.present, at.lane)) {
            this.tooltip.hide();
            return;
        }
        const { row, lane } = at;
        this.onPoint(row.name, lane);
        this.tooltip.later(target, () => this.readings(row, lane));
    }

    private readings(shown: Row, lane: number): HTMLElement {
        const row = wholeRow(shown);
        return readings(this.session, row, lane, this.format(row), this.folded(row));
    }

    /** Number of rows in the page, for tests and measurements. */
    get drawn(): number {
        return this.views.size;
    }
}
