#include "apus_float16.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The float16 next to `sum` + `rest`, ties to even; |rest| is at most half of the last bit of `sum`.
static double rounded(double sum, double rest) {
    if (isnan(sum) || isinf(sum)) return sum;
    if (sum == 0) return sum;
    // Denormals have the quantum of the least normal numbers.
    const int exponent = ilogb(sum) < -14 ? -14 : ilogb(sum);
    const double quantum = ldexp(1, exponent - 10), count = sum / quantum, whole = floor(count);
    const double fraction = count - whole;
    // Where `sum` lies on a boundary, `rest` tells the side.
    const int is_above = fraction > 0.5 || (fraction == 0.5 && (rest > 0 || (rest == 0 && fmod(whole, 2) != 0)));
    const double result = copysign((whole + is_above) * quantum, sum);
    return fabs(result) > APUS_FLOAT16_MAXIMUM ? copysign(INFINITY, sum) : result;
}

/// x · y + z of float16, rounded once to float16.
static double multiply_add(double x, double y, double z) {
    // Exact: 22 bits of mantissa.
    const double product = x * y, sum = product + z, part = sum - product;
    return rounded(sum, isfinite(sum) ? (product - (sum - part)) + (z - part) : 0);
}

/// A value for which a product may be denormal, infinite or an ordinary number, or rarely no number.
static float extreme_value(void) {
    if (one_in(300)) return NAN;
    if (one_in(300)) return one_in(2) ? INFINITY : -INFINITY;
    if (one_in(60)) return random_value(0) * 0x1p17f;
    if (one_in(10)) return random_value(0) * 0x1p-20f;
    return random_value(0) * ldexpf(1, (int)random_between(one_in(4) ? -16 : -6, one_in(4) ? 9 : 1));
}

/// A value of the kind that a case takes: an extreme one, or one with sums far from the ends of the range.
static float value(int is_extreme) { return is_extreme ? extreme_value() : random_value(0); }

/// One of the two numbers of a word.
static double number(const void *words, ptrdiff_t place) {
    uint16_t bits;
    memcpy(&bits, (const char *)words + 2 * place, sizeof(bits));
    return apus_float16_widened(bits);
}

static void test_rounding(const apus_float16_kernel *kernel) {
    const ptrdiff_t rows = random_between(1, 5), length = random_between(1, 75), stride = length + random_between(0, 3);
    const ptrdiff_t words = (length + 1) / 2, count = (rows - 1) * stride + length;
    float *from = filled(count, 0);
    for (ptrdiff_t index = 0; index < count; index++) from[index] = extreme_value();
    float *to = filled(rows * words, UNTOUCHED);
    kernel->round_rows(from, rows, stride, length, to);
    for (ptrdiff_t row = 0; row < rows; row++) {
        for (ptrdiff_t index = 0; index < 2 * words; index++) {
            const float x = index < length ? from[row * stride + index] : 0;
            const double got = number(to + row * words, index), wanted = rounded(x, 0);
            const int is_same = got == wanted && signbit(got) == signbit(x);
            if (!is_same && !(isnan(got) && isnan(x))) fail("%a is rounded to %a, not %a", x, got, wanted);
        }
    }
}

/// A column of weights, for rows in segments.
typedef struct {
    ptrdiff_t segment_count, words;
    /// The first number of the column in its panel.
    const char *weights;
    ptrdiff_t panel_columns;
    float bias;
} column;

/// The sum of a row and a column in the order that apus_float16.h and apus_gemm.h state.
///
/// - leaves_out_zeros: Whether zeros of the result are positive.
static float model(const column *of, const float *const *segments, float addend, int leaves_out_zeros) {
    float total = addend, sum = of->bias;
    const ptrdiff_t word_count = of->segment_count * of->words;
    // Where a chain of float32 ends: after as many whole segments as it holds, or within a longer one.
    const ptrdiff_t fitting = APUS_GEMM_CHAIN / of->words;
    ptrdiff_t in_chain = 0, in_part = 0;
    double chain = 0;
    for (ptrdiff_t word = 0; word < word_count; word++) {
        const ptrdiff_t segment = word / of->words, k = word % of->words;
        // A row of a panel has the first numbers of all columns, then the second ones.
        const char *weights = of->weights + 4 * word * of->panel_columns;
        chain = multiply_add(number(segments[segment] + k, 0), number(weights, 0), chain);
        chain = multiply_add(number(segments[segment] + k, 1), number(weights, of->panel_columns), chain);
        in_chain++;
        in_part++;
        const int ends_part = word + 1 == word_count ||
                              (fitting > 0 ? in_part == fitting * of->words
                                           : in_part == APUS_GEMM_CHAIN || k + 1 == of->words);
        if (in_chain < APUS_FLOAT16_CHAIN && !ends_part) continue;
        sum += (float)chain;
        chain = 0;
        in_chain = 0;
        if (!ends_part) continue;
        // Parts behind the first start from 0, and are added to those before.
        if (leaves_out_zeros) sum += 0;
        total = sum + total;
        sum = 0;
        in_part = 0;
    }
    return total;
}

