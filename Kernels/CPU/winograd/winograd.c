#include "../instruction_sets.h"
#include "../target.h"
#include "apus_bfloat16.h"
#include "apus_winograd.h"
#include "points.h"

#include <string.h>

extern const apus_winograd_kernel apus_winograd_avx2[];
extern const apus_winograd_kernel apus_winograd_avx512[];
extern const apus_winograd_kernel apus_winograd_neon[];
extern const apus_winograd_kernel apus_winograd_avx512_bf16[];
extern const apus_winograd_kernel apus_winograd_neon_bf16[];

const apus_winograd_kernel *apus_winograd_kernel_for(apus_instructions instructions, apus_winograd_kind kind) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_winograd_baseline[kind], &apus_winograd_avx2[kind], &apus_winograd_avx512[kind],
        &apus_winograd_neon[kind]);
}

const apus_winograd_kernel *apus_winograd_of_bfloat16_for(apus_instructions instructions, apus_winograd_kind kind) {
#if defined(__x86_64__)
    if (apus_bfloat16_kernel_for(instructions)) return &apus_winograd_avx512_bf16[kind];
#elif defined(__aarch64__)
    if (apus_bfloat16_kernel_for(instructions)) return &apus_winograd_neon_bf16[kind];
#else
    (void)instructions;
    (void)kind;
#endif
    return NULL;
}

typedef struct {
    winograd_axis rows, columns;
} winograd_axes;

#define WINOGRAD_KIND(name, constant, row_axis, column_axis)                                                      \
    [constant] = {WINOGRAD_AXIS(row_axis), WINOGRAD_AXIS(column_axis)},
static const winograd_axes axes_of_kinds[] = {WINOGRAD_KINDS};
#undef WINOGRAD_KIND

apus_winograd_shape apus_winograd_shape_of(apus_winograd_kind kind) {
    const winograd_axes axes = axes_of_kinds[kind];
    return (apus_winograd_shape){
        .tile_height = axes.rows.outputs, .tile_width = axes.columns.outputs, .kernel_height = axes.rows.taps,
        .kernel_width = axes.columns.taps, .stride_height = axes.rows.stride, .stride_width = axes.columns.stride,
        .product_count = winograd_inputs(axes.rows) * winograd_inputs(axes.columns),
        .factor_count = winograd_factors(axes.rows) * winograd_factors(axes.columns)};
}

ptrdiff_t apus_winograd_transformed_count(apus_winograd_kind kind, ptrdiff_t input_channels, ptrdiff_t tile_count) {
    return apus_winograd_shape_of(kind).product_count *
           winograd_spread(winograd_rounded(input_channels, WINOGRAD_CHANNEL_BLOCK) * tile_count);
}

ptrdiff_t apus_winograd_scratch_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t tile_count, int transforms_weights) {
    const ptrdiff_t sums = winograd_spread(tile_count * kernel->panel_columns);
    const ptrdiff_t panel = transforms_weights ? WINOGRAD_BLOCK_WEIGHTS | 16 : 0;
    const apus_winograd_shape shape = apus_winograd_shape_of(kind);
    return shape.product_count * sums + shape.factor_count * panel;
}

/// The number of elements of a packed filter.
static ptrdiff_t packed_elements(apus_winograd_kind kind, int transforms_weights) {
    const apus_winograd_shape shape = apus_winograd_shape_of(kind);
    return transforms_weights ? shape.kernel_height * shape.kernel_width : shape.factor_count;
}

ptrdiff_t apus_winograd_packed_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t input_channels, ptrdiff_t output_channels,
    int transforms_weights) {
    return winograd_rounded(output_channels, kernel->panel_columns) *
           winograd_rounded(input_channels, WINOGRAD_DEPTH_STEP) * packed_elements(kind, transforms_weights);
}

/// One number of each of LANES filters.
typedef double lanes __attribute__((vector_size(64)));
enum { LANES = sizeof(lanes) / sizeof(double) };

#define WINOGRAD_INLINE static inline __attribute__((always_inline))

