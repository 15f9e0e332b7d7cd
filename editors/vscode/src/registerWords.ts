// Register figures as text, for the register view here and the one of the playground.

import type { FunctionPressure } from './protocol';

/** The range behind an estimate, ` (70–110)`; nothing where one number is certain. */
export function range({ low, high }: FunctionPressure['likely']): string {
    return low === high ? '' : ` (${low}–${high})`;
}

/** The registers of a function: by the assembler if it has reported them for this text, otherwise the estimate. */
export function registersOf({ measured, registers, likely }: Pick<FunctionPressure, 'measured' | 'registers' | 'likely'>): string {
    if (!measured) return `≈ ${count(registers, 'register')}${range(likely)}`;
    const spilled = measured.spilled > 0 ? `, ${count(measured.spilled, 'byte')} spilled` : '';
    return `${count(measured.registers, 'register')} by ptxas${spilled}`;
}

export function count(number: number, what: string): string {
    return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** The registers of live values: numbers of 32-bit registers and predicates. */
export function held(b32: number, predicates: number): string {
    const parts = [];
    if (b32 > 0 || predicates === 0) parts.push(count(b32, 'register'));
    if (predicates > 0) parts.push(count(predicates, 'predicate'));
    return parts.join(' and ');
}

/** How many more warps run with fewer registers, as a further sentence. */
export function withFewer(fewer: NonNullable<FunctionPressure['occupancy']>['fewer']): string {
    return fewer ? ` With ${count(fewer.registers, 'register')} fewer, ${count(fewer.warps, 'more warp')} would fit.` : '';
}

/** The shared memory of a function: what it declares, and what its launch adds. */
export function sharedMemory({ shared, dynamic_shared }: Pick<FunctionPressure, 'shared' | 'dynamic_shared'>): string {
    const parts = [];
    if (shared > 0) parts.push(count(shared, 'byte'));
    if (dynamic_shared) parts.push('what the launch adds');
    return parts.join(' and ');
}

/** Why there is no figure, for a text with or without kernels. */
export function nothingKnown(hasKernels: boolean): string {
    return hasKernels ? 'Nothing is known while there are errors.' : 'No function here has a body.';
}
