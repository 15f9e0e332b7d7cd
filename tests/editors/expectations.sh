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

# A symbol that every outline must contain.
SYMBOL='saxpy'

set +a
