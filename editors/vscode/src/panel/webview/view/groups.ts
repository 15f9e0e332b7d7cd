// The groups of lanes that are not together, each with what it waits for. A warp whose lanes part at some step keeps the
// room for it (in the stylesheet), so that nothing moves while one steps.

import type { Session } from '../session';
import { button, element } from './dom';

export class Groups {
    readonly node = element('ul', { class: 'groups', 'aria-label': 'Groups of lanes' });

    constructor(
        private readonly session: Session,
        private readonly reveal: (line: number, column: number) => void,
    ) {}

    update(): void {
        const { groups = [], next } = this.session.moment?.state ?? {};
        if (groups.length < 2) {
            this.node.replaceChildren();
            return;
        }
        this.node.replaceChildren(
            ...groups.map((group, at) => {
                const go = button(group.text, `Show line ${group.line} in the editor`, () => {
                    this.reveal(group.line, group.column);
                });
                go.className = 'link';
                return element('li', {}, go, at === next ? element('span', { class: 'quiet' }, ' · next') : undefined);
            }),
        );
    }
}
