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

// The activation of an element before it is stored, by number: 1 relu; 2 min(max(x, low), high); 3 x < 0 ? low · x : x;
// 4 max(0, min(1, low · x + high)); 5 x · max(0, min(1, x / 6 + 1 / 2)); 6 1 / (1 + e⁻ˣ); 7 x / (1 + e⁻ˣ); 8 Gelu;
// 9 Gelu's tanh form; any other number leaves it as it is. NaN stays NaN.
#define DEFINE_ACTIVATE(name, type)                                              \
    static inline type name(type x, int activation, float low, float high) {     \
        if (activation == 1) return select(x, (type)0, x < (type)0);             \
        if (activation == 2) {                                                   \
            const type raised = select(x, (type)low, x < (type)low);             \
            return select(raised, (type)high, raised > (type)high);              \
        }                                                                        \
        if (activation == 3) return select(x, low * x, x < (type)0);             \
        if (activation < 4) return x;                                            \
        if (activation == 4 || activation == 5) {                                \
            const type y = activation == 4 ? low * x + high : x / 6 + 0.5f;      \
            const type raised = select(y, (type)0, y < (type)0);                 \
            const type part = select(raised, (type)1, raised > (type)1);         \
            return activation == 4 ? part : x * part;                            \
        }                                                                        \
        if (activation == 8) return 0.5f * x * (1 + erf(x * M_SQRT1_2_F));       \
        const type factor = activation == 9 ? 1.595769122f + 0.0713548163f * x * x : (type)1; \
        const type part = 1 / (1 + exp(-x * factor));                            \
        return activation == 6 ? part : x * part;                                \
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
