// The panes beside the grid, shown as tabs.

import { element } from './dom';

export interface Pane {
    name: string;
    title: string;
    node: HTMLElement;
    show: (visible: boolean) => void;
}

export class Tabs {
    readonly node = element('aside', { class: 'panes', 'aria-label': 'Details' });
    private readonly bar = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Details' });
    /** The name of the open pane; empty before the first. */
    current = '';

    constructor(
        private readonly panes: readonly Pane[],
        /** Called when the user chooses a pane. */
        private readonly chosen: (name: string) => void,
    ) {
        for (const pane of panes) {
            const tab = element('button', { type: 'button', role: 'tab', id: `tab-${pane.name}`, 'aria-controls': `pane-${pane.name}`, tabindex: '-1' }, pane.title);
            tab.addEventListener('click', () => {
                this.chosen(pane.name);
            });
            this.bar.append(tab);
        }
        this.bar.addEventListener('keydown', (event) => {
            const at = panes.findIndex((pane) => pane.name === this.current);
            const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: panes.length - 1 }[event.key];
            const pane = next === undefined ? undefined : panes[(next + panes.length) % panes.length];
            if (pane === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            this.chosen(pane.name);
            this.tab(pane.name)?.focus();
        });
        this.node.append(
            this.bar,
            ...panes.map((pane) => element('div', { class: 'pane', id: `pane-${pane.name}`, role: 'tabpanel', 'aria-labelledby': `tab-${pane.name}`, tabindex: '0', hidden: '' }, pane.node)),
        );
    }

    private tab(name: string): HTMLElement | null {
        return this.bar.querySelector(`#tab-${name}`);
    }

    open(name: string): void {
        const known = this.panes.some((pane) => pane.name === name) ? name : (this.panes[0]?.name ?? '');
        this.current = known;
        for (const pane of this.panes) {
            const visible = pane.name === known;
            const tab = this.tab(pane.name);
            tab?.setAttribute('aria-selected', String(visible));
            tab?.setAttribute('tabindex', visible ? '0' : '-1');
            const panel = this.node.querySelector<HTMLElement>(`#pane-${pane.name}`);
            if (panel !== null) panel.hidden = !visible;
            pane.show(visible);
        }
    }

    /** Says which pane stays open; empty if the pane follows the step. */
    pin(name: string): void {
        for (const pane of this.panes) {
            const tab = this.tab(pane.name);
            tab?.setAttribute('title', pane.name === name ? 'Stays open. Click again: the pane shows what the step does' : '');
        }
    }

    /** Marks a tab that has content for this step. */
    mark(name: string, there: boolean, words: string): void {
        const tab = this.tab(name);
        tab?.classList.toggle('has', there);
        const pane = this.panes.find((own) => own.name === name);
        tab?.setAttribute('aria-label', there ? `${pane?.title ?? name}, ${words}` : (pane?.title ?? name));
    }
}
