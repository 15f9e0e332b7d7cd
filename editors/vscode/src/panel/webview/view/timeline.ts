// The divergence timeline: steps from left to right, lanes from top to bottom, and the line of each lane as a colour. A
// table beside the picture has the same content, for users who cannot see the picture and for exact values.

import { hasLane, laneCount, LANES, lanesInWords } from '../model/lanes';
import { CHUNK } from '../model/timeline';
import { type Session, WHOLE_TIMELINE } from '../session';
import { button, element, grouped, icon, perFrame, setAttribute, setText } from './dom';
import { lineColours, type Rgb, themeColour } from './theme';
import type { Tooltip } from './tooltip';

const LANE_HEIGHT = 3;
const TOP = 8;
const HEIGHT = TOP + LANES * LANE_HEIGHT;
const MOST_ROWS = 400;

export class TimelineView {
    readonly node: HTMLElement;
    private readonly canvas = element('canvas', { class: 'lanes', role: 'img', 'aria-describedby': 'timeline-words' });
    private readonly words = element('p', { class: 'quiet', id: 'timeline-words' });
    private readonly table = element('div', { class: 'timeline-table', hidden: '' });
    private readonly legend = element('div', { class: 'legend', 'aria-label': 'What the colours mean' });
    private readonly tableButton: HTMLButtonElement;
    private first = 0;
    private last = 1;
    private picture: OffscreenCanvas | undefined;
    private readonly later = perFrame(() => {
        this.draw();
    });

    constructor(
        private readonly session: Session,
        private readonly tooltip: Tooltip,
    ) {
        this.tableButton = button('Table', 'Show the divergence as a table', () => {
            this.table.hidden = !this.table.hidden;
            this.tableButton.setAttribute('aria-expanded', String(!this.table.hidden));
            this.fillTable();
        });
        this.tableButton.setAttribute('aria-expanded', 'false');
        const zoom = (factor: number): void => {
            this.zoom(factor, this.session.position);
        };
        this.node = element(
            'section',
            { class: 'timeline', 'aria-label': 'Divergence timeline' },
            element(
                'div',
                { class: 'timeline-bar' },
                this.words,
                button(icon('M3 8h10'), 'Zoom out', () => { zoom(2); }),
                button(icon('M3 8h10M8 3v10'), 'Zoom in', () => { zoom(0.5); }),
                button('Fit', 'Show all steps', () => {
                    this.setRange(0, this.session.steps);
                }),
                this.tableButton,
            ),
            element('div', { class: 'picture' }, this.canvas, element('span', { class: 'axis top', 'aria-hidden': 'true' }, '0'), element('span', { class: 'axis bottom', 'aria-hidden': 'true' }, '31')),
            this.legend,
            this.table,
        );
        this.canvas.height = HEIGHT;
        new ResizeObserver(() => {
            this.picture = undefined;
            this.later();
        }).observe(this.canvas);
        this.canvas.addEventListener('pointerdown', (event) => {
            this.canvas.setPointerCapture(event.pointerId);
            this.session.goTo(this.stepAt(event));
        });
        this.canvas.addEventListener('pointermove', (event) => {
            if (event.buttons === 1) this.session.goTo(this.stepAt(event));
            this.hover(event);
        });
        this.canvas.addEventListener('pointerleave', () => {
            this.tooltip.hide();
        });
        this.canvas.addEventListener('wheel', (event) => {
            this.wheel(event);
        }, { passive: false });
    }

    /** Shows all steps of another run. */
    reset(): void {
        this.first = 0;
        this.last = Math.max(1, this.session.steps);
        this.contentChanged();
    }

    contentChanged(): void {
        this.picture = undefined;
        this.describe();
        if (!this.table.hidden) this.fillTable();
        this.later();
    }

    moved(): void {
        const { position } = this.session;
        if (position < this.first || position >= this.last) {
            const span = this.last - this.first;
            this.setRange(position - span / 2, position + span / 2);
        }
        this.later();
    }

    private setRange(first: number, last: number): void {
        const steps = Math.max(1, this.session.steps);
        const span = Math.max(Math.min(8, steps), Math.min(last - first, steps));
        this.first = Math.max(0, Math.min(Math.round(first), steps - span));
        this.last = Math.min(steps, this.first + Math.round(span));
        this.picture = undefined;
        this.later();
    }

