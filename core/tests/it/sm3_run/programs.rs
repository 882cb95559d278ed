//! Small shaders that cover the language: each is the body of a vertex or fragment shader over one interface.
//!
//! The text form numbers values; here they have names only, and [`module`] numbers them.

use std::collections::HashMap;

/// Declarations that all programs share.
const DECLARATIONS: &str = "struct #0 {block} {
  a: f32x4 {offset 0}
  b: f32x4 {offset 16}
  n: i32 {offset 32}
  m: i32 {offset 36}
  mat: mat<f32x4 * 4 step 16> {offset 48}
  rows: mat<f32x3 * 4 step 16 rows> {offset 112}
  list: [f32x4 * 4 step 16] {offset 160}
  ints: [i32x4 * 2 step 16] {offset 224}
}

uniform $0: #0 {set 0, binding 0}
in $1: f32x4 {location 0}
in $2: f32x2 {location 1}
in $3: f32x2 {location 1, component 2}
in $4: i32 {location 2, interp flat}
handle $5: sampled_image<2d f32> {set 0, binding 2}
handle $6: sampled_image<cube f32> {set 0, binding 4}
out $7: f32x4 {location 0}
out $8: f32x4 {builtin position}
private $9: [f32x4 * 4]
";

/// Values that the bodies use: uniforms `a`, `b`, `n`, `m`, inputs `v`, `p`, `q`, `k`, constants.
const PROLOGUE: &str = "  %u: path = deref.var $0
  %a_at: path = deref.field %u.0
  %a: b32x4 = load %a_at
  %b_at: path = deref.field %u.1
  %b: b32x4 = load %b_at
  %n_at: path = deref.field %u.2
  %n: b32 = load %n_at
  %m_at: path = deref.field %u.3
  %m: b32 = load %m_at
  %v_at: path = deref.var $1
  %v: b32x4 = load %v_at
  %p_at: path = deref.var $2
  %p: b32x2 = load %p_at
  %q_at: path = deref.var $3
  %q: b32x2 = load %q_at
  %k_at: path = deref.var $4
  %k: b32 = load %k_at
  %zero: b32 = const 0.0
  %half: b32 = const 0.5
  %one: b32 = const 1.0
  %none: b32x4 = const (0.0, 0.0, 0.0, 0.0)
  %i0: b32 = const 0
  %i1: b32 = const 1
  %i2: b32 = const 2
  %i3: b32 = const 3
  %i4: b32 = const 4
";

/// A program: its name, `true` for a vertex shader, and the statements that compute `%r`, which is the output.
pub(super) type OwnProgram = (&'static str, bool, &'static str);

/// Every program.
pub(super) const OWN_PROGRAMS: &[OwnProgram] = &[
    ("arithmetic", false, ARITHMETIC),
    ("arithmetic-vertex", true, ARITHMETIC),
    ("functions-of-floats", false, FUNCTIONS),
    ("vectors", false, VECTORS),
    ("comparisons", false, COMPARISONS),
    ("comparisons-vertex", true, COMPARISONS),
    ("discard", false, DISCARD),
    ("textures", false, TEXTURES),
    ("textures-vertex", true, TEXTURES_OF_LEVEL),
    ("integers", false, INTEGERS),
    ("integers-vertex", true, INTEGERS),
    ("unsigned", false, UNSIGNED),
    ("uniform-arrays", true, UNIFORM_ARRAYS),
    ("local-arrays", false, LOCAL_ARRAYS),
    ("early-return", false, EARLY_RETURN),
    ("matrices", true, MATRICES),
    ("packing", true, PACKING),
    ("switch", false, SWITCH),
    ("derivatives", false, DERIVATIVES),
];

const ARITHMETIC: &str = "
  %t: b32x4 = fmul %a, %b
  %s: b32x4 = fadd %t, %v
  %d: b32x4 = fsub %s, %b
  %e: b32x4 = fneg %d
  %f: b32x4 = fabs %e
  %g: b32x4 = fmax %f, %a
  %h: b32x4 = fmin %g, %v
  %ones: b32x4 = const (1.0, 1.5, 2.0, 4.0)
  %l: b32x4 = fadd %f, %ones
  %o: b32x4 = fdiv %h, %l
  %w: b32x4 = fmad %o, %a, %b
  %x: b32x4 = fsat %w
  %y: b32x4 = fmix %x, %o, %a
  %r: b32x4 = fadd %y, %w
