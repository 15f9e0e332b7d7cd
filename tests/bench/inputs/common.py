"""What the inputs are made of, and the tables of them: `PTX` are modules, `HOST` texts of other languages with their file extension."""

# What a module begins with.
HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"
PTX, HOST = {}, {}


def ptx(function):
    PTX[function.__name__] = function
    return function


def host(function):
    HOST[function.__name__] = function
    return function


def lines(n, line):
    """Repeats a line; `{i}` is its number, `{p}` the number before, `{b}` the number counted from the end."""
    return "".join(line.replace("{i}", str(i)).replace("{p}", str(max(i - 1, 0))).replace("{b}", str(n - 1 - i)) + "\n" for i in range(n))


def kernel(body, parameters="", before="", declare=".reg .b32 %r<10>; .reg .pred %p<4>; .reg .b64 %rd<10>; .reg .f32 %f<10>;"):
    return f"{HEADER}{before}.visible .entry k({parameters})\n{{\n{declare}\n{body}ret;\n}}\n"


def listed(n, item, between=", "):
    return between.join(item.replace("{i}", str(i)) for i in range(n))
