# What the editors must show, in one place: sourced by run.sh, exported for neovim_test.lua and the screen tests.
# shellcheck shell=bash disable=SC2034
set -a

# A wrong operand type: the line as it is in fixture/saxpy.ptx, and what is planted there.
OPERAND_LINE='add.u32 %r7, %r6, %r1;'
OPERAND_PLANT='add.u32 %r7, %r6, %f1;'
OPERAND_CODE='operand-type'
OPERAND_TOKEN='%f1' # the diagnostic covers it
OPERAND_FIX='%r1'   # typed over the token, this repairs the line

# A misspelt opcode.
OPCODE_LINE='fma.rn.f32 %f4, %f1, %f2, %f3;'
OPCODE_PLANT='fmaa.rn.f32 %f4, %f1, %f2, %f3;'
OPCODE_CODE='unknown-opcode'
OPCODE_TOKEN='fmaa'
OPCODE_FIX='`fma`' # in the title of the code action that repairs the line

# Hovering the opcode of the planted line: its name, and some word of what it does.
HOVER_WORD='add'
HOVER_SUMMARY='[Aa]dd(s|ition| two|ing|ed)|[Ss]um'

# The symbol every outline must list.
SYMBOL='saxpy'

set +a
