// The memory pane: the memory accesses of the step (banks of shared memory, sectors of global memory) and the bytes
// around them.

import type { Access, MemoryBlock, MemoryRequest } from '../../../protocol';
import { elementText, typeBits } from '../model/formats';
import { laneCount, lanesInWords, reverseBytes } from '../model/lanes';
import { aroundAccess, banksOf, isKnown, linesOf, MOST_BYTES, touchedBytes } from '../model/memory';
import type { Session } from '../session';
import { element, grouped } from './dom';

const MOST_LINES = 24;
const TYPES = ['bytes', 'u8', 's8', 'u16', 's16', 'f16', 'bf16', 'u32', 's32', 'f32', 'u64', 's64', 'f64'] as const;

export class MemoryPane {
    readonly node = element('div', { class: 'memory' });
    private readonly accesses = element('div', { class: 'accesses' });
    private readonly place = element('select', { 'aria-label': 'Memory to show' });
    private readonly offset = element('input', { type: 'number', min: '0', step: '16', value: '0', 'aria-label': 'Offset in bytes' });
    private readonly type = element('select', { 'aria-label': 'Type of the values' });
    private readonly bytes = element('div', { class: 'bytes', tabindex: '0', role: 'region', 'aria-label': 'Bytes' });
    private asking: ReturnType<typeof setTimeout> | undefined;
    private block: MemoryBlock | undefined;
    private visible = false;

    constructor(private readonly session: Session) {
        for (const type of TYPES) this.type.append(element('option', { value: type }, type === 'bytes' ? 'Bytes' : `.${type}`));
        const bar = element('div', { class: 'pane-bar' }, element('label', {}, 'Show ', this.place), element('label', {}, 'from ', this.offset), element('label', {}, 'as ', this.type));
        this.node.append(this.accesses, bar, this.bytes);
        this.type.addEventListener('change', () => {
            this.drawBytes();
        });
        for (const input of [this.place, this.offset]) {
            input.addEventListener('change', () => {
                this.askBytes(0);
            });
        }
    }

    /** Updates the list of buffers for another run. */
    reset(): void {
        const chosen = this.place.value;
        const buffers = Object.keys(this.session.evaluation?.buffers ?? {});
        const options: [string, string][] = [['', 'around the access'], ...buffers.map((name): [string, string] => [`buffer ${name}`, name]), ['space shared', 'shared memory'], ['space const', 'constant memory']];
        this.place.replaceChildren(...options.map(([value, text]) => element('option', { value }, text)));
        this.place.value = options.some(([value]) => value === chosen) ? chosen : '';
        this.block = undefined;
    }

    show(visible: boolean): void {
        this.visible = visible;
        if (visible) this.update();
    }

    update(): void {
        if (!this.visible) return;
        const list = this.session.current?.accesses ?? [];
        if (list.length === 0) this.accesses.replaceChildren(element('p', { class: 'empty' }, 'This step does not touch memory.'));
        else this.accesses.replaceChildren(...list.map((access) => accessView(access)));
        this.drawBytes();
        this.askBytes(60);
    }

    private request(): MemoryRequest | undefined {
        const [kind, name] = this.place.value.split(/ (.*)/);
        const offset = Math.max(0, Math.floor(Number(this.offset.value) || 0));
        if (kind === 'buffer' && name !== undefined) return { buffer: name, offset, length: MOST_BYTES };
        if (kind === 'space' && (name === 'shared' || name === 'const')) return { space: name, offset, length: MOST_BYTES };
        for (const access of this.session.current?.accesses ?? []) {
            const around = aroundAccess(access);
            if (around !== undefined && access.space !== 'param') return around;
        }
        return undefined;
    }

