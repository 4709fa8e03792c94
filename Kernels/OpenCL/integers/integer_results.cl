// What becomes of the sums of integer_tile.cl, in which the factors still have their zero points:
//
// exact[m][n] = sums[m][n] − right_points[n] · row_sums[m] − left_point[m] · column_sums[n]
//
// with column_sums[n] = Σ over k of (right[k][n] − right_points[n]). No part of it leaves 32 bits where 255 · 255 for
// each product does not. What is stored in row m and column n is, by RESULT:
//
// RESULT_BYTES: requantize(exact + bias[n]), with rows of parameters bias, factor and shift, parameter_pitch apart;
// with STAGES, what the stages of stages.cl make of it.
// RESULT_SUMS: exact.
// RESULT_NUMBERS: activation(exact · (row_scale[m] · scale[n]) + bias[n] + addend[m][n]), with rows of numbers, scale
// and bias, parameter_pitch apart. The addend lies as the output does.
//
// Macros: those of integer_tile.cl; RESULT; OUTPUT_VECTOR 4 where columns and the output's position and strides are
// multiples of 4, otherwise 1; SUMS_ROWS where a right point is not 0; LEFT_POINTS where left points are bytes in
// memory, of the type of the left bytes, left_step apart; ROUNDING with RESULT_BYTES; ACTIVATION with RESULT_NUMBERS;
// VECTOR, 4, and those of stages.cl with STAGES.

#define RESULT_BYTES 0
#define RESULT_SUMS 1
#define RESULT_NUMBERS 2

#ifdef STAGES
#define STAGE_PARAMETERS float8 alphas, float8 betas,
#define STAGE_RESULTS , alphas, betas
#else
#define STAGE_PARAMETERS
#define STAGE_RESULTS
#endif

#if RESULT == RESULT_BYTES
#ifdef STAGES
typedef output_element result_element;
typedef output_vector result_vector;
#else
typedef uchar result_element;
typedef uchar4 result_vector;
#endif
#define RESULT_PARAMETERS                                                                              \
    __global const uchar *left_points, ulong left_points_position, int left_point, int left_step,      \
        __global const int *parameters, ulong parameters_position, int zero_point, int low, int high, \
        STAGE_PARAMETERS __global result_element *output, ulong output_position
#elif RESULT == RESULT_SUMS
typedef int result_element;
typedef int4 result_vector;
#define RESULT_PARAMETERS                                                                         \
    __global const uchar *left_points, ulong left_points_position, int left_point, int left_step, \
        __global int *output, ulong output_position
#else
typedef float result_element;
typedef float4 result_vector;
#define RESULT_PARAMETERS                                                                               \
    __global const uchar *left_points, ulong left_points_position, int left_point, int left_step,       \
        __global const float *parameters, ulong parameters_position, __global const float *row_scales, \
        ulong row_scales_position, int row_scale_step, __global const float *addend,                    \
        ulong addend_position, int has_addend, float low, float high, __global float *output,           \
        ulong output_position
#endif

typedef struct {
    __global const int *column_sums, *right_points;
    int columns;
    __global const uchar *left_points;
    int left_point, left_step;
    __global result_element *output;
    size_t parameter_pitch;
#if RESULT == RESULT_BYTES
    __global const int *parameters;
    int zero_point, low, high;
#ifdef STAGES
    float8 alphas, betas;
#endif
#elif RESULT == RESULT_NUMBERS
    __global const float *parameters, *row_scales, *addend;
    int row_scale_step, has_addend;
    float low, high;
#endif
} results;

// The results of a kernel with RESULT_PARAMETERS. `right_end` is where the sums of the columns lie, `pitch` for each
// of the right operand's `parts`, which are followed by zero points likewise. Rows of parameters have `row_parts`
// parts.
#if RESULT == RESULT_BYTES
#define SPECIFIC_RESULTS(first) , parameters + parameters_position + (first), zero_point, low, high STAGE_RESULTS
#elif RESULT == RESULT_SUMS
#define SPECIFIC_RESULTS(first)
#else
#define SPECIFIC_RESULTS(first)                                                                      \
    , parameters + parameters_position + (first), row_scales + row_scales_position,                  \
        addend + addend_position, row_scale_step, has_addend, low, high
