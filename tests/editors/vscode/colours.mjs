// The perceived difference between two colours.

const channels = (colour) => colour.match(/\d+(\.\d+)?/g).slice(0, 3).map(Number);

/** Channels as linear light, 0 to 1. */
const linear = (colour) => channels(colour).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));

/** The WCAG contrast ratio of two colours. */
export function contrast(one, other) {
    const light = (colour) => {
        const [r, g, b] = linear(colour);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
}

/** CIELAB coordinates: lightness, green to red, blue to yellow. */
function lab(colour) {
    const [r, g, b] = linear(colour);
    const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/**
 * The CIEDE2000 difference: 1 is just visible side by side; from about 13, words in a text are distinguishable at a
 * glance.
 */
export function distance(one, other) {
    const [[l1, a1, b1], [l2, a2, b2]] = [lab(one), lab(other)];
    const radians = (degrees) => (degrees * Math.PI) / 180;
    const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
    const grey = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
    const [red1, red2] = [(1 + grey) * a1, (1 + grey) * a2];
    const [chroma1, chroma2] = [Math.hypot(red1, b1), Math.hypot(red2, b2)];
    const hue = (b, a) => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
    const [hue1, hue2] = [hue(b1, red1), hue(b2, red2)];
    const turn = ((hue2 - hue1 + 540) % 360) - 180;
    const far = Math.abs(hue1 - hue2) > 180;
    const [lightness, chroma, middle] = [(l1 + l2) / 2, (chroma1 + chroma2) / 2, (hue1 + hue2) / 2 + (far ? 180 : 0)];
    const weight = 1 - 0.17 * Math.cos(radians(middle - 30)) + 0.24 * Math.cos(radians(2 * middle)) + 0.32 * Math.cos(radians(3 * middle + 6)) - 0.2 * Math.cos(radians(4 * middle - 63));
    const dl = (l2 - l1) / (1 + (0.015 * (lightness - 50) ** 2) / Math.sqrt(20 + (lightness - 50) ** 2));
    const dc = (chroma2 - chroma1) / (1 + 0.045 * chroma);
    const dh = (2 * Math.sqrt(chroma1 * chroma2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * chroma * weight);
    const blue = -2 * Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)) * Math.sin(radians(60 * Math.exp(-(((middle - 275) / 25) ** 2))));
    return Math.sqrt(dl * dl + dc * dc + dh * dh + blue * dc * dh);
}
