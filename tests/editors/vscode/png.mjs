// Makes screenshots small: reduces them to at most 256 colours, which is enough for an editor's screen.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Width, height and pixels (three bytes each) of a file from Chromium: 8 bits per channel, not interlaced. */
function decode(file) {
    let at = SIGNATURE.length;
    let header;
    const parts = [];
    while (at < file.length) {
        const length = file.readUInt32BE(at);
        const kind = file.toString('latin1', at + 4, at + 8);
        const data = file.subarray(at + 8, at + 8 + length);
        if (kind === 'IHDR') header = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), bits: data[8], colour: data[9], interlaced: data[12] };
        if (kind === 'IDAT') parts.push(data);
        at += length + 12;
    }
    const { width, height, bits, colour, interlaced } = header;
    const channels = { 2: 3, 6: 4 }[colour];
    if (bits !== 8 || !channels || interlaced) throw new Error('a PNG of another kind');
    const lines = inflateSync(Buffer.concat(parts));
    const stride = width * channels;
    const pixels = Buffer.alloc(width * height * 3);
    let above = Buffer.alloc(stride);
    for (let y = 0; y < height; y++) {
        const filter = lines[y * (stride + 1)];
        const line = lines.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
        for (let x = 0; x < stride; x++) {
            const left = x < channels ? 0 : line[x - channels];
            const up = above[x];
            const corner = x < channels ? 0 : above[x - channels];
            if (filter === 1) line[x] += left;
            else if (filter === 2) line[x] += up;
            else if (filter === 3) line[x] += (left + up) >> 1;
            else if (filter === 4) line[x] += nearest(left, up, corner);
        }
        for (let x = 0; x < width; x++) line.copy(pixels, (y * width + x) * 3, x * channels, x * channels + 3);
        above = line;
    }
    return { width, height, pixels };
}

/** The Paeth predictor: the one of three neighbours that is nearest to their linear prediction. */
function nearest(left, up, corner) {
    const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Median cut: splits boxes of colours at their widest dimension until there are 256; each becomes its mean. */
function palette(pixels) {
    const counts = new Map();
    for (let at = 0; at < pixels.length; at += 3) {
        const colour = pixels.readUIntBE(at, 3);
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const channel = (colour, which) => (colour >> (16 - 8 * which)) & 255;
    const measure = (colours) => {
        let widest = { width: -1, which: 0 };
        for (const which of [0, 1, 2]) {
            let [low, high] = [255, 0];
            for (const colour of colours) {
                const value = channel(colour, which);
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
            if (high - low > widest.width) widest = { width: high - low, which };
        }
        return { colours, ...widest };
    };
    const boxes = [measure([...counts.keys()])];
    while (boxes.length < 256) {
        boxes.sort((one, other) => one.width * Math.log2(one.colours.length + 1) - other.width * Math.log2(other.colours.length + 1));
        const box = boxes.pop();
        if (!box || box.width === 0) {
            if (box) boxes.push(box);
            break;
        }
        const sorted = box.colours.sort((one, other) => channel(one, box.which) - channel(other, box.which));
        const middle = (channel(sorted[0], box.which) + channel(sorted.at(-1), box.which)) / 2;
        const cut = Math.max(1, sorted.findIndex((colour) => channel(colour, box.which) > middle));
        boxes.push(measure(sorted.slice(0, cut)), measure(sorted.slice(cut)));
    }
    const index = new Map();
    const colours = boxes.map((box, number) => {
        for (const colour of box.colours) index.set(colour, number);
        const total = box.colours.reduce((sum, colour) => sum + counts.get(colour), 0);
        return [0, 1, 2].map((which) => Math.round(box.colours.reduce((sum, colour) => sum + channel(colour, which) * counts.get(colour), 0) / total));
    });
    return { colours, index };
}

function chunk(kind, data) {
    const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
}

export function shrink(file) {
    const { width, height, pixels } = decode(file);
    const { colours, index } = palette(pixels);
    const lines = Buffer.alloc((width + 1) * height);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = index.get(pixels.readUIntBE((y * width + x) * 3, 3));
    }
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([8, 3], 8);
    return Buffer.concat([
        SIGNATURE,
        chunk('IHDR', header),
        chunk('PLTE', Buffer.from(colours.flat())),
        chunk('IDAT', deflateSync(lines, { level: 9 })),
        chunk('IEND', Buffer.alloc(0)),
    ]);
}
