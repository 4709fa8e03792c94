#ifndef APUS_FUNCTIONS_H
#define APUS_FUNCTIONS_H

// The table of elementwise functions that kernels compute. C reads it for the processor, OpenCL C for devices; Swift
// finds a row by its name, which is the operator's in ONNX where it has one.
//
// ROW(kind, name, epilogue, formula on the processor, formula on devices)
//
// Formulas are of `x` and the numbers `alpha` and `beta`. NaN gives NaN, but in ThresholdedRelu and Shrink. Those of
// the form x · g(x) raise the x before g, so that they give their limit 0 at −∞, not −∞ · 0. Functions of
// `exponential.h` and `logarithm.h` can be vectorised, those of the C library cannot. On devices, elements are of the
// type `number`, a vector or not; `zero` is its 0.
//
// KERNEL(formula) is computed by kernels, NO_KERNEL is not.
//
// Whether the function may be fused into the store of a convolution, product or sum, and how the kernels of an
// instruction set apply it there:
//   NO_EPILOGUE   may not
//   BY_LIMITS     to sums in registers, as limits
//   BY_SLOPE      to sums in registers, as a slope of negative numbers
//   BY_GATE       to sums in registers, as a product with a limited line
//   ON_STORED     to what has been stored
//
// The reference's formulas are in `Sources/Networks/Graphs/Operators`, so that tests compare two statements of a
// function.
#define APUS_FUNCTIONS(ROW)                                                                                            \
    ROW(RELU, "Relu", BY_LIMITS,                                                                                       \
        KERNEL(x < 0 ? 0 : x),                                                                                         \
        KERNEL(RAISE(x, 0)))                                                                                           \
    ROW(CLIP, "Clip", BY_LIMITS,                                                                                       \
        KERNEL(clipped(x, alpha, beta)),                                                                               \
        KERNEL(CLIPPED(x, alpha, beta)))                                                                               \
    ROW(LEAKY_RELU, "LeakyRelu", BY_SLOPE,                                                                             \
        KERNEL(x < 0 ? alpha * x : x),                                                                                 \
        KERNEL(select(x, alpha * x, x < zero)))                                                                        \
    ROW(HARD_SIGMOID, "HardSigmoid", ON_STORED,                                                                        \
        KERNEL(clipped(alpha * x + beta, 0, 1)),                                                                       \
        KERNEL(CLIPPED(alpha * x + beta, 0, 1)))                                                                       \
    ROW(HARD_SWISH, "HardSwish", BY_GATE,                                                                              \
        KERNEL((x < -3 ? -3 : x) * clipped(x * (1.0f / 6) + 0.5f, 0, 1)),                                              \
        KERNEL(RAISE(x, -3) * CLIPPED(x / 6 + 0.5f, 0, 1)))                                                            \
    ROW(SIGMOID, "Sigmoid", ON_STORED,                                                                                 \
        KERNEL(logistic(x)),                                                                                           \
        KERNEL(1 / (1 + exp(-x))))                                                                                     \
    /* Swish without alpha, which devices round otherwise. */                                                          \
    ROW(SILU, "SiLU", ON_STORED,                                                                                       \
        KERNEL(logistic_share(x, x)),                                                                                  \
        KERNEL(RAISE(x, -FLT_MAX) * (1 / (1 + exp(-x)))))                                                              \
    ROW(SWISH, "Swish", NO_EPILOGUE,                                                                                   \
        KERNEL(logistic_share(x, alpha * x)),                                                                          \
        KERNEL(                                                                                                        \
            CLIPPED(x, alpha < 0 ? -INFINITY : -FLT_MAX, alpha < 0 ? FLT_MAX : INFINITY) / (1 + exp(-alpha * x))))     \
    ROW(GELU, "Gelu", ON_STORED,                                                                                       \
        KERNEL(gaussian_error_linear_unit(x)),                                                                         \
        KERNEL(0.5f * RAISE(x, -FLT_MAX) * (1 + erf(x * M_SQRT1_2_F))))                                                \
    /* ½ · (1 + tanh y) = 1 ÷ (1 + e^(−2y)) with y = √(2/π) · (x + 0.044715 · x³) */                                   \
    ROW(GELU_TANH, "GeluTanh", ON_STORED,                                                                              \
        KERNEL(gaussian_error_linear_unit_tanh(x)),                                                                    \
        KERNEL(RAISE(x, -FLT_MAX) * (1 / (1 + exp(-x * (1.595769122f + 0.0713548163f * x * x))))))                     \
    ROW(ELU, "Elu", NO_EPILOGUE,                                                                                       \
        KERNEL(x < 0 ? alpha * exponential_minus_1(x) : x),                                                            \
        KERNEL(select(x, alpha * expm1(x), x < zero)))                                                                 \
    ROW(TANH, "Tanh", NO_EPILOGUE, KERNEL(hyperbolic_tangent(x)), KERNEL(tanh(x)))                                     \
    ROW(ERF, "Erf", NO_EPILOGUE, KERNEL(error_function(x)), KERNEL(erf(x)))                                            \
    ROW(EXP, "Exp", NO_EPILOGUE, KERNEL(exponential(x)), KERNEL(exp(x)))                                               \
    ROW(LOG, "Log", NO_EPILOGUE, KERNEL(natural_logarithm(x)), KERNEL(log(x)))                                         \
    ROW(SQRT, "Sqrt", NO_EPILOGUE, KERNEL(__builtin_elementwise_sqrt(x)), KERNEL(sqrt(x)))                             \
    ROW(SQUARE, "Square", NO_EPILOGUE, KERNEL(x * x), NO_KERNEL)                                                       \
    ROW(RECIPROCAL, "Reciprocal", NO_EPILOGUE, KERNEL(1 / x), KERNEL(1 / x))                                           \
    ROW(ABS, "Abs", NO_EPILOGUE, KERNEL(__builtin_fabsf(x)), KERNEL(fabs(x)))                                          \
    ROW(NEG, "Neg", NO_EPILOGUE, KERNEL(-x), KERNEL(-x))                                                               \
    ROW(FLOOR, "Floor", NO_EPILOGUE, KERNEL(__builtin_elementwise_floor(x)), KERNEL(floor(x)))                         \
    ROW(CEIL, "Ceil", NO_EPILOGUE, KERNEL(__builtin_elementwise_ceil(x)), KERNEL(ceil(x)))                             \
    ROW(SOFTPLUS, "Softplus", NO_EPILOGUE, KERNEL(softplus(x)), KERNEL(SOFTPLUS(x)))                                   \
    ROW(SOFTSIGN, "Softsign", NO_EPILOGUE, KERNEL(x / (1 + __builtin_fabsf(x))), KERNEL(x / (1 + fabs(x))))            \
    ROW(MISH, "Mish", NO_EPILOGUE, KERNEL(mish(x)), KERNEL(RAISE(x, -FLT_MAX) * tanh(SOFTPLUS(x))))                    \
    ROW(SELU, "Selu", NO_EPILOGUE,                                                                                     \
        KERNEL(beta * (x < 0 ? alpha * exponential_minus_1(x) : x)),                                                   \
        KERNEL(beta * select(x, alpha * expm1(x), x < zero)))                                                          \
    ROW(CELU, "Celu", NO_EPILOGUE,                                                                                     \
        KERNEL((x < 0 ? 0 : x) + clipped(alpha * exponential_minus_1(clipped(x / alpha, -88, 88)), -INFINITY, 0)),     \
        KERNEL(RAISE(x, 0) + LOWER(alpha * expm1(x / alpha), 0)))                                                      \
    ROW(THRESHOLDED_RELU, "ThresholdedRelu", NO_EPILOGUE,                                                              \
        KERNEL(x > alpha ? x : 0),                                                                                     \
        KERNEL(select(zero, x, x > alpha)))                                                                            \
    ROW(SHRINK, "Shrink", NO_EPILOGUE,                                                                                 \
        KERNEL(x < -alpha ? x + beta : x > alpha ? x - beta : 0),                                                      \
        KERNEL(select(select(zero, x - beta, x > alpha), x + beta, x < -alpha)))                                       \
    ROW(ROUND, "Round", NO_EPILOGUE, KERNEL(__builtin_elementwise_roundeven(x)), KERNEL(rint(x)))                      \
    ROW(SIGN, "Sign", NO_EPILOGUE, KERNEL(x > 0 ? 1 : x < 0 ? -1 : x), KERNEL(select(x, sign(x), x == x)))             \
    ROW(SIN, "Sin", NO_EPILOGUE, KERNEL(sinf(x)), KERNEL(sin(x)))                                                      \
    ROW(COS, "Cos", NO_EPILOGUE, KERNEL(cosf(x)), KERNEL(cos(x)))                                                      \
    ROW(TAN, "Tan", NO_EPILOGUE, KERNEL(tanf(x)), KERNEL(tan(x)))                                                      \
    ROW(ASIN, "Asin", NO_EPILOGUE, KERNEL(asinf(x)), KERNEL(asin(x)))                                                  \
    ROW(ACOS, "Acos", NO_EPILOGUE, KERNEL(acosf(x)), KERNEL(acos(x)))                                                  \
    ROW(ATAN, "Atan", NO_EPILOGUE, KERNEL(atanf(x)), KERNEL(atan(x)))                                                  \
    ROW(SINH, "Sinh", NO_EPILOGUE, KERNEL(sinhf(x)), KERNEL(sinh(x)))                                                  \
    ROW(COSH, "Cosh", NO_EPILOGUE, KERNEL(coshf(x)), KERNEL(cosh(x)))                                                  \
    ROW(ASINH, "Asinh", NO_EPILOGUE, KERNEL(asinhf(x)), KERNEL(asinh(x)))                                              \
    ROW(ACOSH, "Acosh", NO_EPILOGUE, KERNEL(acoshf(x)), KERNEL(acosh(x)))                                              \
    ROW(ATANH, "Atanh", NO_EPILOGUE, KERNEL(atanhf(x)), KERNEL(atanh(x)))

#endif
