#include "../target.h"
#include "apus_integer.h"

#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

extern const apus_integer_kernel apus_integer_avx2;
extern const apus_integer_kernel apus_integer_avx512;
extern const apus_integer_kernel apus_integer_vnni;
extern const apus_integer_kernel apus_integer_neon;
extern const apus_integer_kernel apus_integer_dotprod;

#if defined(__aarch64__)
static int has_dot_products(void) { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
#endif

const apus_integer_kernel *apus_integer_kernel_for(apus_instructions instructions, int multiplies_bytes) {
    (void)multiplies_bytes;
    switch (instructions) {
    case APUS_INSTRUCTIONS_BASELINE: return &apus_integer_baseline;
#if defined(__x86_64__)
    case APUS_INSTRUCTIONS_AVX2: return &apus_integer_avx2;
    case APUS_INSTRUCTIONS_AVX512:
        return multiplies_bytes && __builtin_cpu_supports("avx512vnni") ? &apus_integer_vnni : &apus_integer_avx512;
#elif defined(__aarch64__)
    case APUS_INSTRUCTIONS_NEON:
        return multiplies_bytes && has_dot_products() ? &apus_integer_dotprod : &apus_integer_neon;
#endif
    default: return NULL;
    }
}

int32_t apus_integer_zero(apus_integer_factors factors, int is_signed, int32_t zero_point) {
    switch (factors) {
    case APUS_INTEGER_DIFFERENCES: return 0;
    case APUS_INTEGER_UNSIGNED_BYTES: return is_signed ? zero_point + 128 : zero_point;
    case APUS_INTEGER_SIGNED_BYTES: return is_signed ? zero_point : zero_point - 128;
    }
}

/// A weight less the zero point.
static inline int32_t weight_of(const apus_integer_weights *weights, uint8_t byte) {
    return (weights->is_signed ? (int32_t)(int8_t)byte : (int32_t)byte) - weights->zero_point;
}

/// The products of words k and `paired` + k of a column, for all k below it. Elements of a word lie side by side, words of a
/// column `stride` elements apart.
static uint32_t pair_products(const int16_t *column, ptrdiff_t stride, ptrdiff_t paired) {
    uint32_t sum = 0;
    const int16_t *other = column + paired * stride;
    for (ptrdiff_t k = 0; k < paired; k++, column += stride, other += stride)
        sum += (uint32_t)(column[0] * other[0]) + (uint32_t)(column[1] * other[1]);
    return sum;
}

void apus_pack_integers(
    const apus_integer_weights *weights, const apus_integer_kernel *kernel, void *panels, int32_t *sums,
    int32_t *products) {
    const apus_integer_weights w = *weights;
    const ptrdiff_t group = kernel->group, panel_columns = kernel->panel_columns;
    const ptrdiff_t depth = w.tap_count * w.channel_count, run_depth = depth / w.run_count;
    const ptrdiff_t run_words = (run_depth + group - 1) / group, words = run_words * w.run_count;
    const ptrdiff_t panel_count = (w.column_count + panel_columns - 1) / panel_columns;
    const size_t element = group == 4 ? 1 : 2;
    const int is_paired = kernel->least_paired_words > 0 && run_words >= kernel->least_paired_words;
    memset(panels, 0, (size_t)(panel_count * words * panel_columns * group) * element);
    for (ptrdiff_t column = 0; column < w.column_count; column++) {
        const ptrdiff_t panel = column / panel_columns;
        const uint8_t *row = w.elements + column * depth;
        int32_t sum = 0;
        for (ptrdiff_t k = 0; k < depth; k++) {
            const uint8_t byte = row[k % w.channel_count * w.tap_count + k / w.channel_count];
            const int32_t value = weight_of(&w, byte);
            const ptrdiff_t run = k / run_depth, element = k % run_depth;
            const ptrdiff_t word = panel * words + run * run_words + element / group;
            const ptrdiff_t place = (word * panel_columns + column % panel_columns) * group + element % group;
            if (group == 4) ((int8_t *)panels)[place] = (int8_t)value;
            else ((int16_t *)panels)[place] = (int16_t)value;
            sum += value;
        }
        sums[column] = sum;
        uint32_t product = 0;
        for (ptrdiff_t run = 0; run < w.run_count && is_paired; run++) {
            const ptrdiff_t place = (panel * words + run * run_words) * panel_columns + column % panel_columns;
            product += pair_products((const int16_t *)panels + place * group, panel_columns * group, run_words / 2);
        }
        products[column] = (int32_t)product;
    }
}

int64_t apus_largest_sum(const apus_integer_weights *weights, int64_t least, int64_t most) {
    const apus_integer_weights w = *weights;
    const ptrdiff_t depth = w.tap_count * w.channel_count;
    int64_t largest = 0;
    for (ptrdiff_t column = 0; column < w.column_count; column++) {
        const uint8_t *row = w.elements + column * depth;
        int64_t positive = 0, negative = 0;
        for (ptrdiff_t k = 0; k < depth; k++) {
            const int32_t value = weight_of(&w, row[k]);
            if (value < 0) negative -= value;
            else positive += value;
        }
        const int64_t highest = positive * most - negative * least, lowest = negative * most - positive * least;
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
    MOST_COLUMNS = 64,
};

/// The same number of as many filters.
typedef int16_t columns[MOST_COLUMNS];

/// to = G from without its denominators, for the points 0, ±1, ±2 and ∞. Elements of `from` lie `from_step` apart, those
/// of `to` `to_step`.
static void transform_taps(const columns *from, ptrdiff_t from_step, columns *to, ptrdiff_t to_step) {
    const int16_t *first = from[0], *middle = from[from_step], *last = from[2 * from_step];
    for (int c = 0; c < MOST_COLUMNS; c++) {
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
