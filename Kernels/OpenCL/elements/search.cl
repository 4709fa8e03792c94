// Searches along an axis: the positions of the best elements, and the elements.
//
// The p-th result is the best of the elements that come after the one before it. ITEMS work-items share a search, as in
// reduction.cl. Extents and strides are as in walk.cl; `input_stride` and `output_stride` are those of the axis.
//
// NDRange: [searches rounded up to OUTPUT_ITEMS, ITEMS], local size [OUTPUT_ITEMS, ITEMS].
// Macros: OUTPUT_ITEMS; ITEMS, a power of 2; RANK, of the searches; LARGEST 1 or 0; TAKES_LAST, whether the last of
// equal elements comes first, 1 or 0; VALUES to store the elements, too.

// Whether element i, a, comes before element j, b. Numbers come before NaN. Of NaN the first comes first with VALUES,
// otherwise the last, as TopK and ArgMax define it.
static inline int comes_before(float a, int i, float b, int j) {
    if (isnan(a) || isnan(b)) {
#ifdef VALUES
        return isnan(b) && (!isnan(a) || i < j);
#else
        return isnan(b) && (!isnan(a) || i > j);
#endif
    }
    if (a == b) return TAKES_LAST ? i > j : i < j;
    return LARGEST ? a > b : a < b;
}

// The one of two elements and their positions that comes first; a negative position is none.
static inline float2 first_of(float2 a, float2 b) {
    const int i = as_int(a.s1), j = as_int(b.s1);
    if (i < 0 || j < 0) return i < 0 ? b : a;
    return comes_before(a.s0, i, b.s0, j) ? a : b;
}

__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void search(
    __global const float *input, ulong input_position, __global long *positions, ulong positions_position,
    __global float *values, ulong values_position, int searches, int8 extents, int8 input_strides, int8 output_strides,
    int count, int input_stride, int result_count, int output_stride) {
    __local float2 results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), index = get_global_id(0);
    const int8 place = coordinates(RANK, extents, index);
    const float2 none = (float2)(0, as_float(-1));
    long to = 0;
    if (index < searches) {
        input += input_position + position_of(RANK, place, input_strides);
        to = position_of(RANK, place, output_strides);
    } else {
        count = 0;
    }
    float2 last = none;
    for (int p = 0; p < result_count; p++) {
        float2 best = none;
        for (int i = item; i < count; i += ITEMS) {
            const float value = input[(long)i * input_stride];
            if (p > 0 && !comes_before(last.s0, as_int(last.s1), value, i)) continue;
            best = first_of(best, (float2)(value, as_float(i)));
        }
        results[item][x] = best;
        for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < half_count) results[item][x] = first_of(results[item][x], results[item + half_count][x]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        last = results[0][x];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0 && index < searches) {
            positions[positions_position + to + (long)p * output_stride] = as_int(last.s1);
#ifdef VALUES
            values[values_position + to + (long)p * output_stride] = last.s0;
#endif
        }
    }
}
