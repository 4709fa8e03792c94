#include "../target.h"
#include "apus_integer.h"

#include <string.h>

/// A weight less the zero point.
static inline int32_t weight_of(const apus_integer_weights *weights, uint8_t byte) {
    return (weights->is_signed ? (int32_t)(int8_t)byte : (int32_t)byte) - weights->zero_point;
}

#define INTEGER_INLINE static inline __attribute__((always_inline))

/// Cuts the columns [first, first + count) into a panel of zeros, and finds their sums. `group` is a constant of the
/// caller.
INTEGER_INLINE void pack_panel(
    const apus_integer_weights *weights, ptrdiff_t first, ptrdiff_t count, const ptrdiff_t group,
    ptrdiff_t panel_columns, void *panel, int32_t *sums) {
    const apus_integer_weights w = *weights;
    const ptrdiff_t depth = w.tap_count * w.channel_count, run_depth = depth / w.run_count;
    const uint8_t *rows = w.elements + first * depth;
    int8_t *bytes = panel;
    int16_t *differences = panel;
    ptrdiff_t tap = 0, channel = 0, word = 0;
    for (ptrdiff_t column = 0; column < count; column++) sums[column] = 0;
    for (ptrdiff_t run = 0; run < w.run_count; run++) {
        for (ptrdiff_t k = 0; k < run_depth; k++) {
            const uint8_t *from = rows + channel * w.tap_count + tap;
            const ptrdiff_t place = word * panel_columns * group + k % group;
            for (ptrdiff_t column = 0; column < count; column++) {
                const int32_t value = weight_of(&w, from[column * depth]);
                if (group == 4) bytes[place + column * group] = (int8_t)value;
                else differences[place + column * group] = (int16_t)value;
                sums[column] += value;
            }
            if (++channel == w.channel_count) channel = 0, tap++;
            if (k % group == group - 1 || k == run_depth - 1) word++;
        }
    }
}

/// Adds to every column's `products` Σ p · q over its runs, for words p = k and q = `paired` + k of a run, k <
/// `paired`.
INTEGER_INLINE void add_pair_products(
    const int16_t *panel, ptrdiff_t run_count, ptrdiff_t run_words, ptrdiff_t paired, ptrdiff_t panel_columns,
    ptrdiff_t count, uint32_t *products) {
    const ptrdiff_t word = 2 * panel_columns;
    for (ptrdiff_t run = 0; run < run_count; run++, panel += run_words * word) {
        for (ptrdiff_t k = 0; k < paired; k++) {
            const int16_t *p = panel + k * word, *q = p + paired * word;
            for (ptrdiff_t column = 0; column < count; column++, p += 2, q += 2)
                products[column] += (uint32_t)(p[0] * q[0]) + (uint32_t)(p[1] * q[1]);
        }
    }
}

APUS_KERNEL void apus_pack_integers(
    const apus_integer_weights *weights, const apus_integer_kernel *kernel, void *panels, int32_t *sums,
    int32_t *pair_products) {
    const apus_integer_weights w = *weights;
    const ptrdiff_t group = kernel->group, panel_columns = kernel->panel_columns;
    const ptrdiff_t run_depth = w.tap_count * w.channel_count / w.run_count;
    const ptrdiff_t run_words = (run_depth + group - 1) / group;
    const ptrdiff_t panel_bytes = w.run_count * run_words * panel_columns * (ptrdiff_t)sizeof(int32_t);
    const int is_paired = kernel->minimum_paired_words > 0 && run_words >= kernel->minimum_paired_words;
    uint8_t *panel = panels;
    for (ptrdiff_t first = 0; first < w.column_count; first += panel_columns, panel += panel_bytes) {
        const ptrdiff_t left = w.column_count - first, count = left < panel_columns ? left : panel_columns;
        memset(panel, 0, (size_t)panel_bytes);
        memset(pair_products + first, 0, (size_t)count * sizeof *pair_products);
        if (group == 4) pack_panel(&w, first, count, 4, panel_columns, panel, sums + first);
        else pack_panel(&w, first, count, 2, panel_columns, panel, sums + first);
        if (is_paired)
            add_pair_products(
                (const int16_t *)panel, w.run_count, run_words, run_words / 2, panel_columns, count,
                (uint32_t *)pair_products + first);
    }
}

