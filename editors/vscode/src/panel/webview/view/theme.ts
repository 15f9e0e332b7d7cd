// Colours for canvas pictures, which stylesheets cannot style. They come from the theme's variables, so they follow
// light, dark and high-contrast themes.

export type Rgb = readonly [red: number, green: number, blue: number];

let probe: CanvasRenderingContext2D | null | undefined;

/** The current value of a theme variable. */
export function themeColour(variable: string, otherwise: string): string {
    const value = getComputedStyle(document.body).getPropertyValue(variable).trim();
    return value === '' ? otherwise : value;
}

function rgb(colour: string): Rgb {
    if (probe === undefined) {
        const canvas = document.createElement('canvas');
        canvas.width = 1;
        canvas.height = 1;
        probe = canvas.getContext('2d', { willReadFrequently: true });
    }
    if (probe === null) return [128, 128, 128];
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [red = 128, green = 128, blue = 128] = probe.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
}

const RAMP = [
    ['--vscode-charts-blue', '#3794ff'],
    ['--vscode-charts-green', '#4aa564'],
    ['--vscode-charts-yellow', '#cca700'],
    ['--vscode-charts-orange', '#d18616'],
    ['--vscode-charts-purple', '#b180d7'],
] as const;

/**
 * A colour for each line. Neighbouring lines in the source get neighbouring colours on a ramp of the theme's chart
 * colours, so that a loop appears as a repeating pattern. Neighbours differ in lightness, so that single steps can be
 * distinguished.
 */
export function lineColours(lines: readonly number[]): Map<number, Rgb> {
    const ramp = RAMP.map(([variable, otherwise]) => rgb(themeColour(variable, otherwise)));
    const paper = rgb(themeColour('--vscode-editor-background', '#1e1e1e'));
    const out = new Map<number, Rgb>();
    lines.forEach((line, at) => {
        const along = (lines.length < 2 ? 0 : at / (lines.length - 1)) * (ramp.length - 1);
        const below = Math.min(Math.floor(along), ramp.length - 2);
        const from = ramp[below] ?? paper;
        const to = ramp[below + 1] ?? from;
        const toPaper = at % 2 === 0 ? 0 : 0.22;
        const mixed = mix(mix(from, to, along - below), paper, toPaper);
        out.set(line, mixed);
    });
    return out;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
    const channel = (at: 0 | 1 | 2): number => Math.round(one[at] * (1 - share) + other[at] * share);
    return [channel(0), channel(1), channel(2)];
}
