"""Texts of other languages."""

from .common import host, lines, listed


@host
def asm_statements(n):
    return "cu", "__global__ void k(int *p) {\n" + lines(n, '  asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]), "r"({i}));') + "}\n"


@host
def asm_statements_in_functions(n):
    return "cu", lines(n, '__device__ int f{i}(int a) { int r; asm("add.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"({i})); return r; }')


@host
def asm_operands(n):
    return "cu", f'__global__ void k(int p) {{ asm("mov.u32 %0, %1;" : "=r"(p) : {listed(n, chr(34) + "r" + chr(34) + "(p)")}); }}\n'


@host
def asm_operands_in_use(n):
    text = "".join(f"mov.u32 %0, %{i + 1};" for i in range(n))
    return "cu", f'__global__ void k(int p) {{ asm("{text}" : "=r"(p) : {listed(n, chr(34) + "r" + chr(34) + "(p)")}); }}\n'


@host
def asm_strings(n):
    return "cu", '__global__ void k(int p) { asm(\n' + lines(n, '"mov.u32 %0, %1;\\n"') + ': "=r"(p) : "r"(p)); }\n'


@host
def asm_clobbers(n):
    return "cu", f'__global__ void k(int p) {{ asm("mov.u32 %0, %0;" : "+r"(p) :: {listed(n, chr(34) + "memory" + chr(34))}); }}\n'


@host
def asm_errors(n):
    return "cu", "__global__ void k(int *p) {\n" + lines(n, '  asm("ad.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]), "r"({i}));') + "}\n"


@host
def asm_statement_with_many_lines(n):
    return "cu", '__global__ void k(int p) { asm("' + "mov.u32 %0, %0; " * n + '" : "+r"(p)); }\n'


@host
def asm_conditions(n):
    return "cu", "__global__ void k(int p) {\n" + lines(n, '#if __CUDA_ARCH__ >= {i}\n asm("mov.u32 %0, %0;" : "+r"(p));\n#endif') + "}\n"


@host
def asm_conditions_nested(n):
    return "cu", "__global__ void k(int p) {\n" + lines(n, "#if __CUDA_ARCH__ >= {i}") + ' asm("mov.u32 %0, %0;" : "+r"(p));\n' + lines(n, "#endif") + "}\n"


@host
def asm_conditions_else(n):
    return "cu", "__global__ void k(int p) {\n#if X\n" + lines(n, '#elif __CUDA_ARCH__ >= {i}\n asm("mov.u32 %0, %0;" : "+r"(p));') + "#endif\n}\n"


@host
def asm_conditions_within(n):
    return "cu", '__global__ void k(int p) {\nasm(\n' + lines(n, '#if X{i}\n"mov.u32 %0, %0;"\n#endif') + ' : "+r"(p));\n}\n'


@host
def macros(n):
    return "cu", lines(n, "#define M{i} \"mov.u32 %0, %0;\"") + "__global__ void k(int p) {\n" + lines(n, 'asm(M{i} : "+r"(p));') + "}\n"


@host
def macros_in_a_chain(n):
    return "cu", '#define M0 "mov.u32 %0, %0;"\n' + "".join(f"#define M{i} M{i - 1}\n" for i in range(1, n)) + f'__global__ void k(int p) {{ asm(M{n - 1} : "+r"(p)); }}\n'


@host
def macros_in_a_chain_all_in_use(n):
    return "cu", '#define M0 "mov.u32 %0, %0;"\n' + "".join(f"#define M{i} M{i - 1}\n" for i in range(1, n)) + "__global__ void k(int p) {\n" + lines(n, 'asm(M{i} : "+r"(p));') + "}\n"


@host
def macros_that_grow(n):
    return "cu", '#define M0 "mov.u32 %0, %0;"\n' + "".join(f'#define M{i} M{i - 1} "mov.u32 %0, %0;"\n' for i in range(1, n)) + f'__global__ void k(int p) {{ asm(M{n - 1} : "+r"(p)); }}\n'


@host
def macros_that_double(n):
    return "cu", '#define M0 "mov.u32 %0, %0;"\n' + "".join(f"#define M{i} M{i - 1} M{i - 1}\n" for i in range(1, n)) + f'__global__ void k(int p) {{ asm(M{n - 1} : "+r"(p)); }}\n'


@host
def macros_with_arguments(n):
    return "cu", '#define M(x) "mov.u32 %0, " #x ";"\n__global__ void k(int p) {\n' + lines(n, 'asm(M({i}) : "+r"(p));') + "}\n"


@host
def macros_of_one_name(n):
    return "cu", lines(n, '#undef M\n#define M "mov.u32 %0, {i};"') + '__global__ void k(int p) { asm(M : "+r"(p)); }\n'


@host
def macros_of_one_name_in_use(n):
    return "cu", "__global__ void k(int p) {\n" + lines(n, '#undef M\n#define M "mov.u32 %0, {i};"\nasm(M : "+r"(p));') + "}\n"


@host
def macros_whose_bodies_have_asm(n):
    return "cu", lines(n, '#define M{i}(p) asm("mov.u32 %0, %0;" : "+r"(p))') + "__global__ void k(int p) {\n" + lines(n, "M{i}(p);") + "}\n"


