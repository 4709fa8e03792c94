// A chain of elementwise functions of one array, or of up to four arrays that broadcast: the stages of stages.cl.
//
// Operands are numbered 0 (a) to 3 (d); an operand that no stage names is not read.
//
// NDRange: [elements / VECTOR rounded up], any local size. Extents and strides as in walk.cl, in the output's memory
// order.
// Macros: those of stages.cl; RANK; INTEGERS, when the elements of a are integers: uchar, char or int. A VECTOR above 1
// divides the last extent, all positions and all strides but the last, which is 1 or 0 for an operand and 1 for the
// output. `output` may be an operand with equal strides.

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
    STORE_OUTPUT(
        apply_stages(operands, alphas, betas), output + output_position + position_of(RANK, place, output_strides));
}
