"""Generators of whole modules for dimensions.py: each returns the text of one module, legal or slightly wrong.

What BUILT names is judged by code generation, everything else by the parser.
"""
import re

VERSION = "9.5"
TARGETS = ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]
REGISTERS = (".reg .pred %p<4>; .reg .b8 %c<4>; .reg .b16 %h<12>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<12>; .reg .f64 %d<6>; .reg .b128 %q<4>; "
             ".reg .u16 %uh<4>; .reg .s16 %sh<4>; .reg .u32 %u<4>; .reg .s32 %s<4>; .reg .u64 %ud<4>; .reg .s64 %sd<4>; .reg .f16 %hf<4>; .reg .f16x2 %hx<4>;")
VARIABLES = ".global .align 16 .b8 gl[256]; .const .align 16 .b8 cn[64]; .shared .align 16 .b8 sm[256];"
OF_SIZE = {8: ["%c1"], 16: ["%h1", "%uh1", "%sh1", "%hf1"], 32: ["%r1", "%u1", "%s1", "%f1", "%hx1"], 64: ["%rd1", "%ud1", "%sd1", "%d1"], 128: ["%q1"]}
SCALARS = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64", "f16", "f16x2", "bf16", "b128", "pred"]
SPACES = ["", "", ".global", ".global", ".shared", ".const", ".local", ".param", ".shared::cta", ".shared::cluster", ".param::entry", ".param::func"]


def size_of(name):
    """Returns the bits of a type."""
    return {"f16x2": 32, "bf16x2": 32, "pred": 1}.get(name) or int(re.search(r"\d+", name)[0])


def register(r, name):
    """A register for a type; seldom one of another size."""
    size = size_of(name) if r.random() < 0.93 else r.choice([8, 16, 32, 64])
    return r.choice(OF_SIZE[size]) if size in OF_SIZE else "%p1"


def module(body, target="sm_100a", before="", version=VERSION, size="64", parameters=".param .u64 p, .param .align 16 .b8 q[64]"):
    """A module with one kernel."""
    head = f".version {version}\n.target {target}\n" + (f".address_size {size}\n" if size else "")
    return f"{head}{VARIABLES} {before}\n.visible .entry k({parameters}) {{\n{REGISTERS} .local .align 16 .b8 lm[64];\n{body}\nret;\n}}\n"


def place(r):
    """An address in brackets."""
    base = r.choice(["%rd1", "%rd1", "%rd1", "%r1", "%ud1", "%h1", "gl", "sm", "cn", "lm", "p", "q", "%f1", "0", "64", "%d1", "%sd1"])
    return f"[{base}{r.choice(['', '', '', '+4', '+16', '+-8', '+0x10'])}]"


def widths(r):
    """Address registers of every size, in every state space, in everything that reaches memory."""
    space, to = r.choice(SPACES), place(r)
    return module(r.choice([
        f"ld{space}.b32 %r2, {to};", f"st{space}.b32 {to}, %r2;", f"ld.volatile{space}.u64 %rd2, {to};", f"atom{space}.add.u32 %r2, {to}, %r3;",
        f"red{space}.or.b32 {to}, %r3;", f"ld{space}.nc.f32 %f2, {to};", f"ldu{space}.b32 %r2, {to};", f"prefetch{space}.L1 {to};", f"prefetchu.L1 {to};",
        f"isspacep{space or '.global'} %p1, %rd1;", f"cvta{space or '.global'}.u64 %rd2, {to[1:-1]};", f"cvta.to{space or '.shared'}.u64 %rd2, %rd1;",
        f"mbarrier.init{space}.b64 {to}, 4;", f"mbarrier.arrive{space}.b64 %rd2, {to};", f"mbarrier.test_wait{space}.b64 %p1, {to}, %rd2;", f"mbarrier.inval{space}.b64 {to};",
        f"cp.async.ca.shared.global {to}, {place(r)}, 16;", f"cp.async.cg.shared.global {to}, {place(r)}, {r.choice([4, 8, 16])};",
        f"applypriority.global.L2::evict_normal {to}, 128;", f"discard.global.L2 {to}, 128;", f"ldmatrix.sync.aligned.m8n8.x1{space or '.shared'}.b16 {{%r2}}, {to};",
        f"ld.relaxed.gpu{space}.b32 %r2, {to};", f"st.release.sys{space}.b32 {to}, %r2;", f"ld.acquire.cta{space}.b64 %rd2, {to};",
        f"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 {to}, %r2, {place(r)};", f"mapa{space or '.shared::cluster'}.u64 %rd2, %rd1, 0;",
        f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {to}, {place(r)}, 16, {place(r)};", f"stmatrix.sync.aligned.m8n8.x1.shared.b16 {to}, {{%r2}};",
        f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 {to}, {place(r)}, 16;", f"getctarank.shared::cluster.u32 %r2, %r1;",
    ]), r.choice(["sm_90", "sm_100a", "sm_120a"]))