static void test_products(const apus_float16_kernel *kernel, uint64_t seed) {
    const apus_gemm_kernel *product = kernel->product;
    test_rounding(kernel);
    const ptrdiff_t rows = 1 + (ptrdiff_t)(seed % 40), columns = 1 + (ptrdiff_t)(seed / 40 % 40);
    const ptrdiff_t segments = random_between(1, 4), length = random_between(1, one_in(8) ? 700 : 80);
    const ptrdiff_t depth = segments * length, words = (length + 1) / 2, panel = product->panel_columns;
    const ptrdiff_t panels = (columns + panel - 1) / panel, stride = columns + random_between(0, 3);
    const int is_extreme = one_in(2);
    float *left = filled(rows * depth, 0), *right = filled(depth * columns, 0), *bias = filled(panels * panel, 0);
    for (ptrdiff_t index = 0; index < rows * depth; index++) left[index] = value(is_extreme);
    for (ptrdiff_t index = 0; index < depth * columns; index++) right[index] = value(is_extreme);
    for (ptrdiff_t index = 0; index < columns; index++) bias[index] = value(is_extreme);
    float *packed = filled(panels * panel * segments * words, NAN), *to = filled(rows * segments * words, NAN);
    const apus_gemm_factor factor = {
        .elements = right, .tap_count = segments, .channel_count = length, .column_count = columns,
        .tap_stride = length * columns, .channel_stride = columns, .column_stride = 1};
    apus_float16_pack(&factor, panel, packed);
    kernel->round_rows(left, rows * segments, length, length, to);
    int is_finite = 1;
    for (ptrdiff_t index = 0; index < depth * columns; index++) is_finite &= fabsf(right[index]) < 65520;
    // Where zeros are left out, weights must be finite.
    float *zeros = is_finite && one_in(2) ? filled(words, 0) : NULL;
    const float **addresses = malloc((size_t)(rows * segments) * sizeof(float *));
    const float **by_row = malloc((size_t)(rows * segments) * sizeof(float *));
    for (ptrdiff_t row = 0; row < rows; row++)
        for (ptrdiff_t segment = 0; segment < segments; segment++)
            by_row[row * segments + segment] =
                zeros && (row / 8 + segment) % 3 == 0 ? zeros : to + (row * segments + segment) * words;
    const ptrdiff_t tiles = apus_gemm_tile_count(rows, product->tile_rows);
    const float **next = addresses;
    for (ptrdiff_t tile = 0; tile < tiles; tile++)
        for (ptrdiff_t segment = 0; segment < segments; segment++)
            for (ptrdiff_t row = apus_gemm_tile_start(rows, tiles, tile);
                 row < apus_gemm_tile_start(rows, tiles, tile + 1); row++)
                *next++ = by_row[row * segments + segment];
    const ptrdiff_t count = (rows - 1) * stride + columns;
    float *output = filled(count, UNTOUCHED), *expected = filled(count, UNTOUCHED);
    float *addend = one_in(2) ? random_values(count, 0) : NULL;
    const apus_gemm_block block = {
        .rows = addresses, .zeros = zeros, .row_count = rows, .segment_count = segments, .segment_length = words,
        .weights = packed, .bias = bias, .column_count = columns, .output = output, .output_stride = stride,
        .addend = addend, .addend_stride = stride};
    product->multiply(&block);
    for (ptrdiff_t row = 0; row < rows; row++) {
        for (ptrdiff_t place = 0; place < columns; place++) {
            const char *first = (const char *)(packed + place / panel * panel * segments * words) + 2 * (place % panel);
            const column of = {segments, words, first, panel, bias[place]};
            const float added = addend ? addend[row * stride + place] : -0.0f;
            expected[row * stride + place] = model(&of, by_row + row * segments, added, zeros != NULL);
        }
    }
    compare_bits(output, expected, count, "the model of fused multiply-adds");
    free(by_row);
    free(addresses);
}

void test_float16(apus_instructions instructions, uint64_t seed) {
    test_products(apus_float16_kernel_for(instructions), seed);
}

void test_emulated_float16(apus_instructions instructions, uint64_t seed) {
    (void)instructions;
    test_products(apus_float16_emulation(), seed);
}
