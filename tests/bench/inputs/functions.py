"""Functions."""

from .common import HEADER, kernel, lines, listed, ptx


@ptx
def functions(n):
    return HEADER + lines(n, ".func f{i}() { ret; }")


@ptx
def kernels(n):
    return HEADER + lines(n, ".entry k{i}() { ret; }")


@ptx
def kernels_of_one_name(n):
    return HEADER + lines(n, ".entry k() { ret; }")


@ptx
def functions_of_one_name(n):
    return HEADER + lines(n, ".func f() { ret; }")


@ptx
def declarations_of_one_function(n):
    return HEADER + lines(n, ".extern .func f(.param .b32 x);")


@ptx
def declarations_of_one_function_that_differ(n):
    return HEADER + lines(n, ".extern .func f(.param .b8 x[{i}1]);")


@ptx
def declarations_of_functions(n):
    return HEADER + lines(n, ".extern .func f{i}(.param .b32 x);")


@ptx
def declarations_and_definitions(n):
    return HEADER + lines(n, ".func f{i}(.param .b32 x);") + lines(n, ".func f{i}(.param .b32 x) { ret; }")


@ptx
def declarations_and_definitions_in_reverse(n):
    return HEADER + lines(n, ".func f{i}(.param .b32 x);") + lines(n, ".func f{b}(.param .b32 x) { ret; }")


@ptx
def calls_of_functions_declared_alone(n):
    return HEADER + lines(n, ".func f{i}();") + lines(n, ".func g{i}() { call f{i}; ret; }")


@ptx
def calls_in_a_chain(n):
    return HEADER + ".func f0() { ret; }\n" + "".join(f".func f{i}() {{ call f{i - 1}; ret; }}\n" for i in range(1, n))


@ptx
def calls_in_a_chain_forwards(n):
    return HEADER + lines(n + 1, ".func f{i}();") + "".join(f".func f{i}() {{ call f{i + 1}; ret; }}\n" for i in range(n)) + f".func f{n}() {{ ret; }}\n"


@ptx
def calls_in_a_chain_from_a_kernel(n):
    return calls_in_a_chain(n) + f".entry k() {{ call f{n - 1}; ret; }}\n"


@ptx
def calls_in_a_chain_with_shared_variables(n):
    return (
        HEADER
        + ".func f0() { ret; }\n"
        + "".join(f".shared .b32 s{i};\n.func f{i}() {{ .reg .b32 %r<2>; ld.shared.b32 %r1, [s{i}]; call f{i - 1}; ret; }}\n" for i in range(1, n))
    )


@ptx
def calls_in_a_chain_from_many_kernels(n):
    return HEADER + ".func f0() { ret; }\n" + "".join(f".func f{i}() {{ call f{i - 1}; ret; }}\n.entry k{i}() {{ call f{i}; ret; }}\n" for i in range(1, n))


@ptx
def calls_in_a_ring(n):
    return HEADER + lines(n, ".func f{i}();") + "".join(f".func f{i}() {{ call f{(i + 1) % n}; ret; }}\n" for i in range(n))


@ptx
def calls_of_itself(n):
    return HEADER + lines(n, ".func f{i}() { call f{i}; ret; }")


