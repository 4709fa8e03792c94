// Functions of an element, of one or two operands, that follow one another: value₀ = operand 0; valueᵢ₊₁ =
// STAGE_i(valueᵢ, operand OPERAND_i, alphas[i], betas[i]).
//
// Macros: STAGES, 1 to 8; STAGE_i, the name of a function below; OPERAND_i, 0 to 3, for stages of two operands; VECTOR,
// 1, 2 or 4; OUTPUT_BYTES, uchar or char, when the last values become bytes, to whose range they are clipped.

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

static inline vector apply_stages(const vector operands[4], float8 alphas, float8 betas) {
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
    return value;
}

// What is stored of the last value.
#ifdef OUTPUT_BYTES
typedef OUTPUT_BYTES output_element;
#if VECTOR == 1
typedef output_element output_vector;
#define TO_OUTPUT JOIN(JOIN(convert_, OUTPUT_BYTES), _sat_rte)
#define STORE_OUTPUT(value, to) (*(to) = TO_OUTPUT(value))
#else
typedef JOIN(OUTPUT_BYTES, VECTOR) output_vector;
#define TO_OUTPUT JOIN(JOIN(JOIN(convert_, OUTPUT_BYTES), VECTOR), _sat_rte)
#define STORE_OUTPUT(value, to) JOIN(vstore, VECTOR)(TO_OUTPUT(value), 0, to)
#endif
#else
typedef float output_element;
typedef vector output_vector;
#define TO_OUTPUT(value) (value)
#define STORE_OUTPUT STORE
#endif