def vectors(r):
    """Loads and stores of vectors: lengths, types, registers, holes."""
    name, count = r.choice(SCALARS), r.choice([1, 2, 2, 4, 4, 8, 3])
    elements = [register(r, name).replace("1", str(i % 4)) for i in range(count if r.random() < 0.93 else r.choice([1, 2, 4, 8]))]
    if r.random() < 0.1:
        elements[r.randrange(len(elements))] = r.choice(["_", "1", "%tid.x", "WARP_SZ"])
    space = r.choice(SPACES[:6])
    words = r.choice(["", "", ".volatile", ".relaxed.gpu", ".weak"]) if space != ".const" else ""
    length, to = f".v{count}" if r.random() < 0.93 else "", f"[%rd1{r.choice(['', '+16', '+2'])}]"
    cache = r.choice(["", "", "", ".ca", ".L1::no_allocate", ".L2::128B"]) if not words else ""
    text = r.choice([f"ld{words}{space}{cache}{length}.{name} {{{', '.join(elements)}}}, {to};", f"st{words}{space}{length}.{name} {to}, {{{', '.join(elements)}}};"])
    return module(text, r.choice(TARGETS))


def guards(r):
    """Guards before everything that may follow one."""
    guard = r.choice(["@%p1"] * 12 + ["@!%p1"] * 6 + [ "@ %p1", "@! %p1", "@%r1", "@!%h1", "@%p9", "@p", "@%tid.x", "@1", "@!!%p1", "@-%p1", "@%p1 @%p2", "@(%p1)", "@{%p1}", "@%pt", "@%P1"])
    after = r.choice(["mov.u32 %r1, 1;", "bra L;", "ret;", "{ mov.u32 %r1, 1; }", ".reg .b32 %z;", ";", "L2:", "L2: ret;", "exit;", "bar.sync 0;", "trap;", ".pragma \"nounroll\";", ".loc 1 1 1",
                      "call f;", "call (%r1), g, (%r2);", "setp.eq.b32 %p2, %r1, 0;", "brx.idx %r1, T;", "membar.gl;", "bar.warp.sync -1;", "shfl.sync.idx.b32 %r1|%p2, %r2, 0, 31, -1;", "", "T2: .branchtargets L;"])
    return module(f'{r.choice(["", "", "", "L3: ", "{ "])}{guard} {after}{r.choice(["", "", "", "", "", " }"])}\nT: .branchtargets L;\nL:', before='.file 1 "a.cu" .func f() { ret; } .func (.reg .b32 a) g(.reg .b32 b) { mov.b32 a, b; ret; }')


CONSTANTS = ["0", "1", "-1", "255", "256", "65535", "65536", "0x7fffffff", "0x80000000", "0xffffffff", "4294967296", "-2147483649", "0xffffffffffffffff", "1.0", "-1.5", "1e10", "0f3f800000", "-0f3f800000",
             "0d3ff0000000000000", "1U", "0b11", "017", "'a'", "WARP_SZ", "-WARP_SZ", "1+1", "(3)", "~0", "!0", "!%p1", "-%r1", "~%r1", "gl", "sm", "k", "%tid.x", "%clock64", "%laneid", "_", "{%r1}", "%r1", "%rd1", "%f1", "%d1", "%p1", "%h1", "%h1.x", "%r1.x", "", "gl+4"]
