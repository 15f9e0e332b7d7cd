#!/usr/bin/env python3
"""Runs PTX launches on a real GPU through the CUDA driver (with ctypes only, no packages) and prints the contents of the buffers.

usage: run_launches.py CASES.jsonl > RESULTS.jsonl
  one case per line: {"name", "ptx": path relative to the cases file, "launch": {…}}, the launch as in docs/launches.md in its JSON form
  one result per line: {"name", "buffers": {name: hex}} or {"name", "error": text}; the first line names the device and the driver

Buffers take {"hex"}, {"bytes"} (zeros) or {"type", "len", "fill": "zero" | "iota"}. Images take one or two dimensions of `f32` as "hex".
A fault of a kernel makes the context unusable: the script reports the case and creates a new context.
"""
import ctypes as C
import json
import os
import re
import struct
import sys

SCALAR = {"u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "u32": "I", "s32": "i", "b32": "I", "u64": "Q", "s64": "q", "b64": "Q", "f32": "f", "f64": "d"}
ADDRESS_MODES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}


class ArrayDescriptor(C.Structure):
    _fields_ = [("width", C.c_size_t), ("height", C.c_size_t), ("format", C.c_int), ("channels", C.c_uint)]


class Resource(C.Structure):
    _fields_ = [("kind", C.c_int), ("array", C.c_void_p), ("rest", C.c_int * 30), ("flags", C.c_uint)]


class Sampler(C.Structure):
    _fields_ = [("address", C.c_int * 3), ("filter", C.c_int), ("flags", C.c_uint), ("anisotropy", C.c_uint), ("mipmap_filter", C.c_int), ("bias", C.c_float),
                ("min_lod", C.c_float), ("max_lod", C.c_float), ("border", C.c_float * 4), ("reserved", C.c_int * 12)]


class Driver:
    def __init__(self):
        self.lib = C.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.dev = C.c_int()
        self.call("cuDeviceGet", C.byref(self.dev), 0)
        self.ctx = C.c_void_p()
        self.modules = {}
        self.enter()

    def enter(self):
        self.call("cuDevicePrimaryCtxRetain", C.byref(self.ctx), self.dev)
        self.call("cuCtxSetCurrent", self.ctx)

    def reset(self):
        self.modules = {}
        self.lib.cuDevicePrimaryCtxReset_v2(self.dev)
        self.enter()

    def call(self, name, *args):
        r = getattr(self.lib, name)(*args)
        if r:
            text = C.c_char_p()
            self.lib.cuGetErrorString(r, C.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else r}")

    def about(self):
        name, ver, major, minor = C.create_string_buffer(100), C.c_int(), C.c_int(), C.c_int()
        self.call("cuDeviceGetName", name, 100, self.dev)
        self.call("cuDriverGetVersion", C.byref(ver))
        self.call("cuDeviceGetAttribute", C.byref(major), 75, self.dev)
        self.call("cuDeviceGetAttribute", C.byref(minor), 76, self.dev)
        about = {"device": name.value.decode(), "cuda": ver.value, "sm": f"{major.value}{minor.value}"}
        try:
            with open("/proc/driver/nvidia/version") as f:
                about["driver"] = re.search(r"(\d+\.\d+(?:\.\d+)?)\s", f.readline())[1]
        except (OSError, TypeError):
            pass
        return about

    def module(self, ptx):
        """Returns a module, compiled once for all its cases."""
        if ptx not in self.modules:
            mod = C.c_void_p()
            with open(ptx, "rb") as f:
                self.call("cuModuleLoadData", C.byref(mod), C.c_char_p(f.read() + b"\0"))
            self.modules[ptx] = mod
        return self.modules[ptx]


def params_of(ptx, entry):
    """Returns [(name, type or None for arrays, bytes)] for an entry's parameters, in order."""
    m = re.search(r"\.entry\s+" + re.escape(entry) + r"\s*\((.*?)\)", ptx, re.S)
    out = []
    for p in (m[1].split(",") if m and m[1].strip() else []):
        d = re.search(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr[^,]*?\s)?(?:\.align\s+\d+\s+)?([\w$%]+)(?:\s*\[(\d+)\])?\s*$", p.strip())
        out.append((d[2], None, int(d[3])) if d[3] else (d[2], d[1], struct.calcsize(SCALAR[d[1]])))
    return out


