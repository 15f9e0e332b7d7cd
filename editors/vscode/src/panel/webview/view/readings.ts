// A value in all its readings, for the tooltip of a cell. The server says them; until they arrive the tooltip has the rest.

import { hasLane } from '../model/lanes';
import { fullText } from '../model/rows';
import type { Row } from '../model/trace';
import type { Session } from '../session';
import { element } from './dom';

export function readings(session: Session, row: Row, lane: number): HTMLElement {
    const { data } = row;
    const list = element('dl');
    const say = (name: string, text: string, before?: Node): void => {
        for (const node of [element('dt', {}, name), element('dd', {}, text)]) list.insertBefore(node, before ?? null);
    };
    if (data.folded !== undefined) say('All lanes', `${data.folded}${data.leads_to === undefined ? '' : ` → ${data.leads_to}`}`);
    const value = fullText(data, undefined, lane);
    const own = element('dd', {}, value ?? '— nothing has written it yet');
    const title = element('dt', {}, 'Value');
    list.append(title, own);
    const before = data.before?.[lane];
    if (before !== undefined && hasLane(row.changed, lane)) say('Before', before);
    if (hasLane(data.unspecified ?? 0, lane)) say('?', 'The manual leaves this value open.');
    if (hasLane(data.approximate ?? 0, lane)) say('≈', 'An approximation: a device may differ in the last places.');
    const writer = row.written < 0 ? undefined : session.trace.step(row.written);
    if (writer !== undefined) say('Written', `step ${writer.step + 1}, line ${writer.line}`);
    if (value !== undefined) {
        void session
            .question({ brief: true, count: 0, state: session.position + 1, register: data.name })
            .then((answer) => {
                if (answer?.register === undefined) return;
                for (const one of answer.register) say(one.title, one.texts[lane] ?? '—', title);
                title.remove();
                own.remove();
            })
            // Without the other readings the one that is shown is still there.
            .catch(() => undefined);
    }
    const meant = data.reads_as === undefined ? '' : `, read as ${data.reads_as}`;
    return element('div', { class: 'readings' }, element('strong', {}, `${data.name} ${data.type}${meant}, lane ${lane}`), list);
}