";

const FUNCTIONS: &str = "
  %t: b32x4 = fmul %a, %v
  %c: b32x4 = ffloor %t
  %d: b32x4 = ffract %t
  %e: b32x4 = fceil %t
  %f: b32x4 = ftrunc %t
  %g: b32x4 = fsign %v
  %l: b32x4 = fabs %b
  %ones: b32x4 = const (1.0, 1.5, 2.0, 4.0)
  %h: b32x4 = fadd %l, %ones
  %s: b32x4 = fsqrt %h
  %o: b32x4 = frsq %h
  %w: b32x4 = fexp2 %d
  %x: b32x4 = flog2 %h
  %y: b32x4 = fpow %h, %d
  %z: b32x4 = fsin %v
  %aa: b32x4 = fcos %v
  %ab: b32x4 = fadd %c, %d
  %ac: b32x4 = fadd %e, %f
  %ad: b32x4 = fmul %g, %s
  %ae: b32x4 = fmul %o, %w
  %af: b32x4 = fmul %x, %z
  %ag: b32x4 = fadd %y, %aa
  %ah: b32x4 = fadd %ab, %ac
  %ai: b32x4 = fadd %ad, %ae
  %aj: b32x4 = fadd %af, %ag
  %ak: b32x4 = fadd %ah, %ai
  %r: b32x4 = fadd %ak, %aj
";

const VECTORS: &str = "
  %d: b32 = fdot %a, %v
  %a3: b32x3 = swizzle %a.xyz
  %v3: b32x3 = swizzle %v.zyx
  %c: b32x3 = fcross %a3, %v3
  %bias: b32x3 = const (1.0, 7.0, -2.0)
  %long: b32x3 = fadd %c, %bias
  %nor: b32x3 = fnormalize %long
  %len: b32 = flength %v3
  %p2: b32 = fdot %p, %q
  %ref: b32x3 = freflect %a3, %nor
  %rx: b32 = swizzle %ref.x
  %nx: b32x2 = swizzle %nor.yz
  %e: b32 = fadd %d, %p2
  %f: b32 = fmul %len, %rx
  %r: b32x4 = vec %e, %nx, %f
";

const COMPARISONS: &str = "
  %lt: b1x4 = flt %a, %v
  %ge: b1x4 = fge %b, %v
  %eq: b1x4 = feq %a, %a
  %both: b1x4 = iand %lt, %ge
  %one_of: b1x4 = ior %lt, %ge
  %not: b1x4 = inot %both
  %s: b32x4 = select %lt, %a, %v
  %t: b32x4 = select %not, %s, %b
  %f: b32x4 = b2f %one_of
  %g: b32x4 = b2f %eq
  %all: b1 = all %one_of
  %any: b1 = any %both
  %x: b32 = select %all, %one, %half
  %y: b32 = select %any, %x, %zero
  %less: b1 = ilt %n, %m
  %same: b1 = ieq %k, %n
  %z: b32 = select %less, %half, %y
  %w: b32 = select %same, %one, %z
  %ws: b32x4 = splat %w
  %h: b32x4 = fadd %f, %g
  %i: b32x4 = fadd %h, %t
  %r: b32x4 = fadd %i, %ws
";

const DISCARD: &str = "
  %x: b32 = swizzle %v.x
  %y: b32 = swizzle %p.y
  %s: b32 = fadd %x, %y
  %low: b1 = flt %s, %zero
  if !0 %low {
  ^1:
    stop discard
  } else {
  ^2:
    next
  }
^3:
  %r: b32x4 = fmul %v, %a
";

const TEXTURES: &str = "
  %at: path = deref.var $5
  %image: handle = load %at
  %c: b32x4 = tex.sample %image, %p {dim 2d, roles image+coord}
  %d: b32x4 = tex.sample %image, %p, %one {dim 2d, roles image+coord+bias}
  %e: b32x4 = tex.sample_lod %image, %q, %half {dim 2d, roles image+coord+lod}
  %f: b32x4 = tex.sample_lod %image, %p, %p, %q {dim 2d, roles image+coord+ddx+ddy}
  %cube_at: path = deref.var $6
  %cube: handle = load %cube_at
  %v3: b32x3 = swizzle %v.xyz
  %up: b32x3 = const (0.25, 0.5, 9.0)
  %way: b32x3 = fadd %v3, %up
  %g: b32x4 = tex.sample_lod %cube, %way, %one {dim cube, roles image+coord+lod}
  %h: b32x4 = fadd %c, %d
  %i: b32x4 = fmul %e, %f
  %j: b32x4 = fadd %h, %i
  %r: b32x4 = fadd %g, %j
