#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ptrdiff_t rows, columns, segments;
    /// The elements and the words of a segment.
    ptrdiff_t length, words;
    /// [rows][segments][length], [segments][length][columns], and their words [rows][segments][words].
    float *left, *right, *rounded;
    /// The row in which a segment of a row lies, [rows][segments]; −1 for that of zeros.
    ptrdiff_t *sources;
    const float *panels, *bias, *addend, *zeros;
    ptrdiff_t addend_stride, output_stride, output_count;
    apus_activation activation;
} product;

/// The product, computed in calls of limited rows and panels.
static float *multiplied(
    const product *p, const apus_gemm_kernel *kernel, ptrdiff_t rows_per_call, ptrdiff_t panels_per_call) {
    float *output = filled(p->output_count, UNTOUCHED);
    const float **addresses = malloc((size_t)(p->rows * p->segments) * sizeof(float *));
    for (ptrdiff_t first = 0; first < p->rows; first += rows_per_call) {
        const ptrdiff_t left = p->rows - first, count = left < rows_per_call ? left : rows_per_call;
        const ptrdiff_t tiles = apus_gemm_tile_count(count, kernel->tile_rows);
        const float **next = addresses;
        for (ptrdiff_t tile = 0; tile < tiles; tile++)
            for (ptrdiff_t segment = 0; segment < p->segments; segment++)
                for (ptrdiff_t row = apus_gemm_tile_start(count, tiles, tile);
                     row < apus_gemm_tile_start(count, tiles, tile + 1); row++) {
                    const ptrdiff_t source = p->sources[(first + row) * p->segments + segment];
                    *next++ = source < 0 ? p->zeros : p->rounded + (source * p->segments + segment) * p->words;
                }
        const ptrdiff_t step = panels_per_call * kernel->panel_columns;
        for (ptrdiff_t column = 0; column < p->columns; column += step) {
            const apus_gemm_block block = {
                .rows = addresses, .zeros = p->zeros, .row_count = count, .segment_count = p->segments,
                .segment_length = p->words, .weights = p->panels + column * p->segments * p->words,
                .bias = p->bias + column,
                .column_count = p->columns - column < step ? p->columns - column : step,
                .output = output + first * p->output_stride + column, .output_stride = p->output_stride,
                .addend = p->addend ? p->addend + first * p->addend_stride + column : NULL,
                .addend_stride = p->addend_stride, .activation = p->activation};
            kernel->multiply(&block);
        }
    }
    free(addresses);
    return output;
}

/// A word of the weights of a column; the last of a segment of odd length has one number.
static float word_of_column(const product *p, ptrdiff_t column, ptrdiff_t segment, ptrdiff_t word) {
    const float *lower = p->right + (segment * p->length + 2 * word) * p->columns + column;
    const int is_pair = 2 * word + 1 < p->length;
    const uint16_t pair[2] = {
        apus_bfloat16_rounded(*lower), is_pair ? apus_bfloat16_rounded(lower[p->columns]) : (uint16_t)0};
    float both;
    memcpy(&both, pair, sizeof(both));
    return both;
}

/// The sum of a row and a column, whose words are `weights`. A chain has at most 256 words: parts of a segment, or
/// whole segments. The first begins at the bias, and the addend comes after it; the others add what was before them.
static float sum_of(const product *p, words_model add, ptrdiff_t row, ptrdiff_t column, const float *weights) {
    static const float zeros[APUS_GEMM_CHAIN];
    float total = p->addend ? p->addend[row * p->addend_stride + column] : 0, sum = p->bias[column];
    int adds_total = p->addend != NULL;
    ptrdiff_t left = APUS_GEMM_CHAIN;
    for (ptrdiff_t segment = 0; segment < p->segments; segment++) {
        const ptrdiff_t source = p->sources[row * p->segments + segment];
        for (ptrdiff_t start = 0, count; start < p->words; start += count) {
            count = p->words - start < APUS_GEMM_CHAIN ? p->words - start : APUS_GEMM_CHAIN;
            const int is_part = p->words > APUS_GEMM_CHAIN;
            if (segment + start > 0 && (is_part || left < count)) {
                total = adds_total ? sum + total : sum;
                adds_total = 1;
                sum = 0;
                left = APUS_GEMM_CHAIN;
            }
            left -= count;
            const float *words =
                source < 0 ? zeros : p->rounded + (source * p->segments + segment) * p->words + start;
            sum = add(sum, words, weights + segment * p->words + start, count);
            if (p->zeros) sum += 0;
        }
    }
    return adds_total ? sum + total : sum;
}

/// Whether an activation is exact in float32.
static int is_exact(apus_activation activation) { return activation.kind <= APUS_ACTIVATION_LEAKY_RELU; }