/// The factors of an axis: to = G from, and with stride 2 the odd tap.
WINOGRAD_INLINE void transform_taps(winograd_axis axis, const lanes *from, lanes *to) {
    if (axis.stride == 2) to[winograd_points(axis)] = from[1];
    if (axis.pairs == 0) {
        to[0] = from[0];
        return;
    }
    to[0] = from[0] / winograd_denominator_of_zero(axis);
    to[2 * axis.pairs + 1] = from[axis.taps - 1];
    for (int i = 0; i < 2 * axis.pairs; i++) {
        const double point = i % 2 ? -winograd_point(axis, i / 2) : winograd_point(axis, i / 2);
        lanes sum = {0};
        for (int k = axis.taps - 1; k >= 0; k -= axis.stride) {
            // Products and sums are not contracted, so that packed weights are the same for every instruction set.
#pragma clang fp contract(off)
            sum = sum * point + from[k];
        }
        to[i + 1] = sum / winograd_denominator(axis, i / 2);
    }
}

/// to = G filter Gᵗ for LANES filters.
WINOGRAD_INLINE void transform_filters(winograd_axes axes, const lanes *filter, lanes *to) {
    const int height = winograd_factors(axes.rows), width = winograd_factors(axes.columns);
    lanes half[WINOGRAD_MAXIMUM_INPUTS][WINOGRAD_MAXIMUM_TAPS];
    for (int x = 0; x < axes.columns.taps; x++) {
        lanes from[WINOGRAD_MAXIMUM_TAPS], line[WINOGRAD_MAXIMUM_INPUTS];
        for (int y = 0; y < axes.rows.taps; y++) from[y] = filter[y * axes.columns.taps + x];
        transform_taps(axes.rows, from, line);
        for (int y = 0; y < height; y++) half[y][x] = line[y];
    }
    for (int y = 0; y < height; y++) transform_taps(axes.columns, half[y], to + y * width);
}

/// Loads one element of each of `count` ≤ LANES filters, which begin `stride` elements apart; the other lanes are 0.
WINOGRAD_INLINE void load_lanes(const float *filters, ptrdiff_t stride, ptrdiff_t count, lanes *to) {
    *to = (lanes){0};
    for (ptrdiff_t lane = 0; lane < count; lane++) (*to)[lane] = filters[lane * stride];
}

APUS_KERNEL void apus_winograd_pack(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, const float *weights, ptrdiff_t input_channels,
    ptrdiff_t output_channels, int transforms_weights, float *packed) {
    const winograd_axes axes = axes_of_kinds[kind];
    const ptrdiff_t columns = kernel->panel_columns, elements = packed_elements(kind, transforms_weights);
    const ptrdiff_t depth = winograd_rounded(input_channels, WINOGRAD_DEPTH_STEP);
    const ptrdiff_t most = winograd_depth_block(columns);
    const ptrdiff_t taps = axes.rows.taps * axes.columns.taps;
    memset(packed, 0, (size_t)(winograd_rounded(output_channels, columns) * depth * elements) * sizeof(float));
    for (ptrdiff_t first = 0; first < output_channels; first += columns, packed += columns * depth * elements) {
        const ptrdiff_t left = output_channels - first, width = left < columns ? left : columns;
        for (ptrdiff_t channel = 0; channel < input_channels; channel++) {
            const ptrdiff_t start = channel / most * most, rest = depth - start;
            const ptrdiff_t block = rest < most ? rest : most;
            float *to = packed + (transforms_weights ? channel * taps : start * elements + channel - start) * columns;
            const ptrdiff_t step = transforms_weights ? columns : block * columns;
            for (ptrdiff_t column = 0; column < width; column += LANES) {
                const float *filters = weights + ((first + column) * input_channels + channel) * taps;
                const ptrdiff_t count = width - column < LANES ? width - column : LANES;
                lanes numbers[WINOGRAD_MAXIMUM_PRODUCTS], products[WINOGRAD_MAXIMUM_PRODUCTS];
                for (ptrdiff_t i = 0; i < taps; i++)
                    load_lanes(filters + i, input_channels * taps, count, numbers + i);
                if (!transforms_weights) transform_filters(axes, numbers, products);
                const lanes *from = transforms_weights ? numbers : products;
                for (ptrdiff_t i = 0; i < elements; i++)
                    for (ptrdiff_t lane = 0; lane < count; lane++)
                        to[i * step + column + lane] = (float)from[i][lane];
            }
        }
    }
}