APUS_KERNEL int64_t apus_largest_sum(const apus_integer_weights *weights, int64_t minimum, int64_t maximum) {
    /// The sum of this many weights, less their zero point, is below 2³¹.
    enum { BLOCK = 1 << 22 };
    const apus_integer_weights w = *weights;
    const ptrdiff_t depth = w.tap_count * w.channel_count;
    int64_t largest = 0;
    for (ptrdiff_t column = 0; column < w.column_count; column++) {
        const uint8_t *row = w.elements + column * depth;
        int64_t sum = 0, magnitude = 0;
        for (ptrdiff_t first = 0; first < depth; first += BLOCK) {
            const ptrdiff_t end = depth - first < BLOCK ? depth : first + BLOCK;
            int32_t block_sum = 0, block_magnitude = 0;
            for (ptrdiff_t k = first; k < end; k++) {
                const int32_t value = weight_of(&w, row[k]);
                block_sum += value;
                block_magnitude += value < 0 ? -value : value;
            }
            sum += block_sum;
            magnitude += block_magnitude;
        }
        const int64_t positive = (magnitude + sum) / 2, negative = magnitude - positive;
        const int64_t highest = positive * maximum - negative * minimum;
        const int64_t lowest = negative * maximum - positive * minimum;
        if (highest > largest) largest = highest;
        if (lowest > largest) largest = lowest;
    }
    return largest;
}

enum {
    AXIS_TAPS = 3,
    AXIS_FACTORS = 6,
    TAPS = AXIS_TAPS * AXIS_TAPS,
    FACTORS = AXIS_FACTORS * AXIS_FACTORS,
    MAXIMUM_COLUMNS = 64,
};

/// One number of every filter.
typedef int16_t columns[MAXIMUM_COLUMNS];

/// to = G from without the denominators of G, for the points 0, ±1, ±2 and ∞. Elements of `from` lie `from_step` apart,
/// elements of `to` lie `to_step` apart.
static void transform_taps(const columns *from, ptrdiff_t from_step, columns *to, ptrdiff_t to_step) {
    const int16_t *first = from[0], *middle = from[from_step], *last = from[2 * from_step];
    for (int c = 0; c < MAXIMUM_COLUMNS; c++) {
        const int16_t near = first[c] + last[c], far = first[c] + 4 * last[c];
        to[0][c] = first[c];
        to[to_step][c] = near + middle[c];
        to[2 * to_step][c] = near - middle[c];
        to[3 * to_step][c] = far + 2 * middle[c];
        to[4 * to_step][c] = far - 2 * middle[c];
        to[5 * to_step][c] = last[c];
    }
}

APUS_KERNEL void apus_pack_transformed_integers(
    const apus_integer_weights *weights, ptrdiff_t panel_columns, int16_t *panels) {
    const apus_integer_weights w = *weights;
    const ptrdiff_t words = (w.channel_count + 1) / 2, factor_elements = words * panel_columns * 2;
    const ptrdiff_t panel_elements = FACTORS * factor_elements;
    const ptrdiff_t panel_count = (w.column_count + panel_columns - 1) / panel_columns;
    memset(panels, 0, (size_t)(panel_count * panel_elements) * sizeof *panels);
    for (ptrdiff_t first = 0; first < w.column_count; first += panel_columns, panels += panel_elements) {
        const ptrdiff_t left = w.column_count - first, count = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t channel = 0; channel < w.channel_count; channel++) {
            columns taps[TAPS] = {0}, half[AXIS_FACTORS * AXIS_TAPS], factors[FACTORS];
            for (ptrdiff_t column = 0; column < count; column++) {
                const uint8_t *from = w.elements + ((first + column) * w.channel_count + channel) * TAPS;
                for (int i = 0; i < TAPS; i++) taps[i][column] = (int16_t)weight_of(&w, from[i]);
            }
            for (int x = 0; x < AXIS_TAPS; x++) transform_taps(taps + x, AXIS_TAPS, half + x, AXIS_TAPS);
            for (int y = 0; y < AXIS_FACTORS; y++)
                transform_taps(half + y * AXIS_TAPS, 1, factors + y * AXIS_FACTORS, 1);
            int16_t *to = panels + channel / 2 * panel_columns * 2 + channel % 2;
            for (int i = 0; i < FACTORS; i++, to += factor_elements)
                for (ptrdiff_t column = 0; column < count; column++) to[2 * column] = factors[i][column];
        }
    }
}
