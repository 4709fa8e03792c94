// What every program begins with.
//
// A value, or a slice of one, is a buffer and the position of its first element: all values of a plan share one
// buffer, so no pointer to a value is `restrict`. Strides and positions are in elements. Constants have buffers of
// their own.

// Rounded once where the device does that at full speed.
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define DIVIDE_UP(a, b) (((a) + (b) - 1) / (b))

// What is done to an element before it is stored: 1 relu, 2 min(max(x, low), high), 3 x < 0 ? low · x : x; otherwise
// nothing. NaN stays NaN.
#define DEFINE_ACTIVATE(name, type)                                              \
    static inline type name(type x, int activation, float low, float high) {     \
        if (activation == 1) return select(x, (type)0, x < (type)0);             \
        if (activation == 2) {                                                   \
            const type raised = select(x, (type)low, x < (type)low);             \
            return select(raised, (type)high, raised > (type)high);              \
        }                                                                        \
        if (activation == 3) return select(x, low * x, x < (type)0);             \
        return x;                                                                \
    }

DEFINE_ACTIVATE(activate1, float)
DEFINE_ACTIVATE(activate2, float2)
DEFINE_ACTIVATE(activate4, float4)

// Vectors of VECTOR adjacent elements, 1, 2 or 4: with more than one, every address is a multiple of the vector.
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