def initial(spec):
    if "hex" in spec:
        return bytes.fromhex(spec["hex"])
    if "bytes" in spec:
        return bytes(spec["bytes"])
    f = SCALAR[spec["type"]]
    v = range(spec["len"]) if spec.get("fill") == "iota" else [0] * spec["len"]
    return struct.pack(f"<{spec['len']}{f}", *(float(x) if f in "fd" else x for x in v))


class Memcpy2D(C.Structure):
    _fields_ = [("src_x", C.c_size_t), ("src_y", C.c_size_t), ("src_type", C.c_int), ("src_host", C.c_void_p), ("src_device", C.c_uint64), ("src_array", C.c_void_p),
                ("src_pitch", C.c_size_t), ("dst_x", C.c_size_t), ("dst_y", C.c_size_t), ("dst_type", C.c_int), ("dst_host", C.c_void_p), ("dst_device", C.c_uint64),
                ("dst_array", C.c_void_p), ("dst_pitch", C.c_size_t), ("width", C.c_size_t), ("height", C.c_size_t)]


def texture(cu, spec):
    """Returns the handle of a texture with one channel of .f32."""
    width, height = (spec["size"] + [0])[:2]
    array, handle = C.c_void_p(), C.c_uint64()
    cu.call("cuArrayCreate_v2", C.byref(array), C.byref(ArrayDescriptor(width, height, 0x20, 1)))
    data = bytes.fromhex(spec["hex"])
    copy = Memcpy2D(src_type=1, src_host=C.cast(C.c_char_p(data), C.c_void_p), src_pitch=width * 4, dst_type=3, dst_array=array, width=width * 4, height=max(height, 1))
    cu.call("cuMemcpy2D_v2", C.byref(copy))
    resource = Resource(kind=0, array=array.value)
    sampler = Sampler(address=(C.c_int * 3)(*[ADDRESS_MODES[spec["address"]]] * 3), filter={"nearest": 0, "linear": 1}[spec["filter"]], flags=2 if spec["normalized"] else 0)
    cu.call("cuTexObjectCreate", C.byref(handle), C.byref(resource), C.byref(sampler), None)
    return handle.value


def run(cu, path, launch):
    fn, bufs, keep = C.c_void_p(), {}, []
    with open(path) as f:
        ptx = f.read()
    cu.call("cuModuleGetFunction", C.byref(fn), cu.module(path), launch["entry"].encode())
    try:
        for name, kind, size in params_of(ptx, launch["entry"]):
            v = launch["params"][name]
            if isinstance(v, dict) and "image" in v:
                keep.append(C.create_string_buffer(struct.pack("<Q", texture(cu, v)), 8))
            elif isinstance(v, dict):
                data, ptr = initial(v), C.c_uint64()
                cu.call("cuMemAlloc_v2", C.byref(ptr), C.c_size_t(max(len(data), 1)))
                cu.call("cuMemcpyHtoD_v2", ptr, data, C.c_size_t(len(data)))
                bufs[name] = (ptr, len(data))
                keep.append(C.create_string_buffer(struct.pack("<Q", ptr.value), 8))
            else:
                keep.append(C.create_string_buffer(struct.pack("<" + SCALAR[kind], v), size))
        args = (C.c_void_p * max(1, len(keep)))(*[C.cast(k, C.c_void_p) for k in keep])
        grid, block = [(list(launch.get(k, [1])) + [1, 1])[:3] for k in ("grid", "block")]
        if launch.get("shared", 0) > 48 * 1024:
            cu.call("cuFuncSetAttribute", fn, 8, launch["shared"])
        cu.call("cuLaunchKernel", fn, *grid, *block, C.c_uint(launch.get("shared", 0)), None, args, None)
        cu.call("cuCtxSynchronize")
        out = {}
        for name, (ptr, n) in bufs.items():
            b = C.create_string_buffer(max(n, 1))
            cu.call("cuMemcpyDtoH_v2", b, ptr, C.c_size_t(n))
            out[name] = b.raw[:n].hex()
        return out
    finally:
        for ptr, _ in bufs.values():
            cu.lib.cuMemFree_v2(ptr)


def main():
    cu, here = Driver(), os.path.dirname(os.path.abspath(sys.argv[1]))
    print(json.dumps(cu.about()))
    for line in open(sys.argv[1]):
        c = json.loads(line)
        try:
            print(json.dumps({"name": c["name"], "buffers": run(cu, os.path.join(here, c["ptx"]), c["launch"])}), flush=True)
        except RuntimeError as e:
            print(json.dumps({"name": c["name"], "error": str(e)}), flush=True)
            if "cuCtxSynchronize" in str(e):
                cu.reset()


if __name__ == "__main__":
    main()
