// Widths of the grid's columns. A column is as wide as the values need: fewer lanes are visible then, but no value is cut.

import type { Preferences } from '../../messages';

/** Least number of characters of a cell, by the width that the user has chosen. */
const LEAST: Readonly<Record<Preferences['width'], number>> = { fit: 4, narrow: 6, normal: 10, wide: 22 };
/** Pixels of a cell besides its text; must match the stylesheet. */
const BESIDE: Readonly<Record<Preferences['width'], number>> = { fit: 5, narrow: 12, normal: 12, wide: 12 };
/** Number of lanes for which names give way in a narrow panel. */
const LANES_SEEN = 8;
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
function widthOfNames(room: number, character: number, names: number, cell: number): number {
    // In a narrow panel, values are more important than names, so the ends of names are cut.
    const wanted = Math.min(names * character, room * 0.2, room - LANES_SEEN * cell);
    return Math.max(wanted, Math.min(names, MIN_NAMES) * character) + BESIDE.fit;
}

/**
 * Sets the widths for values with a number of characters; existing columns do not shrink. The names of registers follow them
 * only with the width `fit`.
 */
export function fit(grid: HTMLElement, width: Preferences['width'], values: number, names: number, before: Fitted): Fitted {
    const character = widthOfCharacter(grid);
    const room = grid.clientWidth;
    if (room === 0 || character === 0) return before;
    const fitted: Fitted = { room: Math.max(values, before.room, LEAST[width]), names: Math.max(before.names, Math.min(MAX_NAMES, names + SIGNS)) };
    // Use whole pixels, because a cell that is cut by a fraction of a pixel looks cut off.
    const cell = Math.ceil(fitted.room * character + BESIDE[width]);
    if (width === 'fit') grid.style.setProperty('--names', `${widthOfNames(room, character, fitted.names, Math.ceil(LEAST.fit * character + BESIDE.fit))}px`);
    else grid.style.removeProperty('--names');
    grid.style.setProperty('--cell', `${cell}px`);
    return fitted;
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
