// The bar between the registers and the panes: dragged, or moved by the arrow keys.

import { element } from './dom';

const [LEAST, MOST, STEP] = [15, 80, 5];

/** A bar that sets `--share`, the part of the room of `main` that the panes have, in percent; `chosen` is called when it rests. */
export function splitter(main: HTMLElement, share: () => number, chosen: (share: number) => void): HTMLElement {
    const bar = element('div', { class: 'splitter', role: 'separator', tabindex: '0', 'aria-label': 'Room of the panes', title: 'Drag to give the panes more or less room (arrow keys)' });
    let now = share();
    bar.setAttribute('aria-valuenow', `${now}`);
    const set = (wanted: number): void => {
        now = Math.round(Math.max(LEAST, Math.min(MOST, wanted)));
        main.style.setProperty('--share', `${now}%`);
        bar.setAttribute('aria-valuenow', `${now}`);
    };
    const at = (event: PointerEvent): number => {
        const around = main.getBoundingClientRect();
        const beside = getComputedStyle(bar).cursor === 'col-resize';
        return beside ? ((around.right - event.clientX) / around.width) * 100 : ((around.bottom - event.clientY) / around.height) * 100;
    };
    bar.addEventListener('pointerdown', (event) => {
        bar.setPointerCapture(event.pointerId);
        event.preventDefault();
    });
    bar.addEventListener('pointermove', (event) => {
        if (bar.hasPointerCapture(event.pointerId)) set(at(event));
    });
    bar.addEventListener('pointerup', () => {
        chosen(now);
    });
    bar.addEventListener('keydown', (event) => {
        const by = { ArrowUp: STEP, ArrowLeft: STEP, ArrowDown: -STEP, ArrowRight: -STEP }[event.key];
        if (by === undefined) return;
        set(share() + by);
        chosen(now);
        event.preventDefault();
    });
    return bar;
}