    /** Requests the bytes after a pause: during fast stepping they cannot be read. */
    private askBytes(pause: number): void {
        clearTimeout(this.asking);
        if (!this.visible) return;
        this.offset.disabled = this.place.value === '';
        const request = this.request();
        if (request === undefined) {
            this.block = undefined;
            this.drawBytes();
            return;
        }
        const { position } = this.session;
        this.asking = setTimeout(() => {
            this.session
                .question({ count: 0, state: position + 1, memory: [request] })
                .then((answer) => {
                    if (answer === undefined || position !== this.session.position) return;
                    this.block = answer.memory?.[0];
                    this.drawBytes();
                })
                .catch((error: unknown) => {
                    this.bytes.replaceChildren(element('p', { class: 'empty' }, error instanceof Error ? error.message : String(error)));
                });
        }, pause);
    }

    private drawBytes(): void {
        const { block } = this;
        if (block === undefined || block.bytes === '') {
            const text = this.place.value === '' ? 'Choose a buffer to look at its bytes.' : 'Nothing lies there.';
            this.bytes.replaceChildren(element('p', { class: 'empty' }, text));
            return;
        }
        const marks = touchedBytes(block, this.session.current?.accesses ?? []);
        const type = this.type.value;
        const size = type === 'bytes' ? 1 : typeBits(type) / 8;
        const perRow = 16 / size;
        const body = element('tbody');
        const count = Math.floor(block.bytes.length / 2 / size);
        for (let first = 0; first < count; first += perRow) {
            const row = element('tr', {}, element('th', { scope: 'row' }, (block.offset + first * size).toString(16).padStart(4, '0')));
            for (let at = first; at < Math.min(first + perRow, count); at += 1) row.append(cell(block, marks, type, size, at));
            body.append(row);
        }
        const caption = element('caption', {}, `${block.name === '' ? block.space : block.name} after this step`, element('span', { class: 'quiet' }, ' · underlined: written, dotted: read, ··: never written'));
        this.bytes.replaceChildren(element('table', { class: 'dump' }, caption, body));
    }
}

function cell(block: MemoryBlock, marks: Uint8Array, type: string, size: number, at: number): HTMLElement {
    const from = at * size;
    const known = isKnown(block.known, from, from + size);
    const digits = block.bytes.slice(from * 2, (from + size) * 2);
    let mark = 0;
    for (let byte = from; byte < from + size; byte += 1) mark |= marks[byte] ?? 0;
    const text = !known ? '··' : type === 'bytes' ? digits : elementText(type, reverseBytes(digits), 0);
    const class_ = `${known ? '' : 'unknown '}${(mark & 2) !== 0 ? 'stored' : (mark & 1) !== 0 ? 'loaded' : ''}`.trim();
    const words = [known ? '' : 'never written', (mark & 2) !== 0 ? 'written by this step' : '', (mark & 1) !== 0 ? 'read by this step' : ''].filter((word) => word !== '').join(', ');
    return element('td', { ...(class_ === '' ? {} : { class: class_ }), ...(words === '' ? {} : { title: words }) }, text);
}

function accessView(access: Access): HTMLElement {
    const verb = { load: 'Load from', store: 'Store to', update: 'Update of' }[access.kind];
    const heading = element('h2', {}, `${verb} ${access.space} memory`, element('span', { class: 'quiet' }, ` ${access.bytes} bytes × ${laneCount(access.lanes)} lanes`));
    const node = element('div', { class: 'access' }, heading);
    if (access.space === 'shared') node.append(...sharedView(access));
    else if (access.sectors !== undefined || ['global', 'generic'].includes(access.space)) node.append(...globalView(access));
    else node.append(element('p', { class: 'quiet' }, lanesInWords(access.lanes)));
    return node;
}

function fact(name: string, value: string, bad: boolean): HTMLElement {
    return element('div', { class: `fact${bad ? ' bad' : ''}` }, element('dt', {}, name), element('dd', {}, bad ? `⚠ ${value}` : value));
}