static float exactly_activated(float x, apus_activation activation) {
    const float low = activation.low, high = activation.high;
    switch (activation.kind) {
    case APUS_ACTIVATION_RELU: return x < 0 ? 0 : x;
    case APUS_ACTIVATION_CLIP: return x < low ? low : x > high ? high : x;
    case APUS_ACTIVATION_LEAKY_RELU: return x < 0 ? low * x : x;
    default: return x;
    }
}

static void compare_with_model(const product *p, words_model add, const float *output) {
    float *bits = filled(p->output_count, UNTOUCHED);
    expectation *expected = expectations(p->output_count);
    float *weights = filled(p->segments * p->words, 0);
    for (ptrdiff_t column = 0; column < p->columns; column++) {
        for (ptrdiff_t word = 0; word < p->segments * p->words; word++)
            weights[word] = word_of_column(p, column, word / p->words, word % p->words);
        for (ptrdiff_t row = 0; row < p->rows; row++) {
            const float sum = sum_of(p, add, row, column, weights);
            bits[row * p->output_stride + column] = exactly_activated(sum, p->activation);
            // HardSwish may subtract numbers that are almost equal.
            expected[row * p->output_stride + column] = activated_sum(sum, 1e-7 * (1 + fabs(sum)), p->activation);
        }
    }
    if (is_exact(p->activation))
        compare_bits(output, bits, p->output_count, "the instruction's model");
    else
        compare(output, expected, p->output_count);
}

void test_words(const apus_bfloat16_kernel *kernel, words_model add, uint64_t seed) {
    const ptrdiff_t panel_columns = kernel->product->panel_columns;
    product p = {
        .rows = 1 + (ptrdiff_t)(seed % 40), .columns = 1 + (ptrdiff_t)(seed / 40 % 40),
        .segments = one_in(10) ? 9 : random_between(1, 4), .length = random_between(1, 80),
        .activation = random_activation(0.5f)};
    // Segments of more than one chain.
    if (one_in(20)) {
        p.rows = random_between(1, 9);
        p.segments = random_between(1, 2);
        p.length = random_between(2 * APUS_GEMM_CHAIN - 1, 1400);
    }
    // More rows than two tiles have.
    if (one_in(20)) p.rows = random_between(40, 100);
    p.words = (p.length + 1) / 2;
    p.addend_stride = p.columns + random_between(0, 3);
    p.output_stride = p.columns + random_between(0, 3);
    p.output_count = (p.rows - 1) * p.output_stride + p.columns;
    const ptrdiff_t panels = (p.columns + panel_columns - 1) / panel_columns, depth = p.segments * p.length;
    p.left = filled(p.rows * depth, 0);
    p.right = filled(depth * p.columns, 0);
    float *bias = filled(panels * panel_columns, 0);
    float *packed = filled(panels * panel_columns * p.segments * p.words, NAN);
    p.rounded = filled(p.rows * p.segments * p.words, NAN);
    // Zeros may be left out where weights are finite, and curved activations of infinities have no tolerance.
    if (one_in(4)) p.zeros = filled(p.words, 0);
    const int is_ordinary = p.zeros || !is_exact(p.activation);
    for (ptrdiff_t i = 0; i < p.rows * depth; i++) p.left[i] = is_ordinary ? random_value(0) : extreme_value();
    for (ptrdiff_t i = 0; i < depth * p.columns; i++) p.right[i] = is_ordinary ? random_value(0) : extreme_value();
    for (ptrdiff_t i = 0; i < p.columns; i++) bias[i] = is_ordinary ? random_value(0) : extreme_value();
    // Zeros of the result are positive where some may be left out.
    if (p.zeros) bias[random_between(0, p.columns - 1)] = -0.0f;
    if (one_in(2)) p.addend = random_values((p.rows - 1) * p.addend_stride + p.columns, 0);
    const apus_gemm_factor factor = {
        .elements = p.right, .tap_count = p.segments, .channel_count = p.length, .column_count = p.columns,
        .tap_stride = p.length * p.columns, .channel_stride = p.columns, .column_stride = 1};
    apus_bfloat16_pack(&factor, panel_columns, kernel->adjacent_words, packed);
    p.panels = packed;
    p.bias = bias;
    kernel->round_rows(p.left, p.rows * p.segments, p.length, p.length, p.rounded);
    p.sources = malloc((size_t)(p.rows * p.segments) * sizeof(ptrdiff_t));
    const int is_even = one_in(2);
    for (ptrdiff_t row = 0; row < p.rows; row++)
        for (ptrdiff_t segment = 0; segment < p.segments; segment++)
            p.sources[row * p.segments + segment] =
                p.zeros && one_in(3) ? -1 : is_even ? row : random_between(0, p.rows - 1);

    const float *whole = multiplied(&p, kernel->product, p.rows, panels);
    compare_with_model(&p, add, whole);
    compare_bits(multiplied(&p, kernel->product, 1, panels), whole, p.output_count, "rows");
    compare_bits(
        multiplied(&p, kernel->product, random_between(2, 17), 1), whole, p.output_count, "rows and panels");
    free(p.sources);
}
