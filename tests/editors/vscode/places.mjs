// Situations in which keys were once lost: Enter after a brace, after a complete word, and after an operand.
import { keysFor } from './keys.mjs';

const HEADER = '.version 8.0\n.target sm_80\n.address_size 64\n\n';
const KERNEL = '.visible .entry saxpy(\n    .param .u64 x\n)\n';

/** A brace, a pause, Enter: the editor once inserted an instruction. */
const braces = (pairs) => [40, 90, 200, 500].map((pause) => {
    const text = `${HEADER}${KERNEL}{\n    ret;\n}\n`;
    const keys = keysFor(text, { pairs });
    const brace = keys.findIndex(({ key }) => key === '{');
    keys[brace + 1] = { ...keys[brace + 1], pause };
    return { name: `brace-${pause}`, text, keys, pace: 10 };
});

/** All situations, for an editor that closes brackets or does not. */
export const places = (pairs) => [
    ...braces(pairs),
    { name: 'header', text: HEADER, keys: keysFor(HEADER, { pairs }), pace: 90 },
    ...[60].map((pace) => {
        const text = `${HEADER}${KERNEL}{\n    .reg .f32   %f<4>;\n    add.f32     %f1, %f1, %f2;\n    st.global.f32 [x], %f1;\n    mov.f32     %f3, %f1;\n}\n`;
        return { name: `operands-${pace}`, text, keys: keysFor(text, { pairs }), pace };
    }),
];
