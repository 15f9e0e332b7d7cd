// A menu at an element: mouse, arrow keys and Enter select an item; Escape closes it, and the focus returns to the
// element.

import { element } from './dom';

export interface Choice {
    label: string;
    detail: string;
    chosen: boolean;
    act: () => void;
}

export class Menu {
    readonly node = element('div', { class: 'menu', role: 'menu', hidden: '' });
    private back: HTMLElement | undefined;

    constructor() {
        this.node.addEventListener('keydown', (event) => {
            const items = [...this.node.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
            const at = items.indexOf(document.activeElement as HTMLElement);
            const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
            event.stopPropagation();
            if (next !== undefined) {
                event.preventDefault();
                items[(next + items.length) % items.length]?.focus();
            } else if (event.key === 'Escape' || event.key === 'Tab') {
                event.preventDefault();
                this.close();
            }
        });
        document.addEventListener('pointerdown', (event) => {
            if (!this.node.hidden && !this.node.contains(event.target as Node)) this.close();
        });
    }

    open(at: HTMLElement, label: string, choices: readonly Choice[], back: HTMLElement): void {
        this.back = back;
        this.node.setAttribute('aria-label', label);
        this.node.replaceChildren(
            ...choices.map((choice) => {
                const item = element('button', { type: 'button', role: 'menuitemradio', 'aria-checked': String(choice.chosen), tabindex: '-1' }, element('span', { class: 'check', 'aria-hidden': 'true' }, choice.chosen ? '✓' : ''), element('span', {}, choice.label), element('span', { class: 'quiet' }, choice.detail));
                item.addEventListener('click', () => {
                    choice.act();
                    this.close();
                });
                return item;
            }),
        );
        this.node.hidden = false;
        const around = at.getBoundingClientRect();
        const own = this.node.getBoundingClientRect();
        this.node.style.left = `${Math.max(4, Math.min(around.left, window.innerWidth - own.width - 4))}px`;
        this.node.style.top = `${Math.max(4, Math.min(around.bottom + 2, window.innerHeight - own.height - 4))}px`;
        (this.node.querySelector<HTMLElement>('[aria-checked="true"]') ?? this.node.querySelector<HTMLElement>('button'))?.focus();
    }

    close(): void {
        if (this.node.hidden) return;
        const inside = this.node.contains(document.activeElement);
        this.node.hidden = true;
        if (inside) this.back?.focus();
    }
}
