// The bar between the registers and the panes: moved by dragging or by the arrow keys.

import { element } from './dom';

const [MIN_SHARE, MAX_SHARE, STEP] = [15, 80, 5];

/**
 * A bar that sets `--share`, the share of `main` for the panes in percent; `chosen` is called when the movement ends.
 */
export function splitter(main: HTMLElement, share: () => number, chosen: (share: number) => void): HTMLElement {
    const bar = element('div', { class: 'splitter', role: 'separator', tabindex: '0', 'aria-label': 'Room of the panes', title: 'Drag to give the panes more or less room (arrow keys)' });
    let now = share();
    bar.setAttribute('aria-valuenow', `${now}`);
    const set = (wanted: number): void => {
        now = Math.round(Math.max(MIN_SHARE, Math.min(MAX_SHARE, wanted)));
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