";

const TEXTURES_OF_LEVEL: &str = "
  %at: path = deref.var $5
  %image: handle = load %at
  %c: b32x4 = tex.sample_lod %image, %p, %zero {dim 2d, roles image+coord+lod}
  %d: b32x4 = tex.sample_lod %image, %q, %one {dim 2d, roles image+coord+lod}
  %r: b32x4 = fadd %c, %d
";

const INTEGERS: &str = "
  %m1: b32 = iadd %m, %i1
  %neg: b32 = isub %k, %n
  %mul: b32 = imul %neg, %m1
  %div: b32 = idiv %mul, %m1
  %rem: b32 = irem %neg, %m1
  %mod: b32 = imod %neg, %m1
  %abs: b32 = iabs %neg
  %min: b32 = imin %neg, %i2
  %max: b32 = imax %neg, %i2
  %half_of: b32 = idiv %neg, %i2
  %shl: b32 = ishl %abs, %i2
  %s: b32 = iadd %div, %rem
  %t: b32 = iadd %min, %shl
  %x: b32 = i2f %s
  %y: b32 = i2f %mod
  %z0: b32 = isub %max, %half_of
  %z: b32 = i2f %z0
  %w: b32 = i2f %t
  %fl: b32 = swizzle %v.x
  %tr: b32 = f2i %fl
  %fr: b32 = i2f %tr
  %r0: b32x4 = vec %x, %y, %z, %w
  %frs: b32x4 = splat %fr
  %r: b32x4 = fadd %r0, %frs
";

const UNSIGNED: &str = "
  %m1: b32 = iadd %m, %i1
  %mul: b32 = imul %k, %n
  %div: b32 = udiv %mul, %m1
  %mod: b32 = umod %mul, %m1
  %quarter: b32 = udiv %mul, %i4
  %low: b32 = umod %mul, %i4
  %less: b1 = ult %div, %mod
  %pick: b32 = select %less, %div, %quarter
  %x: b32 = u2f %div
  %y: b32 = u2f %mod
  %z: b32 = u2f %pick
  %w: b32 = u2f %low
  %r: b32x4 = vec %x, %y, %z, %w
";

const UNIFORM_ARRAYS: &str = "
  %list: path = deref.field %u.6
  %ints: path = deref.field %u.7
  %j: b32 = imin %k, %i3
  %at: path = deref.elem %list, %j
  %x: b32x4 = load %at
  %l: b32 = umod %n, %i4
  %other_at: path = deref.elem %list, %l
  %y: b32x4 = load %other_at
  %o: b32 = umod %m, %i2
  %int_at: path = deref.elem %ints, %o
  %z: b32x4 = load %int_at
  %w: b32x4 = i2f %z
  %last_at: path = deref.elem %list, %i3
  %last: b32x4 = load %last_at
  %s: b32x4 = fmul %x, %last
  %t: b32x4 = fadd %s, %y
  %r: b32x4 = fadd %t, %w
";

const LOCAL_ARRAYS: &str = "
  %all: path = deref.var $9
  %e0: path = deref.elem %all, %i0
  store %e0, %a
  %e1: path = deref.elem %all, %i1
  store %e1, %b
  %e2: path = deref.elem %all, %i2
  store %e2, %v
  %e3: path = deref.elem %all, %i3
  store %e3, %none
  %j: b32 = umod %k, %i4
  %at: path = deref.elem %all, %j
  %sum: b32x4 = fadd %a, %v
  store %at, %sum
  %l: b32 = umod %n, %i4
  %from: path = deref.elem %all, %l
  %x: b32x4 = load %from
  %y: b32x4 = load %e2
  %r: b32x4 = fadd %x, %y
";

const EARLY_RETURN: &str = "
  %to: path = deref.var $7
  %x: b32 = swizzle %v.x
  %low: b1 = flt %x, %zero
  if !0 %low {
  ^1:
    store %to, %a
    return
  } else {
  ^2:
    next
  }