INSTRUCTIONS = """add.s32 D32 A32 A32|add.sat.s32 D32 A32 A32|add.u64 D64 A64 A64|add.f32 DF AF AF|add.rn.f64 DD AD AD|add.f16 D16 A16 A16|mul.lo.u32 D32 A32 A32|mul.wide.u16 D32 A16 A16|mul.hi.s64 D64 A64 A64|mad.lo.s32 D32 A32 A32 A32
fma.rn.f32 DF AF AF AF|div.s32 D32 A32 A32|rem.u32 D32 A32 A32|shl.b32 D32 A32 A32|shr.s64 D64 A64 A32|and.b32 D32 A32 A32|or.pred DP AP AP|xor.b16 D16 A16 A16|not.b32 D32 A32|cnot.b32 D32 A32|lop3.b32 D32 A32 A32 A32 I
setp.lt.s32 DP A32 A32|setp.eq.f32 DP AF AF|setp.eq.and.b32 DP A32 A32 AP|set.gt.u32.f32 D32 AF AF|selp.b32 D32 A32 A32 AP|selp.f64 DD AD AD AP|slct.u32.s32 D32 A32 A32 A32|mov.b32 D32 A32|mov.f32 DF AF|mov.pred DP AP|mov.u64 D64 A64|mov.b16 D16 A16
min.f32 DF AF AF|max.u32 D32 A32 A32|abs.s32 D32 A32|neg.f32 DF AF|sqrt.rn.f32 DF AF|rcp.approx.f32 DF AF|ex2.approx.f32 DF AF|popc.b32 D32 A32|clz.b64 D32 A64|bfind.u32 D32 A32|brev.b32 D32 A32|bfe.u32 D32 A32 A32 A32|bfi.b32 D32 A32 A32 A32 A32
prmt.b32 D32 A32 A32 A32|shf.l.wrap.b32 D32 A32 A32 A32|dp4a.u32.u32 D32 A32 A32 A32|sad.u32 D32 A32 A32 A32|mul24.lo.u32 D32 A32 A32|addc.u32 D32 A32 A32|add.cc.u32 D32 A32 A32|cvt.u32.f32 D32 AF|cvt.rn.f32.s32 DF A32|cvt.u64.u32 D64 A32|cvt.rn.f16.f32 D16 AF
testp.finite.f32 DP AF|copysign.f32 DF AF AF|bar.sync A32|bar.sync A32 A32|barrier.arrive A32 A32|bar.red.popc.u32 D32 A32 AP|vote.sync.any.pred DP AP A32|vote.sync.ballot.b32 D32 AP A32|shfl.sync.up.b32 D32 A32 A32 A32 A32|match.any.sync.b32 D32 A32 A32
redux.sync.add.u32 D32 A32 A32|activemask.b32 D32|elect.sync D32 A32|nanosleep.u32 A32|bmsk.clamp.b32 D32 A32 A32|szext.wrap.u32 D32 A32 A32|fns.b32 D32 A32 A32 A32|isspacep.global DP A64|pmevent I|bar.warp.sync A32|st.global.b32 M A32|st.global.v2.b32 M V|atom.global.add.u32 D32 M A32
atom.global.cas.b32 D32 M A32 A32|red.global.add.f32 M AF|ld.global.b32 D32 M|ld.global.b32 D32 M A64|createpolicy.fractional.L2::evict_last.b64 D64 AF|cp.async.wait_group I|setmaxnreg.inc.sync.aligned.u32 I|griddepcontrol.wait|brkpt|trap|dp2a.lo.s32.s32 D32 A32 A32 A32"""
OPERANDS = {"D32": "%r1", "D64": "%rd1", "DF": "%f1", "DD": "%d1", "D16": "%h1", "DP": "%p1", "A32": "%r2", "A64": "%rd2", "AF": "%f2", "AD": "%d2", "A16": "%h2", "AP": "%p2", "I": "3", "M": "[%rd3]", "V": "{%r4, %r5}"}


def operands(r):
    """Usual instructions with another operand in one place, one missing, or one too many."""
    opcode, *kinds = r.choice(INSTRUCTIONS.replace("\n", "|").split("|")).split()
    words = [OPERANDS[kind] for kind in kinds]
    if words and r.random() < 0.85:
        words[r.randrange(len(words))] = r.choice(CONSTANTS)
    elif r.random() < 0.5:
        words.insert(r.randint(0, len(words)), r.choice(CONSTANTS))
    elif words:
        words.pop(r.randrange(len(words)))
    return module(f"{opcode} {', '.join(words)};", r.choice(["sm_90a", "sm_100a"]))


def scopes(r):
    """Declarations, labels and blocks in any order, used from inside and outside."""
    parts, depth = [r.choice([".reg .b32 a, b;", ".reg .b32 a; .reg .b32 b;", ".reg .b32 a;", "{ .reg .b32 a, b;", ""]), r.choice(["L:", "L: M:", ""])], 0
    depth += parts[0].startswith("{")
    for _ in range(r.randint(1, 6)):
        name = r.choice(["a", "a", "b", "%x", "gl", "k", "p", "L"])
        part = r.choice([f".reg .b32 {name};", f".reg .b32 {name};", f".reg .b64 {name}, c;", f"mov.b32 {name}, 1;", f"mov.b32 %r1, {name};", f"{r.choice('LMN')}:", f"bra {r.choice('LLMN')};", f"bra {name};", "{", "{", "}", "}", f"mov.b32 {name}, {name};", f".shared .b32 {name};", f"mov.u64 %rd1, {name};",
                         f".reg .b32 {name}<3>;", f"mov.b32 {name}{r.randint(0, 3)}, 1;", f"ld.shared.b32 %r1, [{name}];", f".param .b32 {name};", f"st.param.b32 [{name}], 1;", f".reg .pred {name};", f"@{name} ret;", f"{name}: .branchtargets L, M;", f"brx.idx %r1, {name};"])
        if part == "}" and not depth:
            continue
        depth += (part == "{") - (part == "}")
        parts.append(part)
    return module("\n".join(parts + ["}"] * depth))


