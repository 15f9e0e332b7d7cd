# What the editors must show, in one place: sourced by run.sh, exported for neovim_test.lua and the screen tests.
# shellcheck shell=bash disable=SC2034
set -a

# A wrong operand type: the original line in fixture/saxpy.ptx, and the line that replaces it.
OPERAND_LINE='add.u32 %r7, %r6, %r1;'
OPERAND_PLANT='add.u32 %r7, %r6, %f1;'
OPERAND_CODE='operand-type'
OPERAND_TOKEN='%f1' # the range of the diagnostic
OPERAND_FIX='%r1'   # replacing the token with this fixes the line

# A misspelt opcode.
OPCODE_LINE='fma.rn.f32 %f4, %f1, %f2, %f3;'
OPCODE_PLANT='fmaa.rn.f32 %f4, %f1, %f2, %f3;'
OPCODE_CODE='unknown-opcode'
OPCODE_TOKEN='fmaa'
OPCODE_FIX='`fma`' # in the title of the code action that fixes the line

# A hover over the opcode of the changed line must contain its name and a word of its description.
HOVER_WORD='add'
HOVER_SUMMARY='[Aa]dd(s|ition| two|ing|ed)|[Ss]um'

# PTX in strings: a line of fixture/inline.cu and of inline.py for each of the two servers.
INLINE_PTX_LINE='"  setp.lt.s32 inside, %2, %3;\n"'
INLINE_PTX_PLANT='"  setp.lt.s32 inside, %1, %3;\n"'
INLINE_PTX_CODE='operand-type'
INLINE_CPP_LINE='float value = factor * (float)lane;'
INLINE_CPP_PLANT='float value = factor * (float)lame;'
INLINE_CPP_MESSAGE='undeclared identifier'
INLINE_PYTHON_PTX_LINE='"shl.b32 $0, $1, 2;", "=r,r"'
INLINE_PYTHON_PTX_PLANT='"shll.b32 $0, $1, 2;", "=r,r"'
INLINE_PYTHON_PTX_CODE='unknown-opcode'
INLINE_PYTHON_LINE='result = double(21)'
INLINE_PYTHON_PLANT='result = double("21")'
INLINE_PYTHON_MESSAGE='not assignable'

# A symbol that every outline must contain.
SYMBOL='saxpy'

set +a
