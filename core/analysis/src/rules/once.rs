//! Rules that pay off only if the matched inner operations have a single use.
//!
//! `(once iadd x y)` is an addition with a single use. If it had other uses it would stay, so the right side
//! would add work and extend live ranges.

use super::rules;

rules! {
    /// A value is less than one of two exactly if it is less than their maximum.
    once_ior_ilt_left: (ior (once ilt x y) (once ilt x z)) => (ilt x (imax y z));
    /// A value is less than both of two exactly if it is less than their minimum.
    once_iand_ilt_left: (iand (once ilt x y) (once ilt x z)) => (ilt x (imin y z));
    /// One of two values is below a bound exactly if their minimum is.
    once_ior_ilt_right: (ior (once ilt x z) (once ilt y z)) => (ilt (imin x y) z);
    /// Both of two values are below a bound exactly if their maximum is.
    once_iand_ilt_right: (iand (once ilt x z) (once ilt y z)) => (ilt (imax x y) z);
    /// A value is at most one of two exactly if it is at most their maximum.
    once_ior_ile_left: (ior (once ile x y) (once ile x z)) => (ile x (imax y z));
    /// A value is at most both of two exactly if it is at most their minimum.
    once_iand_ile_left: (iand (once ile x y) (once ile x z)) => (ile x (imin y z));
    /// One of two values is at most a bound exactly if their minimum is.
    once_ior_ile_right: (ior (once ile x z) (once ile y z)) => (ile (imin x y) z);
    /// Both of two values are at most a bound exactly if their maximum is.
    once_iand_ile_right: (iand (once ile x z) (once ile y z)) => (ile (imax x y) z);
    /// A value is less than one of two exactly if it is less than their maximum, unsigned.
    once_ior_ult_left: (ior (once ult x y) (once ult x z)) => (ult x (umax y z));
    /// A value is less than both of two exactly if it is less than their minimum, unsigned.
    once_iand_ult_left: (iand (once ult x y) (once ult x z)) => (ult x (umin y z));
    /// One of two values is below a bound exactly if their minimum is, unsigned.
    once_ior_ult_right: (ior (once ult x z) (once ult y z)) => (ult (umin x y) z);
    /// Both of two values are below a bound exactly if their maximum is, unsigned.
    once_iand_ult_right: (iand (once ult x z) (once ult y z)) => (ult (umax x y) z);
    /// A value is at most one of two exactly if it is at most their maximum, unsigned.
    once_ior_ule_left: (ior (once ule x y) (once ule x z)) => (ule x (umax y z));
    /// A value is at most both of two exactly if it is at most their minimum, unsigned.
    once_iand_ule_left: (iand (once ule x y) (once ule x z)) => (ule x (umin y z));
    /// One of two values is at most a bound exactly if their minimum is, unsigned.
    once_ior_ule_right: (ior (once ule x z) (once ule y z)) => (ule (umin x y) z);
    /// Both of two values are at most a bound exactly if their maximum is, unsigned.
    once_iand_ule_right: (iand (once ule x z) (once ule y z)) => (ule (umax x y) z);
    /// A float is less than one of two exactly if it is less than their maximum, which ignores a NaN.
    once_ior_flt_left: (ior (once flt x y) (once flt x z)) => (flt x (fmax y z));
    /// One of two floats is below a bound exactly if their minimum is, which ignores a NaN.
    once_ior_flt_right: (ior (once flt x z) (once flt y z)) => (flt (fmin x y) z);
    /// Without NaN, a float is less than both of two exactly if it is less than their minimum.
    once_iand_flt_left [nnan]: (iand (once flt x y) (once flt x z)) => (flt x (fmin y z));
    /// Without NaN, both of two floats are below a bound exactly if their maximum is.
    once_iand_flt_right [nnan]: (iand (once flt x z) (once flt y z)) => (flt (fmax x y) z);
    /// A float is at most one of two exactly if it is at most their maximum, which ignores a NaN.
    once_ior_fle_left: (ior (once fle x y) (once fle x z)) => (fle x (fmax y z));
    /// One of two floats is at most a bound exactly if their minimum is, which ignores a NaN.
    once_ior_fle_right: (ior (once fle x z) (once fle y z)) => (fle (fmin x y) z);
    /// Without NaN, a float is at most both of two exactly if it is at most their minimum.
    once_iand_fle_left [nnan]: (iand (once fle x y) (once fle x z)) => (fle x (fmin y z));
    /// Without NaN, both of two floats are at most a bound exactly if their maximum is.
    once_iand_fle_right [nnan]: (iand (once fle x z) (once fle y z)) => (fle (fmax x y) z);
    /// Two values shifted by the same count, with sign extension, are combined first and shifted once.
    once_iand_ishr: (iand (once ishr x s) (once ishr y s)) => (ishr (iand x y) s);
    /// Two values shifted by the same count, with sign extension, are combined first and shifted once.
    once_ior_ishr: (ior (once ishr x s) (once ishr y s)) => (ishr (ior x y) s);
    /// Two values shifted by the same count, with sign extension, are combined first and shifted once.
    once_ixor_ishr: (ixor (once ishr x s) (once ishr y s)) => (ishr (ixor x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    once_iadd_ishl: (iadd (once ishl x s) (once ishl y s)) => (ishl (iadd x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    once_isub_ishl: (isub (once ishl x s) (once ishl y s)) => (ishl (isub x y) s);
    /// Both alternatives have the same conversion: it is applied once, after the select.
    once_select_i2f: (select c (once i2f a) (once i2f b)) => (i2f (select c a b));
    /// Both alternatives have the same conversion: it is applied once, after the select.
    once_select_u2f: (select c (once u2f a) (once u2f b)) => (u2f (select c a b));
    /// Both alternatives are converted booleans: the conversion is applied once, after the select.
    once_select_b2f: (select c (once b2f a) (once b2f b)) => (b2f (select c a b));
    /// Both alternatives are converted booleans: the conversion is applied once, after the select.
    once_select_b2i: (select c (once b2i a) (once b2i b)) => (b2i (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_fsin: (select c (once fsin a) (once fsin b)) => (fsin (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_fcos: (select c (once fcos a) (once fcos b)) => (fcos (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_fexp2: (select c (once fexp2 a) (once fexp2 b)) => (fexp2 (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_flog2: (select c (once flog2 a) (once flog2 b)) => (flog2 (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_frcp: (select c (once frcp a) (once frcp b)) => (frcp (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_frsq: (select c (once frsq a) (once frsq b)) => (frsq (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_ffract: (select c (once ffract a) (once ffract b)) => (ffract (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_fceil: (select c (once fceil a) (once fceil b)) => (fceil (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    once_select_ftrunc: (select c (once ftrunc a) (once ftrunc b)) => (ftrunc (select c a b));
}