def linkage(r):
    """Functions and variables declared and defined, several times, with differing signatures."""
    signature = lambda: r.choice(["()", "()", "()", "()", "(.param .b32 a)", "(.param .b32 a)", "(.param .b64 a)", "(.param .b32 z)", "(.reg .b32 a)", "(.param .b32 a, .param .b32 b)", "(.param .align 8 .b8 a[8])", "(.param .align 4 .b8 a[8])", ""])
    word = lambda: r.choice(["", "", "", ".visible ", ".visible ", ".extern ", ".weak ", ".weak ", ".common "])
    result = lambda: r.choice(["", "", "", "", "(.param .b32 r) ", "(.reg .b32 r) ", "(.param .b64 r) "])
    one = lambda: r.choice([
        f"{word()}.func {result()}{r.choice('fg')}{signature()}{r.choice([';', ' { ret; }', ' .noreturn;', ' .noreturn { ret; }', ' .abi_preserve 4;'])}",
        f"{word()}.entry {r.choice(['f', 'e'])}{signature()}{r.choice([';', ' { ret; }', ' { ret; }'])}",
        f"{word()}{r.choice(['.global', '.const', '.shared'])} {r.choice(['', '', '.align 16 '])}{r.choice(['.b32', '.b64', '.f32', '.v2 .b32'])} {r.choice('xy')}{r.choice(['', '', '[4]', '[]', '[2][2]'])}{r.choice(['', '', '', ' = 1', ' = {1}', ' = {1, 2}'])};",
    ])
    uses = r.choice(["", "", "mov.u64 %rd1, x;", "ld.global.b32 %r1, [x];", "call f;", "call (%r1), f, (%r2);", "mov.u64 %rd1, f;", "call g;"])
    before = "\n".join([one() for _ in range(r.choice([1, 1, 2, 2, 3]))] + ([r.choice([".alias f, g;", ".alias g, f;"])] if r.random() < 0.15 else []))
    return module(uses, before=before)


def indirect(r):
    """Calls through registers and branches through tables."""
    prototype = f"P: .callprototype {r.choice(['', '(.param .b32 _) ', '(.param .b32 _) ', '(.reg .b32 _) ', '(.param .b32 x) '])}_ {r.choice(['', '()', '(.param .b32 _)', '(.param .b32 _)', '(.param .b32 _)', '(.param .b64 _)', '(.reg .b32 _)', '(.param .b32 _, .param .b32 _)'])}{r.choice([''] * 6 + [' .noreturn', ' .abi_preserve 3'])};"
    table = f"T: .branchtargets {r.choice(['L', 'L, M', 'L, M', 'L, L', 'L', 'N', 'k', '', 'L M'])};"
    targets = f"C: .calltargets {r.choice(['f', 'f', 'f, f', 'g', 'g', 'f, g', 'k', 'nowhere', ''])};"
    words = r.choice(["", "", ".uni"])
    use = r.choice([
        f"call{words} {r.choice(['', '(y), ', '(%r1), '])}%rd1, {r.choice(['', '(x), ', '(%r2), ', '(x, x), ', '(1), '])}{r.choice(['P'] * 8 + ['C', 'C', 'Q', 'T'])};",
        f"call{words} {r.choice(['(y), ', ''])}{r.choice(['f', 'g', 'h', '%rd1', '%r1', 'gl', 'k', 'nowhere'])}{r.choice([', (x)', ', (%r2)', '', ', (x), P', ', ()'])};",
        f"brx.idx{words} {r.choice(['%r1'] * 6 + ['%rd1', '%h1', '0'])}, {r.choice(['T'] * 6 + ['L', 'C', 'nowhere'])};",
    ])
    declared = [part for part in (prototype, table, targets) if r.random() < 0.5 or part[0] + ';' in use or f' {part[0]};' in use]
    r.shuffle(declared)
    order = declared + [use] if r.random() < 0.85 else [use] + declared
    functions = ".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 1; ret; }\n.func g() { ret; }\n.func (.reg .b32 r) h(.reg .b32 a) { mov.b32 r, a; ret; }"
    stores = r.choice(["mov.u64 %rd1, f;\nst.param.b32 [x], 1;\n", "mov.u64 %rd1, f;\n", ""])
    return module(f".param .b32 x; .param .b32 y;\nL:\n{stores}" + "\n".join(order) + "\nM:", before=functions)


