// Dot products of four bytes, and the arithmetic by which numbers become integers of 8 bits again.
//
// Macros: DOT, how four products are added: 0 in plain C, 1 by cl_khr_integer_dot_product, 2 by NVIDIA's dp4a; SIGNED,
// whether the bytes of the first factor are signed; those of the second are.

#ifdef DOT
// sum + Σ a[p] · b[p] over the four bytes p, exact.
#if DOT == 2
static inline int dot4(uint a, uint b, int sum) {
    int result;
#if SIGNED
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
#else
    __asm__("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
#endif
    return result;
}
#elif DOT == 1
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
static inline int dot4(uint a, uint b, int sum) {
#if SIGNED
    return sum + dot_4x8packed_ss_int(a, b);
#else
    return sum + dot_4x8packed_us_int(a, b);
#endif
}
#else
static inline int dot4(uint a, uint b, int sum) {
#if SIGNED
    const int4 x = convert_int4(as_char4(a));
#else
    const int4 x = convert_int4(as_uchar4(a));
#endif
    const int4 products = x * convert_int4(as_char4(b));
    return sum + products.s0 + products.s1 + products.s2 + products.s3;
}
#endif

#ifdef PROBE
// sums[i] = dot4(a[i], b[i], i), by which a way to add products is tried. NDRange: [elements].
__kernel void probe_dots(
    __global const uint *a, ulong a_position, __global const uint *b, ulong b_position, __global int *sums,
    ulong sums_position) {
    const int i = get_global_id(0);
    sums[sums_position + i] = dot4(a[a_position + i], b[b_position + i], i);
}
#endif
#endif

// round(a · b / 2³¹), halves up; the only product that overflows becomes the largest integer.
static inline int high_product(int a, int b) {
    if (a == b && a == INT_MIN) return INT_MAX;
    const long product = (long)a * b;
    return (int)((product + (product >= 0 ? 1L << 30 : 1 - (1L << 30))) / (1L << 31));
}

// round(x / 2^exponent), halves away from zero, for an exponent from 0 to 31; beyond, as `Graphs` defines it.
static inline int rounding_shift(int x, int exponent) {
    const int mask = (int)((1L << exponent) - 1);
    return (x >> min(exponent, 31)) + ((x & mask) > (mask >> 1) + (x < 0));
}

// x · multiplier · 2^(shift − 31), rounded twice.
static inline int scale_twice(int x, int multiplier, int shift) {
    const int shifted = shift > 0 ? (int)((uint)x << shift) : x;
    return rounding_shift(high_product(shifted, multiplier), shift > 0 ? 0 : -shift);
}

// The same, rounded once, halves up.
static inline int scale_once(int x, int multiplier, int shift) {
    const int total = 31 - shift;
    return (int)(((long)x * multiplier + (1L << (total - 1))) >> total);
}

// The integer for a sum, from `low` to `high`.
//
// Macros: ROUNDING, 0 for a factor in float32, whose bits are `factor`, 1 for one in fixed point, 2 for one in fixed
// point that rounds once.
#ifdef ROUNDING
static inline int requantize(int sum, int factor, int shift, int zero_point, int low, int high) {
#if ROUNDING == 0
    const int scaled = convert_int_sat_rte((float)sum * as_float(factor));
#elif ROUNDING == 1
    const int scaled = scale_twice(sum, factor, shift);
#else
    const int scaled = scale_once(sum, factor, shift);
#endif
    return clamp(add_sat(scaled, zero_point), low, high);
}
#endif

#ifdef IS_NVIDIA
// a · b, rounded before anything is added to it. Macros: IS_NVIDIA, 1 or 0.
static inline float rounded_product(float a, float b) {
#if IS_NVIDIA
    float product;
    __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    return product;
#else
#pragma OPENCL FP_CONTRACT OFF
    return a * b;
#endif
}
#endif
