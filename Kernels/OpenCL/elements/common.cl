// The beginning of every program.
//
// A value, or a slice of one, is given as a buffer and the position of its first element. All values of a plan share
// one buffer, so no pointer to a value is `restrict`. Strides and positions are in elements. Each constant has a buffer
// of its own.

// a · b + c, rounded once where the device does so at full speed.
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define DIVIDE_UP(a, b) (((a) + (b) - 1) / (b))

// max(x, low), min(x, high), both, and ln(1 + eˣ), of elements of the type `number`. NaN stays NaN.
#define RAISE(x, low) select(x, (number)(low), (x) < (number)(low))
#define LOWER(x, high) select(x, (number)(high), (x) > (number)(high))
#define CLIPPED(x, low, high) LOWER(RAISE(x, low), high)
#define SOFTPLUS(x) (select(zero, x, x > zero) + log1p(exp(-fabs(x))))

#define KERNEL(formula) formula
#define NO_KERNEL x

// The functions that may be applied to an element before it is stored, numbered from 1 on.
#define ENUMERATE_NO_EPILOGUE(kind)
#define ENUMERATE_BY_LIMITS(kind) EPILOGUE_##kind,
#define ENUMERATE_BY_SLOPE(kind) EPILOGUE_##kind,
#define ENUMERATE_BY_GATE(kind) EPILOGUE_##kind,
#define ENUMERATE_ON_STORED(kind) EPILOGUE_##kind,
#define ENUMERATE(kind, name, epilogue, formula, device_formula) ENUMERATE_##epilogue(kind)
enum { NO_ACTIVATION, APUS_FUNCTIONS(ENUMERATE) };

#define ACTIVATE_NO_EPILOGUE(kind, formula)
#define ACTIVATE_BY_LIMITS(kind, formula) case EPILOGUE_##kind: return formula;
#define ACTIVATE_BY_SLOPE(kind, formula) case EPILOGUE_##kind: return formula;
#define ACTIVATE_BY_GATE(kind, formula) case EPILOGUE_##kind: return formula;
#define ACTIVATE_ON_STORED(kind, formula) case EPILOGUE_##kind: return formula;
#define ACTIVATE(kind, name, epilogue, formula, device_formula) ACTIVATE_##epilogue(kind, device_formula)
#define DEFINE_ACTIVATE(name, type)                                              \
    static inline type name(type x, int activation, float alpha, float beta) {   \
        typedef type number;                                                     \
        const number zero = 0;                                                   \
        switch (activation) {                                                    \
            APUS_FUNCTIONS(ACTIVATE)                                             \
        }                                                                        \
        return x;                                                                \
    }

DEFINE_ACTIVATE(activate1, float)
DEFINE_ACTIVATE(activate2, float2)
DEFINE_ACTIVATE(activate4, float4)

// A vector of VECTOR adjacent elements, VECTOR being 1, 2 or 4. All addresses are multiples of VECTOR elements.
#ifdef VECTOR
#if VECTOR == 1
typedef float vector;
typedef int vector_mask;
#else
typedef JOIN(float, VECTOR) vector;
typedef JOIN(int, VECTOR) vector_mask;
#endif
#define activate JOIN(activate, VECTOR)
#define LOAD(pointer) (*(__global const vector *)(pointer))
#define STORE(value, pointer) (*(__global vector *)(pointer) = (value))
#endif