    private zoom(factor: number, around: number): void {
        const span = (this.last - this.first) * factor;
        const share = (around - this.first) / Math.max(1, this.last - this.first);
        const inside = share >= 0 && share <= 1 ? share : 0.5;
        this.setRange(around - span * inside, around + span * (1 - inside));
    }

    private wheel(event: WheelEvent): void {
        if (event.ctrlKey) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.stepAt(event));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const shift = ((event.deltaX || event.deltaY) / 400) * (this.last - this.first);
            this.setRange(this.first + shift, this.last + shift);
        } else return;
        event.preventDefault();
    }

    private stepAt(event: MouseEvent): number {
        const around = this.canvas.getBoundingClientRect();
        const share = (event.clientX - around.left) / Math.max(1, around.width);
        return Math.max(0, Math.min(this.session.steps - 1, Math.floor(this.first + share * (this.last - this.first))));
    }

    private hover(event: PointerEvent): void {
        if (this.session.steps === 0) return;
        const step = this.stepAt(event);
        const view = this.session.glance(step);
        if (view === undefined) return;
        const text = this.session.textOfLine(view.line);
        const lane = Math.floor((event.clientY - this.canvas.getBoundingClientRect().top - TOP) / LANE_HEIGHT);
        const own = lane >= 0 && lane < LANES ? `Lane ${lane}: ${hasLane(view.executed, lane) ? 'executes' : hasLane(view.active, lane) ? 'guard false' : 'elsewhere'}` : '';
        const content = element('div', {}, element('strong', {}, `Step ${grouped(step + 1)} · line ${view.line}`), element('div', {}, lanesInWords(view.executed)), element('div', { class: 'quiet' }, own));
        if (text !== undefined) content.append(element('code', {}, text));
        this.tooltip.show(this.canvas, content, { x: event.clientX + 12, y: event.clientY });
    }

    private colours(): Map<number, Rgb> {
        return lineColours(this.session.timeline.lines);
    }

    /** The lanes as an image with one pixel row per lane; drawing scales it. */
    private paint(width: number): OffscreenCanvas {
        const { timeline } = this.session;
        const made = new OffscreenCanvas(width, LANES);
        const context = made.getContext('2d');
        if (context === null) return made;
        const image = context.createImageData(width, LANES);
        const colours = this.colours();
        const span = this.last - this.first;
        const absent = new Set<number>();
        for (let x = 0; x < width; x += 1) {
            const from = Math.floor(this.first + (x * span) / width);
            const to = Math.max(from + 1, Math.floor(this.first + ((x + 1) * span) / width));
            let open = 0xffffffff;
            // If several steps share a column, each lane shows the first of them in which it took part; examining a few
            // steps is sufficient.
            for (let step = from; step < to && step < from + 64 && open !== 0; step += 1) {
                const view = timeline.at(step);
                if (view === undefined) {
                    absent.add(Math.floor(step / CHUNK));
                    break;
                }
                const colour = colours.get(view.line);
                const here = (view.active & open) >>> 0;
                if (colour === undefined || here === 0) continue;
                for (let lane = 0; lane < LANES; lane += 1) {
                    if (!hasLane(here, lane)) continue;
                    const at = (lane * width + x) * 4;
                    image.data[at] = colour[0];
                    image.data[at + 1] = colour[1];
                    image.data[at + 2] = colour[2];
                    image.data[at + 3] = hasLane(view.executed, lane) ? 255 : 90;
                }
                open = (open & ~view.active) >>> 0;
            }
        }
        context.putImageData(image, 0, 0);
        // The complete view does not load millions of steps: zooming in loads them.
        if (span <= WHOLE_TIMELINE) for (const chunk of absent) if (chunk < timeline.chunkCount) void this.session.fetchChunk(chunk);
        return made;
    }

    private draw(): void {
        const { canvas, session } = this;
        const scale = window.devicePixelRatio || 1;
        const width = Math.max(1, Math.round(canvas.clientWidth * scale));
        const height = Math.round(HEIGHT * scale);
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        const context = canvas.getContext('2d');
        if (context === null) return;
        const span = Math.max(1, this.last - this.first);
        this.picture ??= this.paint(Math.min(width, Math.max(span, 1) > width ? width : Math.max(1, span)));
        context.clearRect(0, 0, width, height);
        context.imageSmoothingEnabled = false;
        context.drawImage(this.picture, 0, TOP * scale, width, LANES * LANE_HEIGHT * scale);
        const left = (step: number): number => ((step - this.first) / span) * width;
        this.drawEnds(context, left, scale);
        this.drawFaults(context, left, scale);
        const foreground = themeColour('--vscode-editor-foreground', '#888888');
        const at = left(session.position);
        const wide = Math.max(2 * scale, width / span);
        context.strokeStyle = foreground;
        context.lineWidth = scale;
        context.strokeRect(at + 0.5, TOP * scale - 2, Math.max(wide - 1, 1), LANES * LANE_HEIGHT * scale + 3);
        context.fillStyle = foreground;
        context.beginPath();
        context.moveTo(at + wide / 2 - 4 * scale, 0);
        context.lineTo(at + wide / 2 + 4 * scale, 0);
        context.lineTo(at + wide / 2, TOP * scale - 3);
        context.fill();
    }

    /** Hatches the lanes after their exit, to distinguish them from diverged ones. */
    private drawEnds(context: CanvasRenderingContext2D, left: (step: number) => number, scale: number): void {
        const { session } = this;
        const last = session.timeline.lastSteps();
        if (last === undefined) return;
        context.strokeStyle = themeColour('--vscode-descriptionForeground', '#888888');
        context.globalAlpha = 0.55;
        context.lineWidth = scale * 0.75;
        const size = LANE_HEIGHT * scale;
        for (let lane = 0; lane < LANES; lane += 1) {
            const end = last[lane] ?? -1;
            if (!hasLane(session.exited(end), lane) || end + 1 >= this.last) continue;
            const from = Math.max(0, left(end + 1));
            context.beginPath();
            for (let x = from; x < context.canvas.width; x += size * 2) {
                context.moveTo(x, TOP * scale + (lane + 1) * size);
                context.lineTo(x + size, TOP * scale + lane * size);
            }
            context.stroke();
        }
        context.globalAlpha = 1;
    }

    private drawFaults(context: CanvasRenderingContext2D, left: (step: number) => number, scale: number): void {
        const { session } = this;
        const error = themeColour('--vscode-editorError-foreground', '#f14c4c');
        for (const fault of session.faultsHere()) {
            const x = left(fault.step + 0.5);
            context.fillStyle = error;
            context.strokeStyle = error;
            context.lineWidth = 1.5 * scale;
            context.beginPath();
            context.moveTo(x, TOP * scale);
            context.lineTo(x, context.canvas.height);
            context.stroke();
            context.beginPath();
            context.arc(x, 4 * scale, 3.5 * scale, 0, Math.PI * 2);
            context.fill();
        }
    }

    private stretches(): { from: number; to: number; lines: Set<number>; active: number }[] {
        const list: { from: number; to: number; lines: Set<number>; active: number }[] = [];
        const { timeline, steps } = this.session;
        for (let step = 0; step < steps && list.length <= MOST_ROWS; step += 1) {
            const view = timeline.at(step);
            if (view === undefined) break;
            const own = list.at(-1);
            if (own?.active === view.active) {
                own.to = step;
                own.lines.add(view.line);
            } else list.push({ from: step, to: step, lines: new Set([view.line]), active: view.active });
        }
        return list;
    }

    private describe(): void {
        const { session } = this;
        let apart = 0;
        let masked = 0;
        let known = 0;
        for (; known < Math.min(session.steps, 100_000); known += 1) {
            const view = session.timeline.at(known);
            if (view === undefined) break;
            if (view.active !== session.present) apart += 1;
            if (view.executed !== view.active) masked += 1;
        }
        const share = known === 0 ? 0 : Math.round((apart * 100) / known);
        const whole = known === session.steps;
        const together = apart === 0 && whole && session.steps > 0;
        this.node.classList.toggle('together', together);
        const guarded = masked === 0 ? '' : ` (guard false in some: ${grouped(masked)} ${masked === 1 ? 'step' : 'steps'})`;
        const guess = Array.isArray(session.evaluation?.guessed) && session.evaluation.guessed.length > 0 && session.launch === undefined;
        const all = laneCount(session.present) === LANES ? 'All 32 lanes' : `The ${laneCount(session.present)} lanes of this warp`;
        const words = together
            ? `${all} stay together: this warp never diverges ${guess ? 'with the guessed launch' : 'in this run'}${guarded}.`
            : `Divergence: some lanes wait or have exited in ${share === 0 ? 'under 1' : share} % of ${grouped(session.steps)} steps`;
        this.drawLegend();
        setText(this.words, session.steps > WHOLE_TIMELINE ? `${words}; the first ${grouped(WHOLE_TIMELINE)} are drawn, others when one zooms in` : words);
        setAttribute(this.canvas, 'aria-label', 'Divergence: steps from left to right, lanes from top to bottom, coloured by line');
    }

    /** The legend of the colours beside the picture: source positions, and the meaning of areas without a colour. */
    private drawLegend(): void {
        const { lines } = this.session.timeline;
        const colours = this.colours();
        const ramp = element('span', { class: 'ramp', 'aria-hidden': 'true' });
        const shown = Math.min(lines.length, 12);
        for (let at = 0; at < shown; at += 1) {
            const colour = colours.get(lines[Math.floor((at * (lines.length - 1)) / Math.max(1, shown - 1))] ?? 0);
            const part = element('i');
            if (colour !== undefined) part.style.background = `rgb(${colour.join(' ')})`;
            ramp.append(part);
        }
        const swatch = (kind: string): HTMLElement => element('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' });
        const middle = colours.get(lines[lines.length >> 1] ?? 0);
        const pale = swatch('pale');
        if (middle !== undefined) pale.style.background = `rgb(${middle.join(' ')} / 35%)`;
        const entry = (sign: HTMLElement | string, words: string, title: string): HTMLElement => element('span', { title }, sign, words);
        this.legend.replaceChildren(
            element('span', { class: 'axes', title: 'Each row is a lane, lane 0 at the top. Each column is a step. Click to go there.' }, 'Row: lane · column: step'),
            element('span', { title: 'The colour says which line of the source the lane executes. Lanes with different colours in one column have diverged.' }, `Colour: line ${lines[0] ?? ''}`, ramp, `line ${lines.at(-1) ?? ''}`),
            entry(pale, 'guard false', 'The lane is at this instruction, but its guard (@%p) is false'),
            entry(swatch('gone'), 'waits', 'The lane diverged: it waits while others execute'),
            entry(swatch('hatched'), 'exited', 'The lane has left the kernel'),
            entry('▾', 'this step', 'The step that is shown; click the picture to go to another'),
        );
    }

    private fillTable(): void {
        if (this.table.hidden) return;
        const body = element('tbody');
        const list = this.stretches();
        for (const { from, to, lines, active } of list.slice(0, MOST_ROWS)) {
            const numbers = [...lines].sort((one, other) => one - other);
            const go = button(from === to ? `${from + 1}` : `${from + 1}–${to + 1}`, `Go to step ${from + 1}`, () => {
                this.session.goTo(from);
            });
            go.className = 'link';
            const range = numbers.length === 1 ? `${numbers[0]}` : `${numbers[0]}–${numbers.at(-1)}`;
            body.append(element('tr', {}, element('td', {}, go), element('td', {}, range), element('td', {}, `${laneCount(active)}`), element('td', {}, lanesInWords(active))));
        }
        const head = element('tr', {}, ...['Steps', 'Lines', 'Lanes', 'Which'].map((name) => element('th', { scope: 'col' }, name)));
        const table = element('table', {}, element('caption', {}, 'Stretches in which the same lanes execute'), element('thead', {}, head), body);
        this.table.replaceChildren(table);
        if (list.length > MOST_ROWS) this.table.append(element('p', { class: 'quiet' }, `The first ${MOST_ROWS} stretches are listed.`));
    }
}

