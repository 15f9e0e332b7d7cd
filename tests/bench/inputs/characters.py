"""Comments, strings, brackets, characters."""

from .common import HEADER, PTX, kernel, lines, listed, ptx


@ptx
def comments(n):
    return kernel(lines(n, "// comment {i}"))


@ptx
def block_comments(n):
    return kernel(lines(n, "/* comment {i} */"))


@ptx
def block_comments_on_a_line(n):
    return kernel("/* */" * n + "\n")


@ptx
def block_comments_before_operands(n):
    return kernel("add.s32 " + "/* */ " * n + "%r1, %r2, %r3;\n")


@ptx
def comment_that_is_not_closed(n):
    return kernel(lines(n, "add.s32 %r1, %r2, %r3; // */ /*") + "/*\n")


@ptx
def beginnings_of_comments(n):
    return kernel("/*" * n + "\n")


@ptx
def slashes(n):
    return kernel("/ " * n + "\n")


@ptx
def launch_lines(n):
    return HEADER + lines(n, "//! launch: grid=1 block=32") + ".entry k() { ret; }\n"


@ptx
def launch_words(n):
    return HEADER + f"//! launch: {listed(n, 'x{i}=1', ' ')}\n.entry k() {{ ret; }}\n"


@ptx
def expectations(n):
    return HEADER + "//! launch: grid=1 block=32\n" + lines(n, "//! expect: out[{i}]=1") + ".entry k(.param .u64 out) { ret; }\n"


@ptx
def comments_above_a_kernel(n):
    return HEADER + lines(n, "// {i}") + ".entry k() { ret; }\n"


@ptx
def comments_between_kernels(n):
    return HEADER + lines(n, "// {i}\n.entry k{i}() { ret; }")


@ptx
def quotes(n):
    return kernel('"' * 4 * n + "\n")


@ptx
def quotes_on_lines(n):
    return kernel(lines(n, '"'))


@ptx
def quotes_of_the_module(n):
    return HEADER + '"' * n + "\n"


@ptx
def quotes_with_backslashes(n):
    return kernel('"\\' * n + "\n")


@ptx
def strings(n):
    return kernel('"a" ' * n + "\n")


@ptx
def strings_on_lines(n):
    return kernel(lines(n, '"a"'))


@ptx
def apostrophes(n):
    return kernel("'" * n + "\n")


@ptx
def question_marks(n):
    return kernel("?!~^" * n + "\n")


@ptx
def other_characters(n):
    return kernel("é€😀" * n + "\n")


@ptx
def other_characters_on_lines(n):
    return kernel(lines(n, "é€😀"))


@ptx
def other_characters_in_a_comment(n):
    return kernel("// " + "é€😀" * n + "\n")


@ptx
def nul_characters(n):
    return kernel("\0" * n + "\n")


@ptx
def control_characters(n):
    return kernel("\x01\x02" * n + "\n")


@ptx
def backslashes(n):
    return kernel("\\" * n + "\n")


@ptx
def backslashes_at_line_ends(n):
    return kernel(lines(n, "\\"))


@ptx
def blanks(n):
    return kernel(" " * n + "\n")


@ptx
def blank_lines(n):
    return kernel("\n" * n)


@ptx
def carriage_returns(n):
    return kernel("\r" * n)


@ptx
def crlf(n):
    return kernel(lines(n, "add.s32 %r1, %r2, %r3; // x")).replace("\n", "\r\n")


@ptx
def cr_alone(n):
    return kernel(lines(n, "add.s32 %r1, %r2, %r3;")).replace("\n", "\r")


@ptx
def tabs(n):
    return kernel("\t" * n + "add.s32 %r1, %r2, %r3;\n")


@ptx
def statements_on_a_line(n):
    return kernel("add.s32 %r1, %r2, %r3; " * n + "\n")


@ptx
def errors_on_a_line(n):
    return kernel("add.s32 %r1, %r2; " * n + "\n")


@ptx
def errors_on_a_line_of_other_characters(n):
    return kernel("/*é😀*/ add.s32 %r1, %r2; " * n + "\n")


@ptx
def words_on_a_line(n):
    return kernel("word " * n + "\n")


@ptx
def prose(n):
    return kernel(lines(n, "here somebody wrote text without any slashes, and more of it"))


@ptx
def prose_of_the_module(n):
    return HEADER + lines(n, "here somebody wrote text without any slashes, and more of it")


def bracket(opening):
    def text(n):
        return kernel(opening * n + "\n")

    return text


for word, opening in (("braces", "{"), ("parentheses", "("), ("square_brackets", "["), ("angle_brackets", "<"), ("braces_closing", "}"),
                      ("parentheses_closing", ")"), ("square_brackets_closing", "]"), ("pairs_of_braces", "{}"), ("pairs_of_parentheses", "()"),
                      ("commas", ","), ("colons", ":"), ("double_colons", "::"), ("at_signs", "@"), ("percent_signs", "%"), ("dollar_signs", "$"),
                      ("equal_signs", "="), ("plus_signs", "+"), ("minus_signs", "-"), ("bars", "|"), ("lone_points", ". "), ("underscores", "_ "),
                      ("numbers_alone", "1 ")):
    PTX[f"{word}_in_a_row"] = bracket(opening)


@ptx
def braces_that_close_too_early(n):
    return HEADER + lines(n, ".entry k{i}() { } ret; }")


@ptx
def bodies_that_are_not_closed(n):
    return HEADER + lines(n, ".entry k{i}() { ret;")


@ptx
def parameter_lists_that_are_not_closed(n):
    return HEADER + lines(n, ".entry k{i}( { ret; }")


@ptx
def headers_without_body(n):
    return HEADER + lines(n, ".entry k{i}()")


@ptx
def statements_of_the_module(n):
    return HEADER + lines(n, "add.s32 %r1, %r2, %r3;")


@ptx
def labels_of_the_module(n):
    return HEADER + lines(n, "L{i}:")


@ptx
def addresses_that_are_not_closed(n):
    return kernel(lines(n, "ld.global.b32 %r1, [%rd1;"))


@ptx
def vectors_that_are_not_closed(n):
    return kernel(lines(n, "ld.global.v2.b32 {%r1, %r2, [%rd1];"))


@ptx
def strings_that_are_not_closed(n):
    return kernel(lines(n, '.pragma "nounroll;'))


@ptx
def declarations_that_are_not_finished(n):
    return kernel("", declare=lines(n, ".reg .b32 %r<;"))


@ptx
def declarations_in_error_with_uses(n):
    return kernel(lines(n, "mov.u32 %r{i}_1, 1;"), declare=lines(n, ".reg .b32 %r{i}_<4;"))


@ptx
def labels_in_error_with_branches(n):
    return kernel(lines(n, "L{i};\n@%p1 bra L{i};"))


@ptx
def preprocessor_lines_and_errors(n):
    return kernel(lines(n, "#define X\nadd.s32 %r1, %r2"))


@ptx
def headers_in_error_with_bodies(n):
    return HEADER + lines(n, ".entry k{i}()\nret; }")


@ptx
def nothing(n):
    return " " * n


@ptx
def a_line_of_text(n):
    return "x" * n
