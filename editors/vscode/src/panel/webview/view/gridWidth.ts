// Widths of the grid's columns that follow the values.

/** Number of lanes that are visible without scrolling, however wide their values are. */
const LANES_SEEN = 8;
/** Minimum and maximum number of characters per column. */
const MIN_ROOM = 4;
const MAX_ROOM = 14;
/** Pixels of a cell besides its text; must match the stylesheet. */
const BESIDE = 5;
/** Characters in the column of names besides a name and its format. */
const SIGNS = 4;
const MAX_NAMES = 26;
const MIN_NAMES = 9;

export interface Fitted {
    /** Number of characters per cell. */
    room: number;
    /** Number of characters in the column of names. */
    names: number;
}

/** The column of names in pixels, for names with a number of characters. */
function widthOfNames(room: number, character: number, names: number): number {
    const least = Math.ceil(MIN_ROOM * character + BESIDE);
    // In a narrow panel, values are more important than names, so the ends of names are cut.
    const wanted = Math.min(names * character + BESIDE, room * 0.2, room - LANES_SEEN * least);
    return Math.max(wanted, Math.min(names, MIN_NAMES) * character + BESIDE);
}

/** Number of characters that a cell has room for, whatever the names and the values are; 0 while the grid has no size. */
export function capacity(grid: HTMLElement): number {
    const character = widthOfCharacter(grid);
    const room = grid.clientWidth;
    if (room === 0 || character === 0) return 0;
    const most = Math.floor((room - widthOfNames(room, character, MAX_NAMES)) / LANES_SEEN);
    return Math.max(MIN_ROOM, Math.min(MAX_ROOM, Math.floor((most - BESIDE + 0.5) / character)));
}

/** Sets the widths for texts with these numbers of characters; existing columns do not shrink. */
export function fit(grid: HTMLElement, texts: number, names: number, before: Fitted): Fitted {
    const character = widthOfCharacter(grid);
    const room = grid.clientWidth;
    if (room === 0 || character === 0) return before;
    const wantedNames = Math.max(before.names, Math.min(MAX_NAMES, names + SIGNS));
    // Use whole pixels, because a cell that is cut by a fraction of a pixel looks cut off.
    const widthOf = (characters: number): number => Math.ceil(characters * character + BESIDE);
    const least = widthOf(MIN_ROOM);
    const namesWidth = widthOfNames(room, character, wantedNames);
    const most = Math.floor((room - namesWidth) / LANES_SEEN);
    const wanted = Math.min(MAX_ROOM, Math.max(texts, before.room, MIN_ROOM));
    const cell = Math.max(Math.min(widthOf(wanted), most), least);
    grid.style.setProperty('--names', `${namesWidth}px`);
    grid.style.setProperty('--cell', `${cell}px`);
    return { room: Math.floor((cell - BESIDE + 0.5) / character), names: wantedNames };
}

const RULER = '0'.repeat(40);

function widthOfCharacter(grid: HTMLElement): number {
    const ruler = document.createElement('span');
    ruler.className = 'ruler';
    ruler.textContent = RULER;
    grid.append(ruler);
    const { width } = ruler.getBoundingClientRect();
    ruler.remove();
    return width / RULER.length;
}
