//! Programs with loops, over the interface of [`super::programs`]: directions of counting, values that leave a loop, and
//! exits in the middle.

use super::programs::OwnProgram;

/// Every program.
pub(super) const LOOPS: &[OwnProgram] = &[
    ("known-trip-count", false, KNOWN_LOOP),
    ("uniform-trip-count", false, UNIFORM_LOOP),
    ("uniform-trip-count-vertex", true, UNIFORM_LOOP),
    ("unknown-trip-count", false, UNKNOWN_LOOP),
    ("nested-loops", false, NESTED_LOOPS),
    ("continue", false, CONTINUE),
    ("loop-down", true, LOOP_DOWN),
    ("loop-from-m-to-n", false, LOOP_FROM_M_TO_N),
    ("counter-after-loop", false, COUNTER_AFTER_LOOP),
    ("do-while", true, DO_WHILE),
    ("swap-in-loop", false, SWAP_IN_LOOP),
    ("two-loops", true, TWO_LOOPS),
    ("loop-index-array", true, LOOP_INDEX_ARRAY),
    ("local-array-in-loop", false, LOCAL_ARRAY_IN_LOOP),
    ("switch-in-loop", false, SWITCH_IN_LOOP),
    ("discard-in-loop", false, DISCARD_IN_LOOP),
];

const LOOP_DOWN: &str = "
  loop !0(%n, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = igt %i, %i0
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %f: b32 = i2f %i
    %fs: b32x4 = splat %f
    %s: b32x4 = fadd %sum, %fs
    %j: b32 = isub %i, %i1
    next(%j, %s)
  }
^5(%r: b32x4):
";

const LOOP_FROM_M_TO_N: &str = "
  loop !0(%m, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ile %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %f: b32 = i2f %i
    %fs: b32x4 = splat %f
    %s: b32x4 = fadd %sum, %fs
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^5(%r: b32x4):
";

const COUNTER_AFTER_LOOP: &str = "
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum, %i)
    }
  ^4:
    %stop: b1 = ieq %i, %k
    if !2 %stop {
    ^5:
      break !0(%a, %i3)
    } else {
    ^6:
      next
    }
  ^7:
    %s: b32x4 = fadd %sum, %v
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^8(%t: b32x4, %c: b32):
  %f: b32 = i2f %c
  %fs: b32x4 = splat %f
  %r: b32x4 = fadd %t, %fs
";

const DO_WHILE: &str = "
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %s: b32x4 = fadd %sum, %v
    %j: b32 = iadd %i, %i1
    %in: b1 = ilt %j, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%s)
    }
  ^4:
    next(%j, %s)
  }
^5(%r: b32x4):
";

const SWAP_IN_LOOP: &str = "
  loop !0(%i0, %a, %b) {
  ^1(%i: b32, %x: b32x4, %y: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0
    }
  ^4:
    %s: b32x4 = fadd %y, %v
    %j: b32 = iadd %i, %i1
    next(%j, %s, %x)
  }
^5:
  %h: b32x4 = const (0.5, 0.25, 2.0, 1.0)
  %w: b32x4 = fmul %x, %h
  %r: b32x4 = fadd %w, %y
";

const TWO_LOOPS: &str = "
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %s: b32x4 = fadd %sum, %v
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^5(%t: b32x4):
  loop !2(%i0, %t) {
  ^6(%i5: b32, %sum5: b32x4):
    %in5: b1 = ilt %i5, %n
    if !3 %in5 {
    ^7:
      next
    } else {
    ^8:
      break !2(%sum5)
    }
  ^9:
    loop !4(%i0, %sum5) {
    ^10(%i6: b32, %sum6: b32x4):
      %in6: b1 = ilt %i6, %m
      if !5 %in6 {
      ^11:
        next
      } else {
      ^12:
        break !4(%sum6)
      }
    ^13:
      %s6: b32x4 = fadd %sum6, %a
      %j6: b32 = iadd %i6, %i1
      next(%j6, %s6)
    }
  ^14(%s5: b32x4):
    %j5: b32 = iadd %i5, %i1
    next(%j5, %s5)
  }
^15(%r: b32x4):
";

const LOOP_INDEX_ARRAY: &str = "
  %list: path = deref.field %u.6
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %i4
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %at: path = deref.elem %list, %i
    %x: b32x4 = load %at
    %s: b32x4 = fmad %x, %v, %sum
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^5(%r: b32x4):
";

const LOCAL_ARRAY_IN_LOOP: &str = "
  %all: path = deref.var $9
  loop !0(%i0) {
  ^1(%i: b32):
    %in: b1 = ilt %i, %i4
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0
    }
  ^4:
    %at: path = deref.elem %all, %i
    %f: b32 = i2f %i
    %fs: b32x4 = splat %f
    %s: b32x4 = fmul %fs, %v
    store %at, %s
    %j: b32 = iadd %i, %i1
    next(%j)
  }
