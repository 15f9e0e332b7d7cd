// One tooltip for the whole panel: it appears after a short delay, stays within the page, and closes on Escape.

import { element } from './dom';

const PAUSE = 350;

export class Tooltip {
    readonly node = element('div', { class: 'tooltip', role: 'tooltip', id: 'tooltip', hidden: '' });
    private timer: ReturnType<typeof setTimeout> | undefined;
    private owner: HTMLElement | undefined;
    private point: { x: number; y: number } | undefined;

    constructor() {
        document.addEventListener('keydown', (event) => {
            if (event.key === 'Escape') this.hide();
        });
        // An answer of the server may make it larger.
        new ResizeObserver(() => {
            this.place();
        }).observe(this.node);
        document.addEventListener('scroll', () => {
            this.hide();
        }, { capture: true, passive: true });
    }

    later(owner: HTMLElement, content: () => HTMLElement): void {
        if (this.owner === owner) return;
        this.hide();
        this.owner = owner;
        this.timer = setTimeout(() => {
            this.show(owner, content());
        }, PAUSE);
    }

    toggle(owner: HTMLElement, content: () => HTMLElement): void {
        if (this.owner === owner && !this.node.hidden) this.hide();
        else this.show(owner, content());
    }

    /** Shows the tooltip beside an element, or at a point of the page. */
    show(owner: HTMLElement, content: HTMLElement, point?: { x: number; y: number }): void {
        clearTimeout(this.timer);
        this.owner = owner;
        this.point = point;
        this.node.replaceChildren(content);
        this.node.hidden = false;
        owner.setAttribute('aria-describedby', this.node.id);
        this.place();
    }

    private place(): void {
        const { owner, point } = this;
        if (owner === undefined || this.node.hidden) return;
        const around = owner.getBoundingClientRect();
        const own = this.node.getBoundingClientRect();
        const left = point?.x ?? Math.max(around.left, 4);
        const below = point === undefined ? around.bottom + 4 : point.y + 16;
        const above = (point === undefined ? around.top : point.y) - own.height - 4;
        const top = below + own.height > window.innerHeight && above > 0 ? above : below;
        this.node.style.left = `${Math.max(4, Math.min(left, window.innerWidth - own.width - 4))}px`;
        this.node.style.top = `${Math.max(4, Math.min(top, window.innerHeight - own.height - 4))}px`;
    }

    hide(): void {
        clearTimeout(this.timer);
        this.owner?.removeAttribute('aria-describedby');
        this.owner = undefined;
        this.node.hidden = true;
    }
}