function sharedView(access: Access): HTMLElement[] {
    const banks = banksOf(access);
    const conflict = access.conflict ?? 0;
    const facts = element('dl', { class: 'facts' });
    if (access.wavefronts !== undefined) facts.append(fact('Wavefronts', `${access.wavefronts}`, false));
    if (access.conflict !== undefined) facts.append(fact('Bank conflicts', conflict <= 1 ? 'none' : `${conflict}-way`, conflict > 1));
    const most = Math.max(1, ...banks.map((lanes) => lanes.length));
    const used = banks.filter((lanes) => lanes.length > 0).length;
    const strip = element('div', { class: 'banks', role: 'img', 'aria-label': `${used} of 32 banks are used; ${conflict > 1 ? `up to ${conflict} different words in one bank` : 'no bank is asked for two words'}` });
    banks.forEach((lanes, bank) => {
        const column = element('div', { class: 'bank', title: lanes.length === 0 ? `Bank ${bank}: not used` : `Bank ${bank}: lanes ${lanes.join(', ')}` });
        for (const lane of lanes.slice(0, 8)) column.append(element('span', { class: 'chip' }, most > 8 ? '' : `${lane}`));
        if (lanes.length > 8) column.append(element('span', { class: 'more' }, `+${lanes.length - 8}`));
        column.append(element('span', { class: 'number' }, bank % 4 === 0 ? `${bank}` : ''));
        strip.append(column);
    });
    return [facts, strip];
}

const SVG = 'http://www.w3.org/2000/svg';

function globalView(access: Access): HTMLElement[] {
    const lines = linesOf(access);
    const facts = element('dl', { class: 'facts' });
    if (access.sectors !== undefined) facts.append(fact('Sectors', access.ideal === undefined ? `${access.sectors}` : `${access.sectors} (${access.ideal} would do)`, false));
    facts.append(fact('128-byte lines', `${access.lines ?? lines.length}`, false));
    if (access.efficiency !== undefined) facts.append(fact('Efficiency', `${Math.round(access.efficiency * 100)} %`, access.efficiency < 0.5));
    const list = element('div', { class: 'sectors', role: 'list', 'aria-label': 'Lines of memory that are touched' });
    for (const line of lines.slice(0, MOST_LINES)) {
        const lanes = new Set(line.sectors.flatMap((sector) => sector.lanes));
        const used = line.sectors.filter((sector) => sector.lanes.length > 0).length;
        const label = line.name ?? line.address.toString(16);
        const row = element('div', { class: 'memory-line', role: 'listitem', 'aria-label': `${label}: ${used} of 4 sectors, ${lanes.size} lanes` }, element('span', { class: 'address', title: line.address.toString(16) }, label));
        for (const sector of line.sectors) row.append(sectorView(sector.touched, sector.lanes));
        list.append(row);
    }
    const out = [facts, list];
    if (lines.length > MOST_LINES) out.push(element('p', { class: 'quiet' }, `and ${grouped(lines.length - MOST_LINES)} more lines`));
    return out;
}

/** A picture of a 32-byte sector. The bytes that lanes access are filled. */
function sectorView(touched: readonly [number, number][], lanes: readonly number[]): Element {
    const picture = document.createElementNS(SVG, 'svg');
    picture.setAttribute('viewBox', '0 0 32 8');
    picture.setAttribute('preserveAspectRatio', 'none');
    picture.setAttribute('class', lanes.length === 0 ? 'sector unused' : 'sector');
    const title = document.createElementNS(SVG, 'title');
    title.textContent = lanes.length === 0 ? 'not touched' : `lanes ${lanes.join(', ')}`;
    picture.append(title);
    for (const [from, to] of touched) {
        const part = document.createElementNS(SVG, 'rect');
        part.setAttribute('x', `${from}`);
        part.setAttribute('y', '0');
        part.setAttribute('width', `${to - from}`);
        part.setAttribute('height', '8');
        picture.append(part);
    }
    return picture;
}