#endif
#define DEFINE_RESULTS(name, right_end, parts, part, row_parts, row_part, pitch, columns) \
    results name = {                                                                      \
        (__global const int *)(right_end) + (part) * (pitch),                             \
        (__global const int *)(right_end) + ((parts) + (part)) * (pitch),                 \
        columns,                                                                          \
        left_points + left_points_position,                                               \
        left_point,                                                                       \
        left_step,                                                                        \
        output + output_position,                                                         \
        (size_t)(row_parts) * (pitch) SPECIFIC_RESULTS((row_part) * (pitch))}

static inline int left_point_of(const results *to, int row) {
#ifdef LEFT_POINTS
    const uchar point = to->left_points[row * to->left_step];
    return SIGNED ? (int)as_char(point) : (int)point;
#else
    return to->left_point;
#endif
}

static inline void store_vector(
    __global result_element *to, int column, int columns, result_vector value) {
#if OUTPUT_VECTOR == 4
    *(__global result_vector *)(to + column) = value;
#else
    to[column] = value.s0;
    if (column + 1 < columns) to[column + 1] = value.s1;
    if (column + 2 < columns) to[column + 2] = value.s2;
    if (column + 3 < columns) to[column + 3] = value.s3;
#endif
}

// The result for the exact sums of four columns of a row that is stored at `place`.
static inline result_vector result_of(const results *to, int4 exact, int row, long place, int column) {
#if RESULT == RESULT_BYTES
    const int4 sum = exact + *(__global const int4 *)(to->parameters + column);
    const int4 factor = *(__global const int4 *)(to->parameters + to->parameter_pitch + column);
    const int4 shift = *(__global const int4 *)(to->parameters + 2 * to->parameter_pitch + column);
    const int4 bytes = (int4)(
        requantize(sum.s0, factor.s0, shift.s0, to->zero_point, to->low, to->high),
        requantize(sum.s1, factor.s1, shift.s1, to->zero_point, to->low, to->high),
        requantize(sum.s2, factor.s2, shift.s2, to->zero_point, to->low, to->high),
        requantize(sum.s3, factor.s3, shift.s3, to->zero_point, to->low, to->high));
#ifdef STAGES
    const vector operands[4] = {convert_float4(bytes)};
    return TO_OUTPUT(apply_stages(operands, to->alphas, to->betas));
#else
    return convert_uchar4(bytes & 255);
#endif
#elif RESULT == RESULT_SUMS
    return exact;
#else
    const float4 factor =
        to->row_scales[row * to->row_scale_step] * *(__global const float4 *)(to->parameters + column);
    float4 value = convert_float4(exact) * factor +
                   *(__global const float4 *)(to->parameters + to->parameter_pitch + column);
    if (to->has_addend) {
        __global const float *from = to->addend + place + column;
#if OUTPUT_VECTOR == 4
        value += *(__global const float4 *)from;
#else
        value += (float4)(
            from[0], column + 1 < to->columns ? from[1] : 0, column + 2 < to->columns ? from[2] : 0,
            column + 3 < to->columns ? from[3] : 0);
#endif
    }
    return activate4(value, ACTIVATION, to->low, to->high);
#endif
}

// Stores a work-item's sums. Its row i is row first_row + item_row(i) of the left operand, and is stored at places[i];
// a negative place is none.
static inline __attribute__((always_inline)) void store_results(
    const results *to, int first_row, int first_column, lanes sums[ITEM_M][CHUNKS], const int row_sums[ITEM_M],
    const long places[ITEM_M]) {
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        int values[ITEM_M][LANES];
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) JOIN(vstore, LANES)(sums[i][j], 0, values[i]);
#pragma unroll
        for (int l = 0; l < LANES; l += 4) {
            const int column = first_column + chunk_column(j) + l;
            if (column >= to->columns) continue;
            const int4 column_sum = *(__global const int4 *)(to->column_sums + column);
#ifdef SUMS_ROWS
            const int4 right_point = *(__global const int4 *)(to->right_points + column);
#endif
#pragma unroll
            for (int i = 0; i < ITEM_M; i++) {
                if (places[i] < 0) continue;
                const int row = first_row + item_row(i);
                int4 exact = vload4(0, values[i] + l);
#ifdef SUMS_ROWS
                exact -= right_point * row_sums[i];
#endif
                exact -= left_point_of(to, row) * column_sum;
                store_vector(to->output + places[i], column, to->columns, result_of(to, exact, row, places[i], column));
            }
        }
    }
}
