"""Records what NVIDIA's assembler folds for floating-point instructions: record.py OUT_DIR [TARGET...]

The module `fold` (fold(lines, target) -> values, and BIN, the folder of ptxas) must be importable: FOLD names its folder.
"""
import sys,os,random,subprocess
sys.path.insert(0,os.environ.get("FOLD", "."))
import fold
out=sys.argv[1]
ver=subprocess.run([fold.BIN+"/ptxas","--version"],capture_output=True,text=True).stdout.split("release ")[1].split("\n")[0]
R=random.Random(7)
S32=[0,0x80000000,1,0x80000001,2,0x3fffff,0x400000,0x7fffff,0x807fffff,0x800000,0x80800000,0x800001,0x1000000,0x3f800000,0xbf800000,0x3f7fffff,0x3f800001,0x40000000,0x40490fdb,0x3fc90fdb,0x40c90fdb,0xc0c90fdb,0x7e800000,0x7e800001,0x7effffff,0x7f000000,0x7f7fffff,0xff7fffff,0x7f800000,0xff800000,0x7fc00000,0x7f800001,0xffc12345,0x3f000000,0x42fe0000,0xc2fc0000,0xc2fc0001,0x42ffffff,0x43000000,0xc3150000,0xc3160000,0xc3160001,0xc3170000,0x33000000,0xb3000000]
def any32(): return R.getrandbits(32)
def near(e,d=8,sign=True): return ((127+e+R.randint(-d,d))<<23 | R.getrandbits(23)) | (R.getrandbits(1)<<31 if sign else 0)
def u32(kind):
    k=R.random()
    if kind=="trig": return near(2,6) if k<.7 else near(0,30) if k<.85 else any32()
    if kind=="ex2": return near(3,6) if k<.6 else near(6,1) if k<.8 else any32()
    if kind=="lg2": return near(0,1,False) if k<.4 else any32()&0x7fffffff if k<.9 else R.getrandbits(23)
    if k<.15: return R.getrandbits(23)|R.getrandbits(1)<<31
    if k<.5: return near(0,20)
    return any32()
UN=[("rcp",""),("rsqrt","pos"),("sqrt","pos"),("sin","trig"),("cos","trig"),("ex2","ex2"),("lg2","lg2")]
jobs=[]
def f(x): return "0f%08x"%x
for op,kind in UN:
    for z in ["",".ftz"]:
        xs=S32+[u32(kind)&(0x7fffffff if kind=="pos" else 0xffffffff) for _ in range(1000)]
        jobs.append((f"{op}.approx{z}.f32",[(x,) for x in xs],"f"))