^3:
  loop !1(%i0, %v) {
  ^4(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %m
    if !2 %in {
    ^5:
      next
    } else {
    ^6:
      break !1(%sum)
    }
  ^7:
    %found: b1 = ieq %i, %k
    if !3 %found {
    ^8:
      store %to, %sum
      return
    } else {
    ^9:
      next
    }
  ^10:
    %s: b32x4 = fadd %sum, %b
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^11(%r: b32x4):
";

const MATRICES: &str = "
  %mat: path = deref.field %u.4
  %rows: path = deref.field %u.5
  %c0_at: path = deref.elem %mat, %i0
  %c0: b32x4 = load %c0_at
  %c1_at: path = deref.elem %mat, %i1
  %c1: b32x4 = load %c1_at
  %c2_at: path = deref.elem %mat, %i2
  %c2: b32x4 = load %c2_at
  %c3_at: path = deref.elem %mat, %i3
  %c3: b32x4 = load %c3_at
  %vx: b32x4 = swizzle %v.xxxx
  %vy: b32x4 = swizzle %v.yyyy
  %vz: b32x4 = swizzle %v.zzzz
  %vw: b32x4 = swizzle %v.wwww
  %t0: b32x4 = fmul %c0, %vx
  %t1: b32x4 = fmad %c1, %vy, %t0
  %t2: b32x4 = fmad %c2, %vz, %t1
  %t3: b32x4 = fmad %c3, %vw, %t2
  %d0: b32 = fdot %c0, %v
  %d1: b32 = fdot %c1, %v
  %row_at: path = deref.elem %rows, %i2
  %row: b32x3 = load %row_at
  %v3: b32x3 = swizzle %v.xyz
  %d2: b32 = fdot %row, %v3
  %d3: b32 = fdot %c3, %v
  %d: b32x4 = vec %d0, %d1, %d2, %d3
  %r: b32x4 = fadd %t3, %d
";

const PACKING: &str = "
  %s: b32x2 = fadd %p, %q
  %x: b32 = swizzle %p.x
  %y: b32 = swizzle %q.y
  %f: b32 = i2f %k
  %z: b32 = fmul %x, %f
  %w: b32 = fmul %y, %f
  %r: b32x4 = vec %z, %s, %w
";

const SWITCH: &str = "
  switch !0 %k {
    case 0 {
    ^1:
      next(%a)
    }
    case 1, 3 {
    ^2:
      %t: b32x4 = fadd %a, %v
      next(%t)
    }
    case 6 {
    ^3:
      next(%b)
    }
    default {
    ^4:
      next(%v)
    }
  }
^5(%r: b32x4):
";

const DERIVATIVES: &str = "
  %sq: b32x4 = fmul %v, %v
  %dx: b32x4 = ddx %sq
  %dy: b32x4 = ddy %sq
  %s: b32x4 = fmul %dx, %a
  %t: b32x4 = fmul %dy, %b
  %r: b32x4 = fadd %s, %t
";

/// The text of a program's module, in the text form of the IR.
pub(super) fn module(&(_, is_vertex, body): &OwnProgram) -> String {
    let (stage, modes) = if is_vertex { ("vertex", "") } else { ("fragment", " {origin_upper_left}") };
    let mut declarations = DECLARATIONS.to_owned();
    let mut epilogue = "  %out: path = deref.var $7\n  store %out, %r\n".to_owned();
    let mut interface = "$1, $2, $3, $4, $7".to_owned();
    if is_vertex {
        epilogue += "  %position: path = deref.var $8\n  store %position, %v\n";
        interface += ", $8";
        declarations = declarations.replace(", interp flat", "");
    }
    let text = format!("^0:\n{PROLOGUE}{}{epilogue}  return\n", body.trim_start_matches('\n'));
    format!(
        "{declarations}\nentry {stage} \"main\" @0 ({interface}){modes}\n\nfunc @0() tree {{\n{}}}\n",
        numbered(&text)
    )
}

/// Gives values numbers, in the order in which their names occur.
fn numbered(text: &str) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut out = String::new();
    let mut parts = text.split('%');
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let next = numbers.len();
        let number = *numbers.entry(name).or_insert(next);
        out.push_str(&format!("%{number}{rest}"));
    }
    out
}
