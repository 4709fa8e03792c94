// Reductions over axes, and softmax.
//
// ITEMS work-items share an output. Item i takes elements i, i + ITEMS, …, in ascending order; the results of the items
// are then folded in halves. Extents and strides are as in walk.cl.
// NDRange: [outputs rounded up to OUTPUT_ITEMS, ITEMS], local size [OUTPUT_ITEMS, ITEMS].
// Macros: OUTPUT_ITEMS; ITEMS, a power of 2; RANK, of the outputs.

// NaN wins over every number.
static inline float larger(float a, float b) { return b > a || b != b ? b : a; }
static inline float smaller(float a, float b) { return b < a || b != b ? b : a; }

#ifdef REDUCTION
#define SUM 1
#define MEAN 2
#define MAXIMUM 3
#define MINIMUM 4
#define PRODUCT 5
#define ABSOLUTE_SUM 6
#define ROOT_OF_SQUARES 7
#define SQUARES 8

#if REDUCTION == MAXIMUM
#define INITIAL (-INFINITY)
#define FOLD(a, b) larger(a, b)
#elif REDUCTION == MINIMUM
#define INITIAL INFINITY
#define FOLD(a, b) smaller(a, b)
#elif REDUCTION == PRODUCT
#define INITIAL 1
#define FOLD(a, b) ((a) * (b))
#else
#define INITIAL 0
#define FOLD(a, b) ((a) + (b))
#endif

static inline float prepare(float x) {
    if (REDUCTION == ABSOLUTE_SUM) return fabs(x);
    return REDUCTION == ROOT_OF_SQUARES || REDUCTION == SQUARES ? x * x : x;
}

static inline float finish(float x, int count) {
    if (REDUCTION == MEAN) return x / count;
    return REDUCTION == ROOT_OF_SQUARES ? sqrt(x) : x;
}

// output[i] = FINISH(FOLD over j of PREPARE(input[i][j])). `reduced_…` are the REDUCED_RANK axes of j.
// Macros: REDUCTION, one of those above; REDUCED_RANK.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void reduce(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int outputs,
    int8 extents, int8 input_strides, int8 output_strides, int reduced_count, int8 reduced_extents,
    int8 reduced_strides) {
    __local float results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), index = get_global_id(0);
    const int8 place = coordinates(RANK, extents, index);
    float result = INITIAL;
    if (index < outputs) {
        input += input_position + position_of(RANK, place, input_strides);
        for (int i = item; i < reduced_count; i += ITEMS) {
            const int8 at = coordinates(REDUCED_RANK, reduced_extents, i);
            result = FOLD(result, prepare(input[position_of(REDUCED_RANK, at, reduced_strides)]));
        }
    }
    results[item][x] = result;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) results[item][x] = FOLD(results[item][x], results[item + half_count][x]);
    }
    if (item == 0 && index < outputs)
        output[output_position + position_of(RANK, place, output_strides)] = finish(results[0][x], reduced_count);
}
#endif

#ifdef SOFTMAX
// output[i][k] = exp(input[i][k] − max) ÷ Σ exp(input[i][j] − max), or with LOGARITHM the logarithm of that, for
// `count` elements k. In place is allowed. Macros: SOFTMAX; LOGARITHM.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void softmax(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int outputs,
    int8 extents, int8 input_strides, int8 output_strides, int count, int input_stride, int output_stride) {
    __local float results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), index = get_global_id(0);
    const int8 place = coordinates(RANK, extents, index);
    input += input_position;
    output += output_position;
    if (index < outputs) {
        input += position_of(RANK, place, input_strides);
        output += position_of(RANK, place, output_strides);
    } else {
        count = 0;
    }
    float result = -INFINITY;
    for (int k = item; k < count; k += ITEMS) result = larger(result, input[(long)k * input_stride]);
    results[item][x] = result;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) results[item][x] = larger(results[item][x], results[item + half_count][x]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float maximum = results[0][x];
    barrier(CLK_LOCAL_MEM_FENCE);
    result = 0;
    for (int k = item; k < count; k += ITEMS) result += exp(input[(long)k * input_stride] - maximum);
    results[item][x] = result;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) results[item][x] += results[item + half_count][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum = results[0][x];
#ifdef LOGARITHM
    const float shift = maximum + log(sum);
    for (int k = item; k < count; k += ITEMS) output[(long)k * output_stride] = input[(long)k * input_stride] - shift;
#else
    for (int k = item; k < count; k += ITEMS)
        output[(long)k * output_stride] = exp(input[(long)k * input_stride] - maximum) / sum;
#endif
}
#endif

#ifdef NORMALIZATION
static float group_sum(__local float results[ITEMS][OUTPUT_ITEMS], int x, int item, float value) {
    results[item][x] = value;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) results[item][x] += results[item + half_count][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum = results[0][x];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

// output[i][k] = (input[i][k] − mean) ÷ √(variance + epsilon) · scale[k] + bias[k] for dense rows i of `length`
// elements; without CENTRED the mean is taken as 0. Macros: NORMALIZATION, CENTRED.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void normalize_rows(
    __global const float *input, ulong input_position, __global const float *scale, ulong scale_position,
    __global const float *bias, ulong bias_position, __global float *output, ulong output_position, int rows,
    int length, float epsilon) {
    __local float results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), index = get_global_id(0);
    const int count = index < rows ? length : 0;
    const long start = index < rows ? (long)index * length : 0;
    input += input_position + start;
    output += output_position + start;
    scale += scale_position;
    bias += bias_position;
    float sum = 0;
#ifdef CENTRED
    for (int k = item; k < count; k += ITEMS) sum += input[k];
    const float mean = group_sum(results, x, item, sum) / length;
    sum = 0;
#else
    const float mean = 0;
#endif
    for (int k = item; k < count; k += ITEMS) sum = MULTIPLY_ADD(input[k] - mean, input[k] - mean, sum);
    const float factor = 1 / sqrt(group_sum(results, x, item, sum) / length + epsilon);
    for (int k = item; k < count; k += ITEMS)
        output[k] = MULTIPLY_ADD((input[k] - mean) * factor, scale[k], bias[k]);
}
#endif