@ptx
def calls_in_diamonds(n):
    return HEADER + ".func f0() { ret; }\n" + "".join(
        f".func a{i}() {{ call f{i - 1}; ret; }}\n.func b{i}() {{ call f{i - 1}; ret; }}\n.func f{i}() {{ call a{i}; call b{i}; ret; }}\n" for i in range(1, n // 3)
    )


@ptx
def calls_of_the_last_ten(n):
    return HEADER + ".func f0() { ret; }\n" + "".join(
        f".func f{i}() {{ {' '.join(f'call f{j};' for j in range(max(0, i - 10), i))} ret; }}\n" for i in range(1, n // 4)
    )


@ptx
def calls_of_one_function(n):
    return HEADER + ".func f() { ret; }\n" + lines(n, ".entry k{i}() { call f; ret; }")


@ptx
def calls_of_one_function_from_one_kernel(n):
    return kernel(lines(n, "call f;"), before=".func f() { ret; }\n")


@ptx
def calls_of_many_functions_from_one_kernel(n):
    return kernel(lines(n, "call f{i};"), before=lines(n, ".func f{i}() { ret; }"))


@ptx
def calls_of_functions_that_are_not_declared(n):
    return kernel(lines(n, "call f{i};"))


@ptx
def calls_of_nearly_functions(n):
    return kernel(lines(n, "call fucntion{i};"), before=lines(n, ".func function{i}() { ret; }"))


@ptx
def calls_in_two_rings(n):
    half = n // 2
    return (
        HEADER
        + lines(n, ".func f{i}();")
        + "".join(f".func f{i}() {{ call f{(i + 1) % half}; call f{half + i}; ret; }}\n" for i in range(half))
        + "".join(f".func f{half + i}() {{ call f{half + (i + 1) % half}; ret; }}\n" for i in range(half))
    )


@ptx
def arguments_of_a_call(n):
    return kernel(f"call f, ({listed(n, '%r1')});\n", before=f".func f({listed(n, '.reg .b32 p{i}')}) {{ ret; }}\n")


@ptx
def arguments_too_many(n):
    return kernel(f"call f, ({listed(n, '%r1')});\n", before=".func f(.reg .b32 p) { ret; }\n")


@ptx
def results_of_a_call(n):
    return kernel(f"call ({listed(n, '%r1')}), f;\n", before=f".func ({listed(n, '.reg .b32 p{i}')}) f() {{ ret; }}\n")


@ptx
def prototypes(n):
    return kernel(lines(n, "P{i}: .callprototype _ (.param .b32 _);\n{ .param .b32 a; call %rd1, (a), P{i}; }"))


@ptx
def prototype_with_parameters(n):
    return kernel(f"P: .callprototype _ ({listed(n, '.param .b32 _')});\n")


@ptx
def call_targets(n):
    return kernel(f"T: .calltargets {listed(n, 'f')};\ncall %rd1, T;\n", before=".func f() { ret; }\n")


@ptx
def call_targets_of_many_functions(n):
    return kernel(f"T: .calltargets {listed(n, 'f{i}')};\ncall %rd1, T;\n", before=lines(n, ".func f{i}() { ret; }"))


@ptx
def call_targets_that_are_not_declared(n):
    return kernel(f"T: .calltargets {listed(n, 'f{i}')};\ncall %rd1, T;\n")


@ptx
def lists_of_call_targets(n):
    return kernel(lines(n, "T{i}: .calltargets f;\ncall %rd1, T{i};"), before=".func f() { ret; }\n")


@ptx
def branch_targets(n):
    return kernel(f"T: .branchtargets {listed(n, 'L')};\nbrx.idx %r1, T;\nL:\n")


@ptx
def branch_targets_to_many_labels(n):
    return kernel(f"T: .branchtargets {listed(n, 'L{i}')};\nbrx.idx %r1, T;\n" + lines(n, "L{i}: add.s32 %r1, %r1, 1;"))


@ptx
def branch_targets_that_are_missing(n):
    return kernel(f"T: .branchtargets {listed(n, 'L{i}')};\nbrx.idx %r1, T;\n")


@ptx
def branch_tables(n):
    return kernel(lines(n, "T{i}: .branchtargets L{i};\nbrx.idx %r1, T{i};\nL{i}:"))


@ptx
def branch_tables_of_many_labels(n):
    # 3,000 statements that name 16,000 labels took 38 s once.
    return kernel(f"T: .branchtargets {listed(n, 'L{i}')};\n" + lines(n // 5, "@%p1 brx.idx %r1, T;") + lines(n, "L{i}: add.s32 %r1, %r1, 1;"))


@ptx
def aliases(n):
    return HEADER + ".func f() { ret; }\n" + lines(n, ".func a{i}();\n.alias a{i}, f;")


@ptx
def aliases_in_a_chain(n):
    return HEADER + ".func a0() { ret; }\n" + "".join(f".func a{i}();\n.alias a{i}, a{i - 1};\n" for i in range(1, n))


@ptx
def aliases_of_missing_functions(n):
    return HEADER + lines(n, ".func a{i}();\n.alias a{i}, f{i};")


@ptx
def aliases_with_calls(n):
    return HEADER + ".func f() { ret; }\n" + lines(n, ".func a{i}();\n.alias a{i}, f;") + ".entry k() {\n" + lines(n, "call a{i};") + "ret; }\n"


@ptx
def unused_functions_that_call(n):
    return HEADER + ".func f() { ret; }\n" + lines(n, ".func g{i}() { call f; ret; }")


@ptx
def functions_without_return(n):
    return HEADER + lines(n, ".func f{i}() .noreturn { trap; }")


@ptx
def functions_without_return_in_a_chain(n):
    return HEADER + ".func f0() .noreturn { trap; }\n" + "".join(f".func f{i}() .noreturn {{ call f{i - 1}; }}\n" for i in range(1, n))


@ptx
def mangled_names(n):
    return HEADER + lines(n, ".entry _ZN6cutlass6KernelI4GemmIfLi{i}EEEEvT_() { ret; }")


@ptx
def mangled_name(n):
    return HEADER + f".entry _Z1fI{'S_' * (n // 2)}EvT_() {{ ret; }}\n"


@ptx
def mangled_name_that_nests(n):
    return HEADER + f".entry _Z1f{'P' * (n // 2)}i() {{ ret; }}\n"


@ptx
def long_name(n):
    return kernel(lines(10, f"L{{i}}{'x' * n}: @%p1 bra L{{i}}{'x' * n};"))


@ptx
def long_names_that_are_missing(n):
    return kernel(lines(10, f"mov.u32 %{'x' * n}{{i}}, 1;"), declare=f".reg .b32 %{'x' * n};\n")
