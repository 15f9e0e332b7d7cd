"""Lists within a statement."""

from .common import HEADER, kernel, lines, listed, ptx


@ptx
def operands(n):
    return kernel(f"add.s32 {listed(n, '%r1')};\n")


@ptx
def operands_that_are_numbers(n):
    return kernel(f"add.s32 {listed(n, '{i}')};\n")


@ptx
def operands_that_are_missing(n):
    return kernel(f"add.s32 {listed(n, '%x{i}')};\n")


@ptx
def operands_of_an_unknown_opcode(n):
    return kernel(f"foo {listed(n, '%r1')};\n")


@ptx
def operands_on_lines(n):
    return kernel(f"add.s32 {listed(n, '%r1', ',' + chr(10))};\n")


@ptx
def operands_without_commas(n):
    return kernel(f"add.s32 {listed(n, '%r1', ' ')};\n")


@ptx
def operands_that_are_empty(n):
    return kernel(f"add.s32 {',' * n};\n")


@ptx
def operands_that_are_vectors(n):
    return kernel(f"add.s32 {listed(n, '{%r1, %r2}')};\n")


@ptx
def operands_that_are_addresses(n):
    return kernel(f"ld.global.b32 {listed(n, '[%rd1]')};\n")


@ptx
def operands_with_bars(n):
    return kernel(f"setp.eq.s32 %p1{'|%p1' * n}, %r1, %r2;\n")


@ptx
def elements_of_a_vector(n):
    return kernel(f"ld.global.v4.b32 {{{listed(n, '%r1')}}}, [%rd1];\n")


@ptx
def elements_of_an_address(n):
    return kernel(f"tex.1d.v4.f32.s32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{{listed(n, '%r1')}}}];\n")


@ptx
def parts_of_an_address(n):
    return kernel(f"ld.global.b32 %r1, [{listed(n, '%rd1')}];\n")


@ptx
def modifiers(n):
    return kernel(f"add{'.s32' * n} %r1, %r2, %r3;\n")


@ptx
def modifiers_that_are_unknown(n):
    return kernel(f"add{''.join(f'.x{i}' for i in range(n))} %r1, %r2, %r3;\n")


@ptx
def modifiers_of_an_unknown_opcode(n):
    return kernel(f"foo{'.s32' * n} %r1, %r2, %r3;\n")


@ptx
def points(n):
    return kernel(f"add{'.' * n} %r1, %r2, %r3;\n")


@ptx
def performance_directives(n):
    return f"{HEADER}.entry k() {'.maxntid 32 ' * n}{{ ret; }}\n"


@ptx
def arguments_of_a_directive(n):
    return f"{HEADER}.entry k() .maxntid {listed(n, '1')} {{ ret; }}\n"


@ptx
def linking_directives(n):
    return f"{HEADER}{'.visible ' * n}.entry k() {{ ret; }}\n"


@ptx
def types_of_a_declaration(n):
    return f"{HEADER}.global {'.b32 ' * n}g;\n"


@ptx
def attributes(n):
    return f"{HEADER}.global .attribute({listed(n, '.managed')}) .b32 g;\n"


@ptx
def targets(n):
    return f".version 8.5\n.target sm_90{', texmode_unified' * n}\n.address_size 64\n"


@ptx
def header_lines(n):
    return HEADER * n


@ptx
def target_lines(n):
    return HEADER + lines(n, ".target sm_90") + ".entry k() { ret; }\n"
