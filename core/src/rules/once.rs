//! Rules that are only worth it where nobody else reads what they take apart.
//!
//! `(once iadd x y)` is an addition with one reader. Where another one keeps it, the right side would be more work
//! than the left, and values would live longer for nothing.

use super::rules;

rules! {
    /// Below one of two is the same for the larger.
    once_ior_ilt_left: (ior (once ilt x y) (once ilt x z)) => (ilt x (imax y z));
    /// Below both of two is the same for the smaller.
    once_iand_ilt_left: (iand (once ilt x y) (once ilt x z)) => (ilt x (imin y z));
    /// One of two being so is the smaller being so.
    once_ior_ilt_right: (ior (once ilt x z) (once ilt y z)) => (ilt (imin x y) z);
    /// Both of two being so is the larger being so.
    once_iand_ilt_right: (iand (once ilt x z) (once ilt y z)) => (ilt (imax x y) z);
    /// At most one of two is the same for the larger.
    once_ior_ile_left: (ior (once ile x y) (once ile x z)) => (ile x (imax y z));
    /// At most both of two is the same for the smaller.
    once_iand_ile_left: (iand (once ile x y) (once ile x z)) => (ile x (imin y z));
    /// One of two being so is the smaller being so.
    once_ior_ile_right: (ior (once ile x z) (once ile y z)) => (ile (imin x y) z);
    /// Both of two being so is the larger being so.
    once_iand_ile_right: (iand (once ile x z) (once ile y z)) => (ile (imax x y) z);
    /// Below one of two is the same for the larger, unsigned.
    once_ior_ult_left: (ior (once ult x y) (once ult x z)) => (ult x (umax y z));
    /// Below both of two is the same for the smaller, unsigned.
    once_iand_ult_left: (iand (once ult x y) (once ult x z)) => (ult x (umin y z));
    /// One of two being so is the smaller being so, unsigned.
    once_ior_ult_right: (ior (once ult x z) (once ult y z)) => (ult (umin x y) z);
    /// Both of two being so is the larger being so, unsigned.
    once_iand_ult_right: (iand (once ult x z) (once ult y z)) => (ult (umax x y) z);
    /// At most one of two is the same for the larger, unsigned.
    once_ior_ule_left: (ior (once ule x y) (once ule x z)) => (ule x (umax y z));
    /// At most both of two is the same for the smaller, unsigned.
    once_iand_ule_left: (iand (once ule x y) (once ule x z)) => (ule x (umin y z));
    /// One of two being so is the smaller being so, unsigned.
    once_ior_ule_right: (ior (once ule x z) (once ule y z)) => (ule (umin x y) z);
    /// Both of two being so is the larger being so, unsigned.
    once_iand_ule_right: (iand (once ule x z) (once ule y z)) => (ule (umax x y) z);
    /// Below one of two floats is the same for the larger; NaN is neither.
    once_ior_flt_left: (ior (once flt x y) (once flt x z)) => (flt x (fmax y z));
    /// One of two floats being so is the smaller being so; NaN is neither.
    once_ior_flt_right: (ior (once flt x z) (once flt y z)) => (flt (fmin x y) z);
    /// Below both of two numbers is the same for the smaller.
    once_iand_flt_left [nnan]: (iand (once flt x y) (once flt x z)) => (flt x (fmin y z));
    /// Both of two numbers being so is the larger being so.
    once_iand_flt_right [nnan]: (iand (once flt x z) (once flt y z)) => (flt (fmax x y) z);
    /// At most one of two floats is the same for the larger; NaN is neither.
    once_ior_fle_left: (ior (once fle x y) (once fle x z)) => (fle x (fmax y z));
    /// One of two floats being so is the smaller being so; NaN is neither.
    once_ior_fle_right: (ior (once fle x z) (once fle y z)) => (fle (fmin x y) z);
    /// At most both of two numbers is the same for the smaller.
    once_iand_fle_left [nnan]: (iand (once fle x y) (once fle x z)) => (fle x (fmin y z));
    /// Both of two numbers being so is the larger being so.
    once_iand_fle_right [nnan]: (iand (once fle x z) (once fle y z)) => (fle (fmax x y) z);
    /// Two numbers that move alike, signs and all, are moved at once.
    once_iand_ishr: (iand (once ishr x s) (once ishr y s)) => (ishr (iand x y) s);
    /// Two numbers that move alike, signs and all, are moved at once.
    once_ior_ishr: (ior (once ishr x s) (once ishr y s)) => (ishr (ior x y) s);
    /// Two numbers that move alike, signs and all, are moved at once.
    once_ixor_ishr: (ixor (once ishr x s) (once ishr y s)) => (ishr (ixor x y) s);
    /// Two numbers that move alike are moved at once.
    once_iadd_ishl: (iadd (once ishl x s) (once ishl y s)) => (ishl (iadd x y) s);
    /// Two numbers that move alike are moved at once.
    once_isub_ishl: (isub (once ishl x s) (once ishl y s)) => (ishl (isub x y) s);
    /// Of two numbers that are converted alike, the chosen one is.
    once_select_i2f: (select c (once i2f a) (once i2f b)) => (i2f (select c a b));
    /// Of two numbers that are converted alike, the chosen one is.
    once_select_u2f: (select c (once u2f a) (once u2f b)) => (u2f (select c a b));
    /// Of two truth values that are converted alike, the chosen one is.
    once_select_b2f: (select c (once b2f a) (once b2f b)) => (b2f (select c a b));
    /// Of two truth values that are converted alike, the chosen one is.
    once_select_b2i: (select c (once b2i a) (once b2i b)) => (b2i (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_fsin: (select c (once fsin a) (once fsin b)) => (fsin (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_fcos: (select c (once fcos a) (once fcos b)) => (fcos (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_fexp2: (select c (once fexp2 a) (once fexp2 b)) => (fexp2 (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_flog2: (select c (once flog2 a) (once flog2 b)) => (flog2 (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_frcp: (select c (once frcp a) (once frcp b)) => (frcp (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_frsq: (select c (once frsq a) (once frsq b)) => (frsq (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_ffract: (select c (once ffract a) (once ffract b)) => (ffract (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_fceil: (select c (once fceil a) (once fceil b)) => (fceil (select c a b));
    /// Of two numbers with which the same is done, it is done with the chosen one.
    once_select_ftrunc: (select c (once ftrunc a) (once ftrunc b)) => (ftrunc (select c a b));
}