^5:
  loop !2(%i0, %none) {
  ^6(%i5: b32, %sum: b32x4):
    %in5: b1 = ile %i5, %i3
    if !3 %in5 {
    ^7:
      next
    } else {
    ^8:
      break !2(%sum)
    }
  ^9:
    %at5: path = deref.elem %all, %i5
    %x: b32x4 = load %at5
    %s5: b32x4 = fadd %sum, %x
    %j5: b32 = iadd %i5, %i1
    next(%j5, %s5)
  }
^10(%r: b32x4):
";

const SWITCH_IN_LOOP: &str = "
  loop !0(%i0, %v) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    switch !2 %i {
      case 0, 4 {
      ^5:
        %t: b32x4 = fadd %sum, %a
        next(%t)
      }
      case 2 {
      ^6:
        break !0(%b)
      }
      case 3 {
      ^7:
        %x: b32x4 = fmul %sum, %a
        next(%x)
      }
      default {
      ^8:
        next(%sum)
      }
    }
  ^9(%s: b32x4):
    %c: b1 = ieq %k, %i1
    if !3 %c {
    ^10:
      break !0(%s)
    } else {
    ^11:
      next
    }
  ^12:
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^13(%r: b32x4):
";

const DISCARD_IN_LOOP: &str = "
  loop !0(%i0, %v) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %c: b1 = ieq %i, %k
    if !2 %c {
    ^5:
      %x: b32 = swizzle %sum.x
      %low: b1 = flt %x, %zero
      if !3 %low {
      ^6:
        stop discard
      } else {
      ^7:
        next
      }
    ^8:
      next
    } else {
    ^9:
      next
    }
  ^10:
    %s: b32x4 = fadd %sum, %a
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^11(%r: b32x4):
";

const KNOWN_LOOP: &str = "
  %end: b32 = const 11
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %end
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %f: b32 = i2f %i
    %fs: b32x4 = splat %f
    %t: b32x4 = fmul %fs, %a
    %s: b32x4 = fadd %sum, %t
    %j: b32 = iadd %i, %i2
    next(%j, %s)
  }
^5(%r: b32x4):
";

const UNIFORM_LOOP: &str = "
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %s: b32x4 = fadd %sum, %v
    %j: b32 = iadd %i, %i1
    next(%j, %s)
  }
^5(%r: b32x4):
";

const UNKNOWN_LOOP: &str = "
  %vx: b32 = swizzle %v.x
  %abs: b32 = fabs %vx
  %by: b32 = fadd %abs, %half
  %end: b32 = const 40.0
  loop !0(%zero, %none) {
  ^1(%x: b32, %sum: b32x4):
    %s: b32x4 = fadd %sum, %a
    %y: b32 = fadd %x, %by
    %in: b1 = flt %y, %end
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%s)
    }
  ^4:
    next(%y, %s)
  }
^5(%r: b32x4):
";

const NESTED_LOOPS: &str = "
  %limit: b32 = const 60.0
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ile %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    loop !2(%i0, %sum) {
    ^5(%j: b32, %inner: b32x4):
      %more: b1 = ilt %j, %m
      if !3 %more {
      ^6:
        next
      } else {
      ^7:
        break !2(%inner)
      }
    ^8:
      %f: b32 = i2f %j
      %fs: b32x4 = splat %f
      %s: b32x4 = fadd %inner, %fs
      %x: b32 = swizzle %s.x
      %far: b1 = fgt %x, %limit
      if !4 %far {
      ^9:
        break !0(%s)
      } else {
      ^10:
        next
      }
    ^11:
      %odd: b1 = ieq %j, %k
      if !5 %odd {
      ^12:
        break !2(%s)
      } else {
      ^13:
        next
      }
    ^14:
      %j2: b32 = iadd %j, %i1
      next(%j2, %s)
    }
  ^15(%t: b32x4):
    %u2: b32x4 = fadd %t, %v
    %i5: b32 = iadd %i, %i1
    next(%i5, %u2)
  }
^16(%r: b32x4):
";

const CONTINUE: &str = "
  loop !0(%i0, %none) {
  ^1(%i: b32, %sum: b32x4):
    %in: b1 = ilt %i, %n
    if !1 %in {
    ^2:
      next
    } else {
    ^3:
      break !0(%sum)
    }
  ^4:
    %skip: b1 = ieq %i, %k
    if !2 %skip {
    ^5:
      continue !0(%sum)
    } else {
    ^6:
      next
    }
  ^7:
    %s: b32x4 = fadd %sum, %v
    next(%s)
  } continuing {
  ^8(%part: b32x4):
    %j: b32 = iadd %i, %i1
    next(%j, %part)
  }
^9(%r: b32x4):
";