def limits(r):
    """Sizes of variables and parameters near what fits."""
    size = r.choice([1024, 4096, 4352, 16384, 32764, 32768, 49151, 49152, 49153, 65535, 65536, 65537, 101376, 102400, 166912, 167936, 232448, 232449, 524287, 524288, 1 << 20, 1 << 24, 1 << 31]) + r.choice([0, 0, 0, -1, 1, 4])
    other = r.choice([1, 4, 100, 16384, 32768])
    use = r.choice([True, True, False])
    kind = r.choice(["shared", "shared", "const", "local", "param", "global", "two", "function", "reg", "align"])
    target = r.choice(TARGETS)
    body, before, parameters = "", "", ".param .u64 p"
    if kind == "shared":
        body = f".shared .b8 x[{size}];" + (" mov.u32 %r1, x; st.shared.b32 [x], %r1;" if use else "")
    elif kind == "const":
        before = f".const .b8 x[{size}];"
        body = "ld.const.b8 %r1, [x]; st.global.b32 [gl], %r1;" if use else ""
    elif kind == "local":
        body = f".local .b8 x[{size}];" + (" st.local.b32 [x], %r1; st.global.b32 [gl], %r1;" if use else "")
    elif kind == "param":
        parameters = f".param .b8 x[{size}]" + (", .param .b32 y" if use else "")
    elif kind == "global":
        before = f".global .b8 x[{size}];"
    elif kind == "two":
        before = f".shared .b8 x[{size}]; .shared .b8 y[{other}];"
        body = r.choice(["st.shared.b32 [x], 1;", "st.shared.b32 [x], 1; st.shared.b32 [y], 1;", ""])
    elif kind == "function":
        before = f".func f(.param .b8 x[{size}]) {{ ret; }}"
    elif kind == "reg":
        body = f".reg .b32 %z<{size}>; mov.b32 %z{min(size - 1, 3)}, 1;"
    else:
        before = f".{r.choice(['global', 'shared', 'const'])} .align {1 << r.randint(0, 17)} .b8 x[4];"
    return module(body, target, before, parameters=parameters)


def groups(r):
    """Instructions of one and of two CTAs in one kernel, directly and through calls."""
    group = lambda: r.choice("12")
    one = lambda: r.choice([f"tcgen05.alloc.cta_group::{group()}.sync.aligned.shared::cta.b32 [sm], 32;", f"tcgen05.relinquish_alloc_permit.cta_group::{group()}.sync.aligned;", f"tcgen05.commit.cta_group::{group()}.mbarrier::arrive::one.b64 [%rd1];",
                            f"tcgen05.dealloc.cta_group::{group()}.sync.aligned.b32 %r1, 32;", f"tcgen05.shift.cta_group::{group()}.down [%r1];", "tcgen05.wait::ld.sync.aligned;", f"tcgen05.cp.cta_group::{group()}.128x256b [%r1], %rd1;",
                            f"tcgen05.mma.cta_group::{group()}.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;", "call f;", "call g;", "mov.b32 %r1, 1;"])
    inner = lambda: r.choice(["", "", f"tcgen05.relinquish_alloc_permit.cta_group::{group()}.sync.aligned;", "call g;"])
    functions = f".func g() {{ {r.choice(['', f'tcgen05.relinquish_alloc_permit.cta_group::{group()}.sync.aligned;'])} ret; }}\n.func f() {{ {inner()} ret; }}"
    return module("\n".join(one() for _ in range(r.randint(1, 4))), r.choice(["sm_100a", "sm_100a", "sm_103a", "sm_100f"]), functions)


