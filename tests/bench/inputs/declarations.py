"""Declarations."""

from .common import HEADER, kernel, lines, listed, ptx


@ptx
def registers_alone(n):
    return kernel("", declare=lines(n, ".reg .b32 %r{i};"))


@ptx
def registers_alone_in_use(n):
    return kernel(lines(n, "mov.u32 %r{i}, 1;"), declare=lines(n, ".reg .b32 %r{i};"))


@ptx
def registers_in_one_declaration(n):
    return kernel("", declare=f".reg .b32 {listed(n, '%r{i}')};\n")


@ptx
def ranges_of_registers(n):
    return kernel(lines(n, "mov.u32 %r{i}_1, 1;"), declare=lines(n, ".reg .b32 %r{i}_<4>;"))


@ptx
def ranges_with_names_in_one_another(n):
    return kernel(f"mov.u32 %{'r' * (n // 10)}1, 1;\n", declare="".join(f".reg .b32 %{'r' * i}<4>;\n" for i in range(1, n // 1000)))


@ptx
def registers_of_one_name(n):
    return kernel("", declare=lines(n, ".reg .b32 %r;"))


@ptx
def ranges_of_one_name(n):
    return kernel("", declare=lines(n, ".reg .b32 %r<10>;"))


@ptx
def registers_with_nearly_their_name(n):
    return kernel(lines(n, "mov.u32 %valeu{i}, 1;"), declare=lines(n, ".reg .b32 %value{i};"))


@ptx
def registers_in_blocks(n):
    return kernel(lines(n, "{ .reg .b32 %q; mov.u32 %q, 1; }"))


@ptx
def blocks_nested_to_the_limit(n):
    depth = 500
    return kernel(("{\n" * depth + ".reg .b32 %q; mov.u32 %q, %r1;\n" + "}\n" * depth) * (n // depth))


@ptx
def names_looked_up_through_blocks(n):
    depth = 500
    return kernel("{\n" * depth + lines(n, "mov.u32 %r1, %r2;") + "}\n" * depth)


@ptx
def globals(n):
    return HEADER + lines(n, ".global .b32 g{i};")


@ptx
def globals_in_one_declaration(n):
    return HEADER + f".global .b32 {listed(n, 'g{i}')};\n"


@ptx
def globals_in_use(n):
    return kernel(lines(n, "mov.u64 %rd1, g{i};"), before=lines(n, ".global .b32 g{i};"))


@ptx
def globals_of_one_name(n):
    return HEADER + lines(n, ".global .b32 g;")


@ptx
def globals_with_nearly_their_name(n):
    return kernel(lines(n, "mov.u64 %rd1, golbal{i};"), before=lines(n, ".global .b32 global{i};"))


@ptx
def globals_that_point_at_one_another(n):
    return HEADER + lines(n, ".global .u64 g{i} = g{p};")


@ptx
def globals_that_point_at_a_missing_one(n):
    return HEADER + lines(n, ".global .u64 g{i} = nothing{i};")


@ptx
def globals_that_point_at_later_ones(n):
    return HEADER + lines(n, ".extern .global .u64 x{i};\n.global .u64 g{i} = x{b};")


@ptx
def globals_between_kernels(n):
    return HEADER + lines(n, ".global .b32 g{i};\n.entry k{i}() { .reg .b64 %rd<2>; mov.u64 %rd1, g{i}; ret; }")


@ptx
def shared_variables(n):
    return kernel(lines(n, ".shared .b32 s{i};") + lines(n, "ld.shared.b32 %r1, [s{i}];"))


@ptx
def shared_variables_of_the_module(n):
    return kernel(lines(n, "ld.shared.b32 %r1, [s{i}];"), before=lines(n, ".shared .b32 s{i};"))


@ptx
def shared_variables_and_kernels(n):
    return HEADER + lines(n, ".shared .b32 s{i};\n.entry k{i}() { .reg .b32 %r<2>; ld.shared.b32 %r1, [s{i}]; ret; }")


@ptx
def external_shared_variables(n):
    return kernel(lines(n, "ld.shared.b32 %r1, [s{i}];"), before=lines(n, ".extern .shared .b32 s{i}[];"))


@ptx
def local_variables(n):
    return kernel(lines(n, ".local .b32 l{i};") + lines(n, "ld.local.b32 %r1, [l{i}];"))


@ptx
def parameters(n):
    return kernel(lines(n, "ld.param.b32 %r1, [p{i}];"), parameters=listed(n, ".param .b32 p{i}", ",\n"))


@ptx
def parameters_on_one_line(n):
    return kernel("", parameters=listed(n, ".param .b32 p{i}"))


@ptx
def parameters_of_one_name(n):
    return kernel("", parameters=listed(n, ".param .b32 p", ",\n"))


@ptx
def parameters_without_commas(n):
    return kernel("", parameters=listed(n, ".param .b32 p{i}", "\n"))


@ptx
def parameters_that_are_not_declared(n):
    return kernel(lines(n, "ld.param.b32 %r1, [q{i}];"), parameters=listed(n, ".param .b32 p{i}", ",\n"))


@ptx
def parameters_for_calls(n):
    return kernel(
        lines(n, "{ .param .b32 a{i}; st.param.b32 [a{i}], %r1; call f, (a{i}); }"), before=".extern .func f(.param .b32 x);\n"
    )


@ptx
def initial_values(n):
    return HEADER + f".global .b32 g[{n}] = {{{listed(n, '{i}')}}};\n"


@ptx
def initial_values_on_lines(n):
    return HEADER + f".global .b32 g[{n}] = {{\n{listed(n, '{i}', ',' + chr(10))}\n}};\n"


@ptx
def initial_values_too_many(n):
    return HEADER + f".global .b32 g[2] = {{{listed(n, '{i}')}}};\n"


@ptx
def initial_values_too_large(n):
    return HEADER + f".global .b8 g[{n}] = {{{listed(n, '99{i}')}}};\n"


@ptx
def initial_values_in_rows(n):
    return HEADER + f".global .b32 g[{n}][2] = {{{listed(n, '{1, {i}}')}}};\n"


@ptx
def initial_names(n):
    return HEADER + f".global .b32 x;\n.global .u64 g[{n}] = {{{listed(n, 'x')}}};\n"


@ptx
def initial_names_that_are_not_declared(n):
    return HEADER + f".global .u64 g[{n}] = {{{listed(n, 'x{i}')}}};\n"


@ptx
def dimensions(n):
    return HEADER + f".global .b32 g{'[1]' * n};\n"


@ptx
def sum_of_constants(n):
    return kernel(f"mov.u32 %r1, {listed(n, '{i}', '+')};\n")


@ptx
def signs_of_a_constant(n):
    return kernel(f"mov.u32 %r1, {'-' * n}1;\n")


@ptx
def conditions_in_a_constant(n):
    return kernel(f"mov.u32 %r1, {'1?' * n}1{':1' * n};\n")


@ptx
def casts_of_a_constant(n):
    return kernel(f"mov.u32 %r1, {'(.s64)' * n}1;\n")


@ptx
def terms_of_an_address(n):
    return kernel(f"ld.global.b32 %r1, [%rd1{'+1' * n}];\n")


@ptx
def digits(n):
    return kernel(f"mov.u32 %r1, {'1' * n};\n")


@ptx
def hexadecimal_digits(n):
    return kernel(f"mov.u32 %r1, 0x{'f' * n};\n")


@ptx
def digits_behind_a_point(n):
    return kernel(f"mov.f32 %f1, 1.{'1' * n};\n")
