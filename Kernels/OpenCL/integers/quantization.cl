// Numbers that become 8-bit integers with a scale that is found while the network runs, or with a given one, as rows of
// bytes for integer_gemm.cl: `length` bytes, then zeros up to `pitch`, a multiple of 4.

// x / divisor for finite numbers, of which the divisor is positive, rounded as IEEE 754 asks, which `/` need not be: a
// quotient near it is corrected by what is left, twice. Where the quotient is subnormal, the last bit may differ.
static inline float exact_quotient(float x, float divisor) {
    // Numbers whose remainders could be subnormal are made larger, which is exact.
    const float lift = divisor < 0x1p-60f ? 0x1p64f : 1;
    x *= lift;
    divisor *= lift;
    float reciprocal = 1 / divisor;
    reciprocal = fma(fma(-divisor, reciprocal, 1.0f), reciprocal, reciprocal);
    float near = x * reciprocal;
    near = fma(fma(-near, divisor, x), reciprocal, near);
    return fma(fma(-near, divisor, x), reciprocal, near);
}

// extent / steps, a scale, as exactly.
static inline float scale_of(float extent, float steps) {
    return extent < 0x1p-60f ? exact_quotient(extent * 0x1p64f, steps) * 0x1p-64f : exact_quotient(extent, steps);
}

// round(x / scale) + zero_point within the range, halves to the even integer; NaN counts as 0.
static inline int quantized(float x, float scale, int zero_point, int low, int high) {
    // Beyond this every quotient is at an end of the range; 0 for NaN.
    const float bound = min(scale * 1024, FLT_MAX);
    const float within = x != x ? 0 : clamp(x, -bound, bound);
    return clamp((int)rint(exact_quotient(within, scale)) + zero_point, low, high);
}

// Four bytes of a row from `column` on.
static inline void store_quantized(
    __global const float *row, int column, int length, float scale, int zero_point, int low, int high,
    int stores_padding, __global uchar *to) {
    uchar bytes[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        bytes[i] = column + i < length ? (uchar)quantized(row[column + i], scale, zero_point, low, high) : 0;
    if (stores_padding) {
        *(__global uchar4 *)(to + column) = vload4(0, bytes);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (column + i < length) to[column + i] = bytes[i];
    }
}

#ifdef BY_ROW
// Each row by its own largest magnitude: scale = max(max |x| / 127, 2⁻¹²⁶), integers round(x / scale), signed. A row
// with a number that is not finite has the scale NaN, and zeros.
//
// A work-group computes OUTPUT_ITEMS rows, each with ITEMS work-items.
// NDRange: [rows rounded up to OUTPUT_ITEMS, ITEMS], local size [OUTPUT_ITEMS, ITEMS, 1].
// Macros: BY_ROW; OUTPUT_ITEMS; ITEMS, a power of 2.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void quantize_rows(
    __global const float *input, ulong input_position, __global uchar *output, ulong output_position,
    __global float *scales, ulong scales_position, int rows, int length, int pitch) {
    // As integers, the bits of NaN are above those of ∞, which are above those of other magnitudes.
    __local uint largest_bits[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), row = get_global_id(0);
    const int is_present = row < rows;
    input += input_position + (is_present ? (long)row * length : 0);
    output += output_position + (is_present ? (long)row * pitch : 0);
    uint bits = 0;
    for (int k = item; is_present && k < length; k += ITEMS) bits = max(bits, as_uint(input[k]) & 0x7fffffffu);
    largest_bits[item][x] = bits;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count)
            largest_bits[item][x] = max(largest_bits[item][x], largest_bits[item + half_count][x]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_present) return;
    bits = largest_bits[0][x];
    const int is_finite = bits < 0x7f800000u;
    const float largest = as_float(bits);
    // A smaller magnitude has the least scale, and no quotient that is not normal is needed.
    const float scale = largest <= 127 * 0x1p-126f ? 0x1p-126f : scale_of(largest, 127);
    if (item == 0) scales[scales_position + row] = is_finite ? scale : NAN;
    for (int column = 4 * item; column < pitch; column += 4 * ITEMS) {
        if (is_finite) store_quantized(input, column, length, scale, 0, -127, 127, 1, output);
        else *(__global uchar4 *)(output + column) = (uchar4)0;
    }
}
#endif

#ifdef BY_RANGE
// The whole value by its range, as DynamicQuantizeLinear does. A first kernel finds the least and the largest number of
// each of its groups, and 0; in a second every group joins those of all.
//
// Macros: BY_RANGE; ITEMS, a power of 2, the work-items of a group.
static inline float2 folded(__local float2 *ranges, float2 range) {
    const int item = get_local_id(0);
    ranges[item] = range;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) {
            const float2 a = ranges[item], b = ranges[item + half_count];
            ranges[item] = (float2)(min(a.x, b.x), max(a.y, b.y));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return ranges[0];
}

// NDRange: [ITEMS · groups], local size [ITEMS]. NaN is passed over.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void find_ranges(
    __global const float *input, ulong input_position, __global float *ranges, ulong ranges_position, int count) {
    __local float2 memory[ITEMS];
    input += input_position;
    float2 range = (float2)0;
    for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float x = input[i];
        if (x < range.x) range.x = x;
        if (x > range.y) range.y = x;
    }
    range = folded(memory, range);
    if (get_local_id(0) == 0) vstore2(range, get_group_id(0), ranges + ranges_position);
}

// The scale is (high − low) / 255, the zero point round(−low / scale) from 0 to 255. Where the scale is 0 or not
// finite, all numbers become the zero point, which is 0.
//
// NDRange: [rows · pitch / 4 rounded up to ITEMS], local size [ITEMS]. `groups` ranges are joined.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void quantize_by_range(
    __global const float *input, ulong input_position, __global const float *ranges, ulong ranges_position,
    __global uchar *output, ulong output_position, __global float *scales, ulong scales_position,
    __global uchar *points, ulong points_position, int groups, int rows, int length, int pitch, int stores_padding) {
    __local float2 memory[ITEMS];
    float2 range = (float2)0;
    for (int group = get_local_id(0); group < groups; group += ITEMS) {
        const float2 other = vload2(group, ranges + ranges_position);
        range = (float2)(min(range.x, other.x), max(range.y, other.y));
    }
    range = folded(memory, range);
    const float extent = range.y - range.x;
    float scale = isfinite(extent) ? scale_of(extent, 255) : extent;
    int point = 0;
    const int has_quotients = scale > 0 && isfinite(scale);
    if (has_quotients) point = clamp((int)rint(exact_quotient(-range.x, scale)), 0, 255);
    const long index = get_global_id(0);
    if (index == 0) {
        scales[scales_position] = scale;
        points[points_position] = (uchar)point;
    }
    const int words = DIVIDE_UP(pitch, 4);
    const int row = index / words, column = index % words * 4;
    if (row >= rows) return;
    store_quantized(
        input + input_position + (long)row * length, column, length, has_quotients ? scale : 1, point, 0,
        has_quotients ? 255 : 0, stores_padding, output + output_position + (long)row * pitch);
}
#endif

#ifdef FIXED
// All numbers with one given scale. NDRange: [pitch / 4, rows], any local size. Macros: FIXED.
__kernel void quantize_fixed(
    __global const float *input, ulong input_position, __global uchar *output, ulong output_position, int length,
    int pitch, float scale, int zero_point, int low, int high) {
    const int row = get_global_id(1);
    store_quantized(
        input + input_position + (long)row * length, get_global_id(0) * 4, length, scale, zero_point, low, high, 1,
        output + output_position + (long)row * pitch);
}
#endif