def textures(r):
    """Coordinates, results and geometries of textures and surfaces."""
    geometry = r.choice(["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"])
    kind, at = r.choice(["f32", "s32", "u32"]), r.choice(["f32", "s32", "f32"])
    element = "%f" if kind == "f32" and r.random() < 0.9 else "%r"
    result = r.choice([f"{{{element}0, {element}1, {element}2, {element}3}}", f"{{{element}0, {element}1, {element}2, {element}3}}", f"{{{element}0, {element}1}}", f"{element}0", f"{{_, {element}1, _, _}}"])
    coordinate = "%f" if at == "f32" else "%r"
    count = r.choice([1, 2, 3, 4, {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}[geometry]] + [{"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}[geometry]] * 4)
    listed = [f"{coordinate}{4 + i}" for i in range(count)]
    if geometry.startswith("a") or geometry == "2dms":
        listed[0] = "%r4" if r.random() < 0.9 else listed[0]
    where = "{" + ", ".join(listed) + "}" if count > 1 or r.random() < 0.4 else listed[0]
    name = r.choice(["tx", "tx", "tx", "su", "gl", "%rd1"])
    level = r.choice(["", "", ".level", ".base", ".grad"])
    last = {"": "", ".level": f", {r.choice(['%f1', '%r1', '0', '0f00000000'])}", ".base": "", ".grad": ", {%f0, %f1}, {%f2, %f3}"}[level]
    text = r.choice([
        f"tex{level}.{geometry}.v4.{kind}.{at} {result}, [{name}, {where}]{last};", f"tex{level}.{geometry}.v4.{kind}.{at} {result}, [{name}, {where}]{last}{r.choice(['', ', {%r8, %r9}', ', %f9'])};",
        f"tld4.{r.choice('rgba')}.{geometry}.v4.{kind}.f32 {result}, [{name}, {where}];", f"suld.b.{geometry}{r.choice(['', '.v2', '.v4'])}.b32.{r.choice(['trap', 'clamp', 'zero'])} {result.replace('%f', '%r')}, [{r.choice(['su', 'su', 'tx'])}, {where.replace('%f', '%r')}];",
        f"sust.b.{geometry}{r.choice(['', '.v2', '.v4'])}.b32.{r.choice(['trap', 'clamp', 'zero'])} [{r.choice(['su', 'su', 'tx'])}, {where.replace('%f', '%r')}], {result.replace('%f', '%r').replace('_', '%r1')};",
        f"sured.b.add.{geometry}.u32.trap [su, {where.replace('%f', '%r')}], %r1;", f"txq.{r.choice(['width', 'height', 'depth', 'num_samples', 'array_size', 'filter_mode', 'level.width'])}.b32 %r1, [{name}]{r.choice(['', '', ', 0'])};",
        f"suq.{r.choice(['width', 'height', 'depth', 'array_size', 'channel_order'])}.b32 %r1, [{r.choice(['su', 'tx', '%rd1'])}];", f"istypep.{r.choice(['texref', 'surfref', 'samplerref'])} %p1, {r.choice(['tx', 'su', '%rd1', 'gl', '[tx]'])};",
    ])
    return module(text, r.choice(["sm_75", "sm_90", "sm_100a"]), ".global .texref tx; .global .surfref su;")


ATOMIC = {"add": ["u32", "s32", "u64", "f32", "f64", "add"], "and": ["b32", "b64"], "or": ["b32", "b64"], "xor": ["b32", "b64"], "exch": ["b32", "b64", "b128"], "cas": ["b32", "b64", "b16", "b128"], "min": ["u32", "s32", "u64", "s64"],
          "max": ["u32", "s32", "u64", "s64"], "inc": ["u32"], "dec": ["u32"], "add.noftz": ["f16", "f16x2", "bf16", "bf16x2"]}


def atomics(r):
    """Operations, types, scopes and operands of atom and red."""
    operation = r.choice(list(ATOMIC) + ["add"])
    name = r.choice(ATOMIC[operation]).replace("add", "u32")
    if r.random() < 0.15:
        name, operation = r.choice(SCALARS), r.choice(list(ATOMIC) + ["sub", "min.noftz"])
    words = r.choice(["", "", "", ".relaxed", ".acquire.gpu", ".acq_rel.gpu", ".release.cta", ".gpu", ".sys", ".relaxed.cluster", ".seq_cst", ".acquire"])
    space = r.choice(["", ".global", ".global", ".shared", ".shared::cluster", ".local"])
    length = r.choice([".v2", ".v4", ".v8"]) if r.random() < (0.3 if name in ("f32", "f16", "f16x2", "bf16", "bf16x2") else 0.03) else ""
    value = lambda: register(r, name) if not length else "{" + ", ".join([register(r, name)] * int(length[2])) + "}"
    count = (2 if operation == "cas" else 1) if r.random() < 0.9 else r.choice([1, 2, 0])
    values = "".join(", " + value() for _ in range(count))
    to = r.choice(["%rd9"] * 8 + ["%rd9+8", "gl", "sm", "%r9"])
    if r.random() < 0.65:
        return module(f"atom{words}{space}.{operation}{length}.{name} {r.choice([value()] * 5 + ['_'])}, [{to}]{values};", r.choice(TARGETS))
    return module(f"red{words}{space}.{operation}{length}.{name} [{to}]{values};", r.choice(TARGETS))


INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f16", "f32", "f64", "bf16"]
# Opcodes with their number of sources, their types and what usually stands between the two.
ARITHMETIC = [("add", 2, FLOATS, [".rn", "", ".ftz", ".rn.sat", ".rz"]), ("sub", 2, INTEGERS[2:], ["", ""]), ("mul", 2, FLOATS, [".rn", "", ".ftz"]), ("fma", 3, FLOATS, [".rn", ".rn", ".rn.relu", ".rn.ftz", ".rz"]), ("div", 2, ["f32", "f64"], [".rn", ".approx", ".full"]),
              ("div", 2, INTEGERS[2:], [""]), ("min", 2, FLOATS + INTEGERS[2:], ["", ".NaN", ".ftz", ".xorsign.abs"]), ("max", 2, FLOATS, ["", ".NaN", ".NaN.xorsign.abs"]), ("abs", 1, FLOATS + ["s16", "s32", "s64"], ["", ".ftz"]), ("neg", 1, FLOATS + ["s32"], [""]),
              ("rcp", 1, ["f32", "f64"], [".rn", ".approx", ".approx.ftz"]), ("sqrt", 1, ["f32", "f64"], [".rn", ".approx"]), ("rsqrt", 1, ["f32", "f64"], [".approx", ".approx.ftz"]), ("sin", 1, ["f32"], [".approx"]), ("ex2", 1, FLOATS, [".approx", ".ftz", ".approx.ftz"]),
              ("tanh", 1, FLOATS, [".approx"]), ("mad.lo", 3, INTEGERS[2:], ["", ".cc", ".sat"]), ("mul.hi", 2, INTEGERS[2:], [""]), ("rem", 2, INTEGERS[2:], [""]), ("sad", 3, INTEGERS[2:], [""]), ("add.cc", 2, INTEGERS[4:], [""]), ("addc", 2, INTEGERS[4:], ["", ".cc"]), ("popc", 1, ["b32", "b64"], [""])]


def conversions(r):
    """Types and modifiers of cvt and of arithmetic."""
    bits = lambda name: {"tf32": 32, "e4m3x2": 16, "e5m2x2": 16}.get(name) or size_of(name)
    pick = lambda name: r.choice(OF_SIZE.get(bits(name) if r.random() < 0.97 else r.choice([16, 32, 64]), ["%p1"]))
    odd = r.random() < 0.2
    if r.random() < 0.5:
        to, of = r.choice(INTEGERS + FLOATS + (["f16x2", "bf16x2", "tf32", "e4m3x2", "b32"] if odd else [])), r.choice(INTEGERS + FLOATS + (["f16x2", "b32"] if odd else ["f32", "f32"]))
        is_float = lambda name: name not in INTEGERS
        usual = {(True, True): [".rn", "", ".rz"], (True, False): [".rn", ".rz", ".rm"], (False, True): [".rni", ".rzi", ".rmi"], (False, False): [""]}[is_float(to), is_float(of)]
        words = r.choice([".rn", ".rz", ".rni", ".rzi", ".rna", ".rs", ""] if odd else usual) + r.choice(["", "", "", ".ftz"]) + r.choice(["", "", "", ".sat", ".relu" if odd else "", ".satfinite" if odd else ""])
        return module(f"cvt{words}.{to}.{of} {pick(to)}, {pick(of)}{', ' + pick(of) if 'x2' in to and 'x2' not in of else ''};", r.choice(TARGETS))
    opcode, count, types, words = r.choice(ARITHMETIC)
    name = r.choice(SCALARS) if odd else r.choice(types)
    middle = r.choice([".rn", ".approx", ".sat", ".ftz", ".NaN", ".cc", ".relu"]) if r.random() < 0.1 else r.choice(words)
    return module(f"{opcode}{middle}.{name} {', '.join(pick(name) for _ in range(count + 1))};", r.choice(TARGETS))


STATEMENTS = """mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};|cp.async.ca.shared.global [%r1], [%rd1], 16;|redux.sync.add.u32 %r1, %r2, -1;|mbarrier.init.shared.b64 [%r1], 1;|elect.sync _|%p1, -1;
setmaxnreg.inc.sync.aligned.u32 64;|fence.proxy.async;|cluster_arrive;|barrier.cluster.arrive;|ld.global.L1::evict_last.b32 %r1, [%rd1];|mov.b128 %q1, {%rd1, %rd2};|ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];|tcgen05.wait::ld.sync.aligned;|wgmma.fence.sync.aligned;
griddepcontrol.wait;|cvt.rn.bf16.f32 %h1, %f1;|add.f16 %h1, %h2, %h3;|add.bf16 %h1, %h2, %h3;|fma.rn.f32x2 %rd1, %rd2, %rd3, %rd4;|tanh.approx.f32 %f1, %f2;|ex2.approx.f16 %h1, %h2;|dp4a.u32.u32 %r1, %r2, %r3, %r4;|vote.sync.any.pred %p1, %p2, -1;|match.any.sync.b32 %r1, %r2, -1;
nanosleep.u32 10;|lop3.b32 %r1, %r2, %r3, %r4, 0x80;|shfl.up.b32 %r1, %r2, 1, 0;|vote.all.pred %p1, %p2;|bar.warp.sync -1;|activemask.b32 %r1;|ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];|stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};|movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];|red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];|atom.global.add.f64 %d1, [%rd1], %d2;|atom.global.cas.b128 %q1, [%rd1], %q2, %q3;|atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;
atom.global.cas.b16 %h1, [%rd1], %h2, %h3;|fence.acq_rel.cluster;|fence.sc.gpu;|membar.sys;|mapa.shared::cluster.u32 %r1, %r2, 0;|isspacep.shared::cluster %p1, %rd1;|mov.u32 %r1, %cluster_ctaid.x;|mov.u32 %r1, %dynamic_smem_size;|mov.u64 %rd1, %globaltimer;|mov.u32 %r1, %pm5;|prefetch.global.L2::evict_last [%rd1];
discard.global.L2 [%rd1], 128;|createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;|multimem.ld_reduce.global.add.u32 %r1, [%rd1];|cp.async.bulk.commit_group;|cp.async.mbarrier.arrive.shared.b64 [%r1];|tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;|add.rn.f32.f16 %f1, %h1, %f2;
bmsk.clamp.b32 %r1, %r2, %r3;|szext.wrap.u32 %r1, %r2, %r3;|fns.b32 %r1, %r2, %r3, %r4;|brx.idx %r1, T; T: .branchtargets L; L:|max3;|max.f32 %f1, %f2, %f3, %f4;|min.NaN.f16 %h1, %h2, %h3;|cvt.rna.tf32.f32 %r1, %f1;|cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;|st.bulk.weak.shared::cta [%rd1], 16, 0;
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;|ld.global.nc.b32 %r1, [%rd1];|ld.relaxed.gpu.b32 %r1, [%rd1];|mul.wide.u16 %r1, %h1, %h2;|mad.cc.lo.u32 %r1, %r2, %r3, %r4;|madc.lo.cc.u32 %r1, %r2, %r3, %r4;|div.full.f32 %f1, %f2, %f3;|sqrt.rn.f64 %d1, %d2;|alloca.u64 %rd1, 16;|stacksave.u64 %rd1;|applypriority.global.L2::evict_normal [%rd1], 128;"""
VERSIONS = ["6.0", "6.3", "6.5", "7.0", "7.1", "7.4", "7.8", "8.0", "8.1", "8.3", "8.4", "8.6", "8.7", "8.8", "9.0", "9.1", "9.3", "9.5"]


def availability(r):
    """Usual statements with every version and target that the assembler still builds for."""
    target = r.choice(TARGETS + ["sm_86", "sm_89", "sm_100", "sm_100f", "sm_110a", "sm_120", "sm_121a", "sm_120f"])
    declared = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %d<4>;"
    statement = r.choice(re.split(r"(?<=;)\||\n|(?<=:)\|", STATEMENTS))
    declared += " .reg .b128 %q<4>;" if "%q" in statement else ""
    return f".version {r.choice(VERSIONS)}\n.target {target}\n.address_size 64\n.visible .entry k() {{\n{declared}\n{statement}\nret;\n}}\n"


def arguments(r):
    """Arguments and results of calls against the parameters of the function."""
    kinds = [".param .b32", ".param .b64", ".param .f32", ".param .u32", ".param .b16", ".param .b8", ".param .align 8 .b8 []", ".reg .b32", ".reg .b64", ".reg .f32", ".reg .pred", ".param .align 16 .b8 []", ".param .f64"]
    declare = lambda kind, name: kind.replace(" []", f" {name}[8]") if "[]" in kind else f"{kind} {name}"
    takes, gives = [r.choice(kinds) for _ in range(r.randint(0, 2))], [r.choice(kinds) for _ in range(r.choice([0, 0, 1]))]
    result = f"({declare(gives[0], 'r')}) " if gives else ""
    same = r.random() < 0.5
    locals_, words = [], []
    for i, kind in enumerate(takes):
        kind = kind if same or r.random() < 0.5 else r.choice(kinds)
        if r.random() < 0.2:
            words.append(r.choice(["1", "1.0", "%r1", "%rd1", "%f1", "%h1", "gl", "%tid.x", "%p1", "_"]))
        else:
            locals_.append(declare(kind, f"a{i}") + ";")
            words.append(f"a{i}")
    back = ""
    if gives and r.random() < 0.95:
        kind = gives[0] if same or r.random() < 0.5 else r.choice(kinds)
        locals_.append(declare(kind, "b") + ";")
        back = r.choice(["(b), ", "(b), ", "(b), ", "(_), ", "(%r1), "])
    if r.random() < 0.1:
        words = words[:-1] if r.random() < 0.5 else words + ["%r1"]
    given = f", ({', '.join(words)})" if words or r.random() < 0.1 else ""
    body = "\n".join(locals_) + f"\ncall {back}f{given};"
    function = f".func {result}f({', '.join(declare(kind, f'x{i}') for i, kind in enumerate(takes))}){r.choice([' { ret; }', ' { ret; }', ';'])}"
    return module(body, before=(".extern " if function.endswith(";") else "") + function)


MODULES = {function.__name__: function for function in (widths, vectors, guards, operands, scopes, linkage, indirect, limits, groups, textures, atomics, conversions, availability, arguments)}
BUILT = {"widths", "vectors", "operands", "linkage", "indirect", "limits", "groups", "textures", "atomics", "conversions", "arguments"}
