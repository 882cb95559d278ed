#!/usr/bin/env python3
"""Writes graphs/*.spvasm and graphs/*.json: kernels that record the path they take, and the expected paths.

The paths are computed by walking the graph here, independently of the compiler. Each conditional branch consumes the
next direction and goes to its first target if it is odd; each switch consumes the next one as its selector.
"""
import json
import pathlib
import random

# name: purpose, and the terminator of each block: targets of `br` and `cond`, default and cases of `switch`.
GRAPHS = {
    "two-entries": ("A loop that is entered at two blocks.",
        [("cond", 1, 2), ("cond", 2, 3), ("cond", 1, 3), ("ret",)]),
    "three-entries": ("Three blocks that reach each other, all of them entered from outside.",
        [("switch", 1, 2, 3), ("cond", 2, 4), ("cond", 3, 1), ("cond", 1, 4), ("ret",)]),
    "overlapping-loops": ("Two loops that share blocks; neither contains the other.",
        [("br", 1), ("br", 2), ("cond", 3, 4), ("cond", 1, 4), ("cond", 2, 5), ("ret",)]),
    "duff": ("A switch that jumps into the body of a loop.",
        [("switch", 4, 1, 2, 3), ("br", 2), ("br", 3), ("br", 4), ("cond", 1, 5), ("ret",)]),
    "nested-two-entries": ("A loop with two entries in a loop with two entries.",
        [("cond", 1, 4), ("cond", 2, 3), ("cond", 3, 4), ("cond", 2, 4), ("cond", 1, 5), ("cond", 6, 4), ("ret",)]),
    "crossed-arms": ("Selections whose arms branch into each other.",
        [("cond", 1, 2), ("cond", 3, 4), ("cond", 4, 5), ("br", 6), ("cond", 6, 5), ("br", 7), ("br", 7), ("ret",)]),
}


def walk(blocks, directions):
    trace, at, taken = [], 0, iter(directions)
    while True:
        trace.append(at)
        kind, *to = blocks[at]
        if kind == "ret":
            return trace
        if kind == "br":
            at = to[0]
            continue
        value = next(taken, None)
        if value is None or len(trace) > 60:
            return None
        if kind == "cond":
            at = to[0] if value & 1 else to[1]
        else:
            at = to[value] if 0 < value < len(to) else to[0]


def text(why, blocks):
    most = max(len(blocks), 8)
    out = [f"; {why}", "OpCapability Kernel", "OpCapability Addresses", "OpCapability Linkage",
           "OpMemoryModel Physical32 OpenCL", 'OpEntryPoint Kernel %main "main"', "%void = OpTypeVoid",
           "%bool = OpTypeBool", "%uint = OpTypeInt 32 0"]
    out += [f"%u{n} = OpConstant %uint {n}" for n in [*range(most), 31]]
    out += ["%global = OpTypePointer CrossWorkgroup %uint", "%local = OpTypePointer Function %uint",
            "%fn = OpTypeFunction %void %global %global", "%main = OpFunction %void None %fn",
            "%directions = OpFunctionParameter %global", "%trace = OpFunctionParameter %global", "%start = OpLabel",
            "%next = OpVariable %local Function", "%count = OpVariable %local Function",
            "%hash = OpVariable %local Function", "OpStore %next %u0", "OpStore %count %u2", "OpStore %hash %u7",
            "OpBranch %b0"]
    for n, (kind, *to) in enumerate(blocks):
        out += [f"%b{n} = OpLabel", f"%c{n} = OpLoad %uint %count", f"%at{n} = OpInBoundsPtrAccessChain %global %trace %c{n}",
                f"OpStore %at{n} %u{n}", f"%more{n} = OpIAdd %uint %c{n} %u1", f"OpStore %count %more{n}",
                f"%h{n} = OpLoad %uint %hash", f"%m{n} = OpIMul %uint %h{n} %u31", f"%s{n} = OpIAdd %uint %m{n} %u{n}",
                f"OpStore %hash %s{n}"]
        if kind in ("cond", "switch"):
            out += [f"%n{n} = OpLoad %uint %next", f"%p{n} = OpInBoundsPtrAccessChain %global %directions %n{n}",
                    f"%d{n} = OpLoad %uint %p{n}", f"%after{n} = OpIAdd %uint %n{n} %u1", f"OpStore %next %after{n}"]
        if kind == "ret":
            out += [f"%blocks{n} = OpISub %uint %more{n} %u2", f"OpStore %trace %blocks{n}",
                    f"%second{n} = OpInBoundsPtrAccessChain %global %trace %u1", f"OpStore %second{n} %s{n}", "OpReturn"]
        elif kind == "br":
            out += [f"OpBranch %b{to[0]}"]
        elif kind == "cond":
            out += [f"%o{n} = OpBitwiseAnd %uint %d{n} %u1", f"%k{n} = OpIEqual %bool %o{n} %u1",
                    f"OpBranchConditional %k{n} %b{to[0]} %b{to[1]}"]
        else:
            cases = "".join(f" {value} %b{target}" for value, target in enumerate(to[1:], 1))
            out += [f"OpSwitch %d{n} %b{to[0]}{cases}"]
    return "\n".join(out + ["OpFunctionEnd", ""])


def case(name, blocks):
    dice, runs = random.Random(name), []
    while len(runs) < 5:
        directions = [dice.randrange(1, 90) if dice.random() < 0.7 else dice.randrange(1, 4) for _ in range(40)]
        trace = walk(blocks, directions)
        if trace is None:
            continue
        used = sum(blocks[at][0] in ("cond", "switch") for at in trace)
        value = 7
        for at in trace:
            value = (value * 31 + at) % (1 << 32)
        runs.append({"directions": directions[:used] or [0], "expect": [len(trace), value, *trace]})
    graph = [{"term": kind, "to": to, "cases": list(range(1, len(to))) if kind == "switch" else [], "merge": None}
             for kind, *to in blocks]
    return {"stage": "kernel", "entry": "main", "groups": [1, 1, 1], "directions_buffer": [0, 0],
            "trace_buffer": [0, 1], "runs": runs, "blocks": graph, "module": f"{name}.spv",
            "origin": "the graph, walked by make-graphs.py"}


folder = pathlib.Path(__file__).parent / "graphs"
folder.mkdir(exist_ok=True)
for name, (why, blocks) in GRAPHS.items():
    (folder / f"{name}.spvasm").write_text(text(why, blocks))
    (folder / f"{name}.json").write_text(json.dumps(case(name, blocks), separators=(",", ":")) + "\n")
