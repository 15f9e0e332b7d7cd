// How wide the columns of the grid are where they follow the values.

/** Lanes that are to be seen without scrolling. */
const LANES_SEEN = 16;
/** Characters that a column has at least, and at most. */
const LEAST = 4;
const WIDEST = 12;
/** Pixels of a cell beside its text; the stylesheet has the same. */
const BESIDE = 5;
/** Characters of the column of names beside a name and its reading. */
const SIGNS = 4;
const WIDEST_NAMES = 26;
const LEAST_NAMES = 9;

export interface Fitted {
    /** Characters in a cell. */
    room: number;
    /** Characters in the column of names. */
    names: number;
}

/** Sets the widths for texts of so many characters; columns that are there already do not shrink. */
export function fit(grid: HTMLElement, texts: number, names: number, before: Fitted): Fitted {
    const character = widthOfCharacter(grid);
    const room = grid.clientWidth;
    if (room === 0 || character === 0) return before;
    const wantedNames = Math.max(before.names, Math.min(WIDEST_NAMES, names + SIGNS));
    // Whole pixels: what is cut off by a part of one looks cut off.
    const widthOf = (characters: number): number => Math.ceil(characters * character + BESIDE);
    const least = widthOf(LEAST);
    // In a narrow panel values matter more than names, whose end is cut.
    const wantedWidth = Math.min(wantedNames * character + BESIDE, room * 0.2, room - LANES_SEEN * least);
    const namesWidth = Math.max(wantedWidth, Math.min(wantedNames, LEAST_NAMES) * character + BESIDE);
    const most = Math.floor((room - namesWidth) / LANES_SEEN);
    const wanted = Math.min(WIDEST, Math.max(texts, before.room, LEAST));
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