@host
def macro_parameters(n):
    return "cu", f'#define M({listed(n, "a{i}")}) "mov.u32 %0, %0;"\n__global__ void k(int p) {{ asm(M({listed(n, "{i}")}) : "+r"(p)); }}\n'


@host
def cpp_without_asm(n):
    return "cu", lines(n, "int f{i}(int a) { return a + {i}; }")


@host
def cpp_strings(n):
    return "cu", lines(n, 'const char *s{i} = "text {i}";')


@host
def cpp_quotes(n):
    return "cu", '"' * n + '\nasm("mov.u32 %0, %0;");\n'


@host
def cpp_raw_strings(n):
    return "cu", 'asm("");\n' + 'R"(' * n + "\n"


@host
def cpp_raw_strings_with_delimiters(n):
    return "cu", 'asm("");\n' + lines(n, 'R"d{i}(')


@host
def cpp_braces(n):
    return "cu", 'void k(int p) ' + "{" * n + ' asm("mov.u32 %0, %0;" : "+r"(p)); ' + "}" * n + "\n"


@host
def cpp_parentheses(n):
    return "cu", "asm" + "(" * n + "\n"


@host
def cpp_asm_words(n):
    return "cu", "asm " * n + "\n"


@host
def cpp_asm_that_is_not_closed(n):
    return "cu", lines(n, 'asm("mov.u32 %0, %0;"')


@host
def cpp_comments(n):
    return "cu", 'asm("");\n' + "/*" * n + "\n"


@host
def cpp_templates(n):
    return "cu", 'asm("");\n' + "A<" * n + "\n"


@host
def cpp_branches_at_runtime(n):
    return "cu", "__global__ void k(int p) {\n" + lines(n, 'NV_IF_TARGET(NV_PROVIDES_SM_90, (asm("mov.u32 %0, %0;" : "+r"(p));))') + "}\n"


@host
def cpp_pasted_tokens(n):
    return "cu", f'#define M(x) "mov.u32 %0, %0;" {" ".join("#x" for _ in range(n))}\n__global__ void k(int p) {{ asm(M(1) : "+r"(p)); }}\n'


@host
def cpp_variables(n):
    return "cu", "__global__ void k() {\n" + lines(n, "  int v{i};\n" + '  asm("mov.u32 %0, 1;" : "=r"(v{i}));') + "}\n"


@host
def cpp_continued_lines(n):
    return "cu", "#define M " + "\\\n" * n + ' "mov.u32 %0, %0;"\n__global__ void k(int p) { asm(M : "+r"(p)); }\n'


@host
def python_strings(n):
    return "py", "import torch\n" + lines(n, 'x = inline_asm_elementwise("add.s32 $0, $1, {i};", "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)')


@host
def python_joined_strings(n):
    return "py", "x = inline_asm_elementwise(\n" + lines(n, '"add.s32 $0, $1, {i};"') + ', "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)\n'


@host
def python_f_strings(n):
    return "py", lines(n, 'x = f"add.s32 {{a{i}}}, 1;"'.replace("{{", "{").replace("}}", "}"))


@host
def python_f_strings_nested(n):
    return "py", "x = " + 'f"{' * n + "\n"


@host
def python_modules(n):
    return "py", lines(n, 'x = """\n.version 8.5\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n"""')


@host
def python_quotes(n):
    return "py", "'" * n + "\n"


@host
def python_variables(n):
    return "py", "s0 = 'add.s32 $0, $1, 1;'\n" + "".join(f"s{i} = s{i - 1}\n" for i in range(1, n)) + f'x = inline_asm_elementwise(s{n - 1}, "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)\n'


@host
def python_variables_that_grow(n):
    return "py", "s = 'add.s32 $0, $1, 1;'\n" + lines(n, "s += 'add.s32 $0, $1, 1;'") + 'x = inline_asm_elementwise(s, "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)\n'


@host
def python_parentheses(n):
    return "py", "inline_asm_elementwise" + "(" * n + "\n"


@host
def rust_asm(n):
    return "rs", "fn k(mut a: u32) { unsafe {\n" + lines(n, 'asm!("add.s32 {0}, {0}, {i};", inout(reg32) a);') + "} }\n"


@host
def rust_operands(n):
    return "rs", f'fn k(a: u32) {{ unsafe {{ asm!("mov.u32 {{0}}, {{0}};", {listed(n, "in(reg32) a")}); }} }}\n'


@host
def rust_templates(n):
    return "rs", "fn k(mut a: u32) { unsafe { asm!(\n" + lines(n, '"add.s32 {0}, {0}, 1;",') + "inout(reg32) a); } }\n"


@host
def rust_comments(n):
    return "rs", 'asm!("mov.u32 a, b;");\n' + "/*" * n + "\n"


@host
def llvm_calls(n):
    return "ll", "define void @k(i32 %a) {\n" + lines(n, '%x{i} = call i32 asm "add.s32 $0, $1, {i};", "=r,r"(i32 %a)') + "ret void\n}\n"


@host
def llvm_operands(n):
    return "ll", f'define void @k(i32 %a) {{\ncall void asm "mov.u32 $0, $1;", "{",".join("r" for _ in range(n))}"({listed(n, "i32 %a")})\nret void\n}}\n'


@host
def julia_calls(n):
    return "jl", lines(n, 'f{i}(a) = @asmcall("add.s32 \\$0, \\$1, {i};", "=r,r", UInt32, Tuple{UInt32}, a)')
