//! Programs without loops, over the interface of [`super::programs`]: conversions, components by number, branches, and the
//! functions of angles.

use super::programs::OwnProgram;

/// Every program.
pub(super) const VALUES: &[OwnProgram] = &[
    ("dynamic-component", false, DYNAMIC_COMPONENT),
    ("remainders", false, REMAINDERS),
    ("angles", false, ANGLES),
    ("nested-ifs", false, NESTED_IFS),
    ("sample-in-branch", false, SAMPLE_IN_BRANCH),
    ("bits-of-integers", false, BITS_OF_INTEGERS),
    ("conversions", true, CONVERSIONS),
    ("booleans", true, BOOLEANS),
    ("uniform-branch", false, UNIFORM_BRANCH),
    ("uniform-branch-vertex", true, UNIFORM_BRANCH),
];

/// One integer only chooses an arm; the other one is also a number.
pub(super) const UNIFORM_BRANCH: &str = "
  %on: b1 = ine %m, %i0
  if !0 %on {
  ^1:
    %x: b32x4 = fadd %a, %v
    next(%x)
  } else {
  ^2:
    next(%b)
  }
^3(%s: b32x4):
  %many: b1 = ine %n, %i0
  if !1 %many {
  ^4:
    %f: b32 = i2f %n
    %fs: b32x4 = splat %f
    %y: b32x4 = fmul %s, %fs
    next(%y)
  } else {
  ^5:
    next(%s)
  }
^6(%r: b32x4):
";

const DYNAMIC_COMPONENT: &str = "
  %j: b32 = umod %k, %i4
  %x: b32 = extract %v, %j
  %w: b32x4 = insert %a, %x, %j
  %r: b32x4 = fadd %w, %b
";

const REMAINDERS: &str = "
  %two: b32x4 = const (2.0, 2.0, 2.0, 2.0)
  %m2: b32x4 = fmod %v, %two
  %r2: b32x4 = frem %v, %two
  %ss: b32x4 = fsmoothstep %none, %two, %v
  %st: b32x4 = fstep %a, %v
  %x: b32x4 = fadd %m2, %r2
  %y: b32x4 = fadd %ss, %st
  %r: b32x4 = fadd %x, %y
";

const ANGLES: &str = "
  %big: b32x4 = const (3.0, 5.0, 7.0, -9.0)
  %w: b32x4 = fmul %v, %big
  %s: b32x4 = fsin %w
  %c: b32x4 = fcos %w
  %one4: b32x4 = const (1.0, 1.0, 1.0, 1.0)
  %sq: b32x4 = fmul %v, %v
  %d: b32x4 = fadd %sq, %one4
  %t: b32x4 = fatan %v
  %e: b32x4 = fexp %s
  %l: b32x4 = flog %d
  %x: b32x4 = fadd %s, %c
  %y: b32x4 = fadd %t, %e
  %z: b32x4 = fadd %x, %y
  %r: b32x4 = fadd %z, %l
";

const NESTED_IFS: &str = "
  %x: b32 = swizzle %v.x
  %y: b32 = swizzle %v.y
  %c1: b1 = flt %x, %zero
  %c2: b1 = flt %y, %zero
  if !0 %c1 {
  ^1:
    if !1 %c2 {
    ^2:
      %t: b32x4 = fadd %a, %v
      next(%t, %one)
    } else {
    ^3:
      next(%b, %half)
    }
  ^4(%p1: b32x4, %q1: b32):
    next(%p1, %q1)
  } else {
  ^5:
    if !2 %c2 {
    ^6:
      next(%v)
    } else {
    ^7:
      %s: b32x4 = fmul %a, %b
      next(%s)
    }
  ^8(%p2: b32x4):
    next(%p2, %x)
  }
^9(%p3: b32x4, %q3: b32):
  %qs: b32x4 = splat %q3
  %r: b32x4 = fadd %p3, %qs
";

const SAMPLE_IN_BRANCH: &str = "
  %at: path = deref.var $5
  %image: handle = load %at
  %x: b32 = swizzle %a.x
  %c: b1 = flt %x, %zero
  if !0 %c {
  ^1:
    %t: b32x4 = tex.sample %image, %p {dim 2d, roles image+coord}
    next(%t)
  } else {
  ^2:
    %pp: b32x2 = fmul %p, %q
    %s: b32x4 = tex.sample %image, %pp {dim 2d, roles image+coord}
    next(%s)
  }
^3(%r: b32x4):
";

const BITS_OF_INTEGERS: &str = "
  %x: b32 = iand %n, %i3
  %y: b32 = ior %x, %i4
  %z: b32 = ishr %m, %i1
  %w: b32 = ishl %k, %i1
  %fx: b32 = i2f %x
  %fy: b32 = i2f %y
  %fz: b32 = i2f %z
  %fw: b32 = i2f %w
  %r: b32x4 = vec %fx, %fy, %fz, %fw
";

const CONVERSIONS: &str = "
  %t: b32x4 = fmul %v, %a
  %i: b32x4 = f2i %t
  %x: b32x4 = i2f %i
  %abs: b32x4 = iabs %i
  %y: b32x4 = i2f %abs
  %d: b32x4 = fsub %t, %x
  %s: b32x4 = fadd %x, %y
  %r: b32x4 = fadd %s, %d
";

const BOOLEANS: &str = "
  %c1: b1 = ilt %n, %m
  %c2: b1 = ige %k, %i3
  %c3: b1 = ine %n, %k
  %c4: b1 = iand %c1, %c2
  %c5: b1 = ixor %c4, %c3
  %c6: b1 = inot %c5
  %x: b32 = select %c4, %n, %m
  %y: b32 = select %c5, %x, %k
  %z: b32 = select %c6, %y, %i2
  %fx: b32 = i2f %x
  %fy: b32 = i2f %y
  %fz: b32 = i2f %z
  %fw: b32 = b2f %c5
  %r: b32x4 = vec %fx, %fy, %fz, %fw
";