SUB=[lambda:R.getrandbits(23)|R.getrandbits(1)<<31, lambda:near(-124,2), lambda:near(0,3), any32, lambda:near(124,3)]
def pairs(n):
    p=[(R.choice(S32),R.choice(S32)) for _ in range(n//3)]
    while len(p)<n: p.append((R.choice(SUB)(),R.choice(SUB)()))
    return p
def tinypairs(n):
    r=[]
    for _ in range(n):
        a=(127-R.randint(1,60))<<23|R.getrandbits(23); q=2.0**-126/ __import__('struct').unpack('f',__import__('struct').pack('I',a))[0]
        b=__import__('struct').unpack('I',__import__('struct').pack('f',q))[0]+R.randint(-2,2)
        r.append((a,b|R.getrandbits(1)<<31))
    return r
for op in ["div.approx.f32","div.approx.ftz.f32","div.full.f32","div.full.ftz.f32"]: jobs.append((op,pairs(900),"f"))
for op in ["add","sub","mul"]:
    for m in ["",".rn",".ftz",".sat",".rn.ftz.sat"]: jobs.append((f"{op}{m}.f32",pairs(400)+(tinypairs(150) if op=="mul" else []),"f"))
for op in ["min","max"]:
    for m in ["",".ftz",".NaN",".xorsign.abs",".ftz.NaN.xorsign.abs"]: jobs.append((f"{op}{m}.f32",pairs(300),"f"))
for op in ["neg","abs"]:
    for m in ["",".ftz"]: jobs.append((f"{op}{m}.f32",[(x,) for x in S32+[any32() for _ in range(100)]],"f"))
jobs.append(("copysign.f32",pairs(100),"f"))
for op in "finite infinite number notanumber normal subnormal".split(): jobs.append((f"testp.{op}.f32",[(x,) for x in S32+[any32() for _ in range(50)]],"p"))
for op in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split():
    for m in ["",".ftz"]: jobs.append((f"setp.{op}{m}.f32",pairs(150),"p"))
for m in ["",".ftz"]: jobs.append((f"slct{m}.f32.f32",[(1,2,x) for x in S32],"f"))
# f64
S64=[0,1<<63,1,(1<<63)|1,0xfffffffffffff,0x10000000000000,0x3ff0000000000000,0xbff0000000000000,0x4008000000000000,0x7fefffffffffffff,0xffefffffffffffff,0x7ff0000000000000,0xfff0000000000000,0x7ff8000000000012,0xfff8000000000034,0x7ff0000000000012]
def p64(n): return [(R.choice(S64),R.choice(S64)) for _ in range(n)]
for op in ["add.f64","mul.f64","sub.f64","min.f64","max.f64","div.rn.f64"]:
    if op!="div.rn.f64": jobs.append((op,p64(120)+[(R.getrandbits(64),R.getrandbits(64)) for _ in range(30)]+[((0x3ff+R.randint(-9,9))<<52|R.getrandbits(52),(0x3ff+R.randint(-9,9))<<52|R.getrandbits(52)) for _ in range(60)],"D"))
for op in ["neg.f64","abs.f64"]: jobs.append((op,[(x,) for x in S64],"D"))
for op in "finite infinite number notanumber normal subnormal".split(): jobs.append((f"testp.{op}.f64",[(x,) for x in S64],"P"))
for op in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split(): jobs.append((f"setp.{op}.f64",p64(40),"P"))
# 16-bit
S16=[0,0x8000,1,0x8001,0x3ff,0x400,0x3c00,0xbc00,0x7bff,0xfbff,0x7c00,0xfc00,0x7e00,0xfe12,0x7c01,0x3c01,0x7f,0x80,0x3f80,0x7f80,0xff80,0x7fc0,0x7f81]
for t in ["f16","bf16"]:
    for op in ["add","sub","mul","add.rn","min","max","min.NaN","max.xorsign.abs"]+(["add.ftz","mul.sat","min.ftz"] if t=="f16" else []): jobs.append((f"{op}.{t}",[(R.choice(S16),R.choice(S16)) for _ in range(60)]+[(R.getrandbits(16),R.getrandbits(16)) for _ in range(60)],"h"))
    for op in ["neg","abs"]+(["neg.ftz","abs.ftz"] if t=="f16" else []): jobs.append((f"{op}.{t}",[(x,) for x in S16+[R.getrandbits(16) for _ in range(60)]],"h"))
    for op in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split(): jobs.append((f"setp.{op}.{t}",[(R.choice(S16),R.choice(S16)) for _ in range(40)],"q"))
for target in sys.argv[2:] or ["sm_90"]:
  files={}
  for op,args,k in jobs:
    args=list(dict.fromkeys(args))
    if k in "fp": lines=[f"{k} {op} D, "+", ".join(f(x) for x in a) for a in args]
    elif k in "DP": lines=[f"{k.lower()} {op} D, "+", ".join("0d%016x"%x for x in a) for a in args]
    else:
        lines=[(("h" if k=="h" else "p")+" .reg .b16 x,y; mov.b16 x, %d; "%a[0]+("mov.b16 y, %d; "%a[1] if len(a)>1 else "")+f"{op} D, x"+(", y" if len(a)>1 else "")) for a in args]
    try: vs=fold.fold(lines,target)
    except ValueError as e: print(op,"refused",str(e)[:200]); continue
    n=sum(v is not None for v in vs)
    print(target,op,n,"of",len(lines),flush=True)
    name="approximate" if ".approx" in op or ".full" in op else "exact"
    files.setdefault(name,[]).extend("\t".join([op]+["%x"%x for x in a]+["%x"%v]) for a,v in zip(args,vs) if v is not None)
  for name,ls in files.items():
    open(f"{out}/folded-{name}-{target}.tsv","w").write(f"# What ptxas {ver} folds for {target}: instruction, operands, result (bits, hexadecimal)\n"+"\n".join(ls)+"\n")
