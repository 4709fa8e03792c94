// Functions of one or two 8-bit integers that broadcast. Extents and strides as in walk.cl, in the output's memory
// order.
//
// NDRange: [elements / VECTOR rounded up], any local size.
// Macros: RANK; VECTOR, 1 or 4. With VECTOR 4 the last extent, all positions and all strides but the last are multiples
// of 4; the last stride is 1, or for an operand 0 where it is broadcast.

// The bytes of VECTOR adjacent elements.
static inline void read_bytes(
    __global const uchar *from, int8 place, int8 strides, int is_signed, int values[VECTOR]) {
    from += position_of(RANK, place, strides);
#if VECTOR == 1
    values[0] = is_signed ? (int)as_char(from[0]) : (int)from[0];
#else
    int steps[8];
    vstore8(strides, 0, steps);
    const uchar4 bytes = steps[RANK - 1] == 0 ? (uchar4)from[0] : *(__global const uchar4 *)from;
    vstore4(is_signed ? convert_int4(as_char4(bytes)) : convert_int4(bytes), 0, values);
#endif
}

static inline void store_bytes(const int values[VECTOR], __global uchar *to) {
#if VECTOR == 1
    to[0] = (uchar)values[0];
#else
    *(__global uchar4 *)to = convert_uchar4(vload4(0, values) & 255);
#endif
}

#ifdef FUNCTION
// The multipliers of operators on two operands, after `Graphs`' IntegerAdd, IntegerMul and IntegerPRelu: `first`,
// `second` and `output` with their shifts; those that an operator lacks are 0. Scales are bits of float32.
typedef struct {
    int left_shift, first, first_shift, second, second_shift, output, output_shift;
} multipliers;

// Macros: FUNCTION, 0 for sums, 1 for differences, 2 for sums in float32, 3 for products, 4 for PRelu, whose slope is
// b.
static inline int combine(int a, int b, multipliers by) {
#if FUNCTION == 0
    return scale_twice(
        scale_twice((int)((uint)a << by.left_shift), by.first, by.first_shift) +
            scale_twice((int)((uint)b << by.left_shift), by.second, by.second_shift),
        by.output, by.output_shift);
#elif FUNCTION == 1
    return scale_twice(
        scale_twice((int)((uint)a << by.left_shift), by.first, by.first_shift) -
            scale_twice((int)((uint)b << by.left_shift), by.second, by.second_shift),
        by.output, by.output_shift);
#elif FUNCTION == 2
    const float sum = rounded_product(a, as_float(by.first)) + rounded_product(b, as_float(by.second));
    return convert_int(clamp(rint(sum), -65536.0f, 65536.0f));
#elif FUNCTION == 3
    return scale_twice(a * b, by.output, by.output_shift);
#else
    return a >= 0 ? scale_twice(a, by.first, by.first_shift) : scale_twice(a * b, by.second, by.second_shift);
#endif
}

// output = min(max(combine(a − a_point, b − b_point) + zero_point, low), high). Macros also: A_SIGNED and B_SIGNED.
__kernel void integer_binary(
    __global const uchar *a, ulong a_position, __global const uchar *b, ulong b_position, __global uchar *output,
    ulong output_position, int count, int8 extents, int8 a_strides, int8 b_strides, int8 output_strides, int a_point,
    int b_point, int zero_point, int low, int high, int left_shift, int first, int first_shift, int second,
    int second_shift, int factor, int factor_shift) {
    const int index = get_global_id(0) * VECTOR;
    if (index >= count) return;
    const int8 place = coordinates(RANK, extents, index);
    const multipliers by = {left_shift, first, first_shift, second, second_shift, factor, factor_shift};
    int left[VECTOR], right[VECTOR];
    read_bytes(a + a_position, place, a_strides, A_SIGNED, left);
    read_bytes(b + b_position, place, b_strides, B_SIGNED, right);
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        left[i] = clamp(combine(left[i] - a_point, right[i] - b_point, by) + zero_point, low, high);
    store_bytes(left, output + output_position + position_of(RANK, place, output_strides));
}
#else
// output = table[input − the least input], for bytes that are signed with SIGNED.
__kernel void look_up(
    __global const uchar *input, ulong input_position, __global const uchar *table, ulong table_position,
    __global uchar *output, ulong output_position, int count, int8 extents, int8 input_strides, int8 output_strides) {
    const int index = get_global_id(0) * VECTOR;
    if (index >= count) return;
    const int8 place = coordinates(RANK, extents, index);
    int values[VECTOR];
    read_bytes(input + input_position, place, input_strides, 0, values);
    table += table_position;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) values[i] = table[values[i] ^ (SIGNED ? 128 : 0)];
    store_bytes(values, output + output_position + position_of(RANK, place, output_strides));
}
#endif
