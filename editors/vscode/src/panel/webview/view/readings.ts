// A value in all its formats, for the tooltip of a cell.

import { formatsFor, type FormatName, valueText } from '../model/formats';
import { hasLane, isPredicate, laneBytes, laneCount, laneDigits, maskHex, predicateMask } from '../model/lanes';
import type { Row } from '../model/trace';
import type { Session } from '../session';
import { element } from './dom';

export function readings(session: Session, row: Row, lane: number, format: FormatName, folded: string | undefined): HTMLElement {
    const list = element('dl');
    const say = (name: string, text: string): void => {
        list.append(element('dt', {}, name), element('dd', {}, text));
    };
    const known = hasLane(row.known, lane);
    const bytes = laneBytes(row.type, row.value);
    if (folded !== undefined) say('All lanes', folded);
    if (isPredicate(row.type)) {
        const mask = (predicateMask(row.value) & row.known) >>> 0;
        say('Value', known ? (hasLane(mask, lane) ? 'true' : 'false') : '— nothing has written it yet');
        say('Mask', `${maskHex(mask)} – true in ${laneCount(mask)} of ${laneCount(row.known)} lanes`);
    } else if (!known) {
        say('Value', '— nothing has written it yet');
    } else {
        const digits = laneDigits(row.value, bytes, lane);
        for (const one of formatsFor(bytes)) say(one.title, valueText(one.name, digits));
    }
    if (row.before !== undefined && hasLane(row.changed, lane)) {
        say('Before', isPredicate(row.type) ? (hasLane(predicateMask(row.before), lane) ? 'true' : 'false') : valueText(format, laneDigits(row.before, bytes, lane)));
    }
    if (hasLane(row.unspecified, lane)) say('?', 'The manual leaves this value open.');
    if (hasLane(row.approximate, lane)) say('≈', 'An approximation: a device may differ in the last places.');
    const writer = row.written < 0 ? undefined : session.trace.step(row.written);
    if (writer !== undefined) say('Written', `step ${writer.step + 1}, line ${writer.line}`);
    const meant = row.readAs === undefined ? '' : `, read as ${row.readAs}`;
    return element('div', { class: 'readings' }, element('strong', {}, `${row.name} ${row.type}${meant}, lane ${lane}`), list);
}
