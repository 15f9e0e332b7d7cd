// The nodes of a row in the grid, and the texts of its cells for screen readers.

import { hasLane, LANES } from '../model/lanes';
import { isPredicate } from '../model/rows';
import type { Row } from '../model/trace';
import { element } from './dom';

export interface RowView {
    node: HTMLElement;
    head: HTMLElement;
    name: HTMLElement;
    format: HTMLElement;
    one: HTMLElement;
    cells: HTMLElement[];
    index: number;
    signature: string;
    collapsed: boolean;
}

export function makeRow(): RowView {
    const name = element('span', { class: 'name' });
    const format = element('span', { class: 'format', 'aria-hidden': 'true' });
    const head = element('div', { class: 'rowhead', role: 'rowheader', 'aria-colindex': '1', tabindex: '-1' }, element('span', { class: 'twist', 'aria-hidden': 'true' }), name, format);
    const one = element('div', { class: 'cell one', role: 'gridcell', 'aria-colindex': '2', 'aria-colspan': `${LANES}`, tabindex: '-1' });
    const cells = Array.from({ length: LANES }, (_, lane) => {
        const cell = element('div', { class: 'cell', role: 'gridcell', 'aria-colindex': `${lane + 2}`, tabindex: '-1' });
        // The page may not contain the lanes to the left, so set the column explicitly.
        cell.style.gridColumn = `${lane + 2}`;
        return cell;
    });
    const node = element('div', { class: 'row', role: 'row' }, head);
    return { node, head, name, format, one, cells, index: -1, signature: '', collapsed: false };
}

/** The text of a cell for screen readers, if its visible text is not sufficient. */
export function cellName(row: Row, text: string | undefined, lane: number, changed: boolean, before: string, leadsTo?: string): string | undefined {
    const { data } = row;
    const predicate = isPredicate(data);
    const parts: string[] = [];
    const value = leadsTo === undefined ? text : `${text} → ${leadsTo}`;
    if (text === undefined) parts.push('unwritten');
    else if (predicate) parts.push(text);
    if (changed) parts.push('written by this step');
    if (hasLane(data.unspecified ?? 0, lane)) parts.push('unspecified by the manual');
    if (hasLane(data.approximate ?? 0, lane)) parts.push('approximate');
    if (parts.length === 0 && before === '') return undefined;
    return `${before}${value !== undefined && !predicate ? `${value}${parts.length > 0 ? ', ' : ''}` : ''}${parts.join(', ')}`;
}
