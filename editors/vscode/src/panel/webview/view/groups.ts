// The groups of lanes that are not together, each with what it waits for. Hidden while all lanes go on together.

import type { Session } from '../session';
import { button, element } from './dom';

export class Groups {
    readonly node = element('ul', { class: 'groups', 'aria-label': 'Groups of lanes', hidden: '' });

    constructor(
        private readonly session: Session,
        private readonly reveal: (line: number, column: number) => void,
    ) {}

    update(): void {
        const state = this.session.moment?.state;
        const groups = state?.groups ?? [];
        const together = groups.length < 2 && groups.every((group) => group.state === 'running');
        this.node.hidden = together;
        if (together) {
            this.node.replaceChildren();
            return;
        }
        this.node.replaceChildren(
            ...groups.map((group, at) => {
                const go = button(group.text, `Show line ${group.line} in the editor`, () => {
                    this.reveal(group.line, group.column);
                });
                go.className = 'link';
                return element('li', {}, go, at === state?.next ? element('span', { class: 'quiet' }, ' · next') : undefined);
            }),
        );
    }
}
