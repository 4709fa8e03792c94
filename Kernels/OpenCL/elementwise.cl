// A chain of elementwise functions of one array, or of up to four arrays that broadcast.
//
// value₀ = a; valueᵢ₊₁ = STAGE_i(valueᵢ, operand OPERAND_i, alphas[i], betas[i]); output = the last value. Operands are
// numbered 0 (a) to 3 (d); an operand that no stage names is not read.
//
// NDRange: [elements / VECTOR rounded up], any local size. Extents and strides as in walk.cl, in the output's memory
// order.
// Macros: RANK; STAGES, 1 to 8; STAGE_i, the name of a function below; OPERAND_i, for stages of two operands; VECTOR,
// 1, 2 or 4; INTEGERS, when the elements of a are integers: uchar, char or int; OUTPUT_BYTES, uchar or char, when those
// of the output are bytes, to whose range results are clipped. A VECTOR above 1 divides the last extent, all positions
// and all strides but the last, which is 1 or 0 for an operand and 1 for the output. `output` may be an operand with
// equal strides.

#define STAGE(name, expression)                                                             \
    static inline vector name(const vector x, const vector y, const float alpha, const float beta) { \
        typedef vector number;                                                              \
        const number zero = 0;                                                              \
        return expression;                                                                  \
    }

// max and min in which NaN wins over every number.
static inline vector larger(vector a, vector b) { return select(a, b, b > a || b != b); }
static inline vector smaller(vector a, vector b) { return select(a, b, b < a || b != b); }

// x / divisor, rounded as IEEE 754 asks, which `/` need not be: a quotient near it, corrected by what is left, twice.
// Where nothing fractional can be left, or the number is not finite, the product stands.
static inline vector quotient(vector x, float divisor, float reciprocal) {
    const vector near = x * reciprocal;
    vector result = fma(fma(-near, (vector)divisor, x), (vector)reciprocal, near);
    result = fma(fma(-result, (vector)divisor, x), (vector)reciprocal, result);
    return select(near, result, fabs(near) < (vector)1e9f);
}

static inline vector whole(vector x) { return select(x, (vector)0, x != x); }

#define STAGE_OF_ROW(kind, name, epilogue, formula, device_formula) STAGE(stage_##kind, device_formula)
APUS_FUNCTIONS(STAGE_OF_ROW)

STAGE(stage_identity, x)
STAGE(stage_affine, alpha * x + beta)
STAGE(stage_dequantize, (x - beta) * alpha)
// x / alpha as whole numbers, halves to the even one or away from 0, where beta is 1 / alpha; 0 for NaN.
STAGE(stage_quantize_even, whole(rint(quotient(x, alpha, beta))))
STAGE(stage_quantize_away, whole(round(quotient(x, alpha, beta))))
STAGE(stage_add, x + y)
STAGE(stage_sub, x - y)
// `sub_from` and `div_into` exchange the operands.
STAGE(stage_sub_from, y - x)
STAGE(stage_div_into, y / x)
STAGE(stage_mul, x * y)
STAGE(stage_div, x / y)
STAGE(stage_max, larger(x, y))
STAGE(stage_min, smaller(x, y))
STAGE(stage_pow, pow(x, y))
STAGE(stage_prelu, select(x, y * x, x < (vector)0))

#ifndef OPERAND_0
#define OPERAND_0 0
#endif
#ifndef OPERAND_1
#define OPERAND_1 0
#endif
#ifndef OPERAND_2
#define OPERAND_2 0
#endif
#ifndef OPERAND_3
#define OPERAND_3 0
#endif
#ifndef OPERAND_4
#define OPERAND_4 0
#endif
#ifndef OPERAND_5
#define OPERAND_5 0
#endif
#ifndef OPERAND_6
#define OPERAND_6 0
#endif
#ifndef OPERAND_7
#define OPERAND_7 0
#endif
#define IS_READ(operand)                                                                              \
    ((operand) == 0 || OPERAND_0 == (operand) || OPERAND_1 == (operand) || OPERAND_2 == (operand) || \
     OPERAND_3 == (operand) || OPERAND_4 == (operand) || OPERAND_5 == (operand) || OPERAND_6 == (operand) || \
     OPERAND_7 == (operand))

static inline int last_of(int8 strides) {
    int steps[8];
    vstore8(strides, 0, steps);
    return steps[RANK - 1];
}

static inline vector read(__global const float *from, int8 place, int8 strides) {
    from += position_of(RANK, place, strides);
#if VECTOR == 1
    return *from;
#else
    return last_of(strides) == 0 ? (vector)*from : LOAD(from);
#endif
}

#ifdef INTEGERS
typedef INTEGERS element;

static inline vector read_first(__global const element *from, int8 place, int8 strides) {
    from += position_of(RANK, place, strides);
#if VECTOR == 1
    return (vector)(float)*from;
#else
    return last_of(strides) == 0 ? (vector)(float)*from : JOIN(convert_float, VECTOR)(JOIN(vload, VECTOR)(0, from));
#endif
}
#else
typedef float element;
#define read_first read
#endif

#ifdef OUTPUT_BYTES
typedef OUTPUT_BYTES output_element;
#if VECTOR == 1
#define STORE_OUTPUT(value, to) (*(to) = JOIN(JOIN(convert_, OUTPUT_BYTES), _sat_rte)(value))
#else
#define STORE_OUTPUT(value, to) \
    JOIN(vstore, VECTOR)(JOIN(JOIN(JOIN(convert_, OUTPUT_BYTES), VECTOR), _sat_rte)(value), 0, to)
#endif
#else
typedef float output_element;
#define STORE_OUTPUT STORE
#endif

__kernel void elementwise(
    __global const element *a, ulong a_position, __global const float *b, ulong b_position, __global const float *c,
    ulong c_position, __global const float *d, ulong d_position, __global output_element *output,
    ulong output_position, int count, int8 extents, int8 a_strides, int8 b_strides, int8 c_strides, int8 d_strides,
    int8 output_strides, float8 alphas, float8 betas) {
    const int index = get_global_id(0) * VECTOR;
    if (index >= count) return;
    const int8 place = coordinates(RANK, extents, index);
    vector operands[4];
    operands[0] = read_first(a + a_position, place, a_strides);
    if (IS_READ(1)) operands[1] = read(b + b_position, place, b_strides);
    if (IS_READ(2)) operands[2] = read(c + c_position, place, c_strides);
    if (IS_READ(3)) operands[3] = read(d + d_position, place, d_strides);
    vector value = STAGE_0(operands[0], operands[OPERAND_0], alphas.s0, betas.s0);
#if STAGES > 1
    value = STAGE_1(value, operands[OPERAND_1], alphas.s1, betas.s1);
#endif
#if STAGES > 2
    value = STAGE_2(value, operands[OPERAND_2], alphas.s2, betas.s2);
#endif
#if STAGES > 3
    value = STAGE_3(value, operands[OPERAND_3], alphas.s3, betas.s3);
#endif
#if STAGES > 4
    value = STAGE_4(value, operands[OPERAND_4], alphas.s4, betas.s4);
#endif
#if STAGES > 5
    value = STAGE_5(value, operands[OPERAND_5], alphas.s5, betas.s5);
#endif
#if STAGES > 6
    value = STAGE_6(value, operands[OPERAND_6], alphas.s6, betas.s6);
#endif
#if STAGES > 7
    value = STAGE_7(value, operands[OPERAND_7], alphas.s7, betas.s7);
#endif
    STORE_OUTPUT(value, output + output_position + position_of(RANK, place, output_strides));
}
