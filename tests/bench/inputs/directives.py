"""Directives."""

from .common import HEADER, kernel, lines, listed, ptx


@ptx
def pragmas_in_a_body(n):
    return kernel(lines(n, '.pragma "nounroll";'))


@ptx
def pragmas_at_labels(n):
    return kernel(lines(n, 'L{i}:\n.pragma "nounroll";\n@%p1 bra L{i};'))


@ptx
def pragmas_of_the_module(n):
    return HEADER + lines(n, '.pragma "nounroll";')


@ptx
def pragmas_of_a_function(n):
    return f'{HEADER}.entry k() {{\n' + lines(n, '.pragma "unknown {i}";') + "ret; }\n"


@ptx
def strings_of_a_pragma(n):
    text = '"nounroll"'
    return kernel(f".pragma {listed(n, text)};\n")


@ptx
def places(n):
    return kernel(lines(n, ".loc 1 {i} 1\nadd.s32 %r1, %r2, %r3;"), before='.file 1 "a.cu"\n')


@ptx
def places_of_missing_files(n):
    return kernel(lines(n, ".loc {i} 1 1\nadd.s32 %r1, %r2, %r3;"))


@ptx
def places_of_many_files(n):
    return kernel(lines(n, ".loc {i} 1 1\nadd.s32 %r1, %r2, %r3;"), before=lines(n, '.file {i} "a{i}.cu"'))


@ptx
def places_inlined(n):
    return kernel(
        lines(n, ".loc 1 {i} 1, function_name $L0, inlined_at 1 {p} 1\nadd.s32 %r1, %r2, %r3;"),
        before='.file 1 "a.cu"\n.section .debug_str { $L0: .b8 102, 0 }\n',
    )


@ptx
def files(n):
    return HEADER + lines(n, '.file {i} "a{i}.cu"')


@ptx
def files_of_one_number(n):
    return HEADER + lines(n, '.file 1 "a{i}.cu"')


@ptx
def sections(n):
    return HEADER + lines(n, ".section .debug_{i} {{ .b8 1 }}".replace("{{", "{").replace("}}", "}"))


@ptx
def bytes_of_a_section(n):
    return f"{HEADER}.section .debug_str {{\n" + lines(n, ".b8 1,2,3") + "}\n"


@ptx
def bytes_on_a_line_of_a_section(n):
    return f"{HEADER}.section .debug_str {{\n.b8 {listed(n, '1', ',')}\n}}\n"


@ptx
def labels_of_a_section(n):
    return f"{HEADER}.section .debug_str {{\n" + lines(n, "L{i}: .b8 1") + "}\n.section .debug_info {\n" + lines(n, ".b32 L{i}") + "}\n"


@ptx
def unknown_directives(n):
    return HEADER + lines(n, ".foo{i} 1;")


@ptx
def unknown_directives_in_a_body(n):
    return kernel(lines(n, ".foo{i} 1;"))


@ptx
def preprocessor_lines(n):
    return kernel(lines(n, "# {i}"))


@ptx
def preprocessor_directives(n):
    return kernel(lines(n, "#define X{i} 1"))


@ptx
def preprocessor_lines_of_the_module(n):
    return HEADER + lines(n, "#line {i}")


@ptx
def number_signs(n):
    return kernel("#" * n + "\n")
