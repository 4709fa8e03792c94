#include "apus_gemm.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    ptrdiff_t rows, columns, segment_count, segment_length, depth;
    /// Rows are [segment_count][segment_length + gap].
    const float *left;
    ptrdiff_t left_stride, segment_stride;
    /// [depth][columns]
    const float *right;
    const float *bias, *addend;
    ptrdiff_t addend_stride, output_stride, output_count;
    apus_activation activation;
    const float *panels;
    /// As many zeros as a segment has elements; NULL where every row lies in `left`.
    const float *zeros;
    /// The rows that are zero in a segment: from the first up to the second.
    ptrdiff_t zero_rows[4][2];
} product;

static int is_zero(const product *p, ptrdiff_t row, ptrdiff_t segment) {
    return p->zeros && row >= p->zero_rows[segment][0] && row < p->zero_rows[segment][1];
}

/// The product, computed in calls of limited rows and panels.
static float *multiplied(
    const product *p, const apus_gemm_kernel *kernel, ptrdiff_t rows_per_call, ptrdiff_t panels_per_call) {
    float *output = filled(p->output_count, UNTOUCHED);
    const float **addresses = malloc((size_t)(p->rows * p->segment_count) * sizeof(float *));
    for (ptrdiff_t first = 0; first < p->rows; first += rows_per_call) {
        const ptrdiff_t left = p->rows - first, count = left < rows_per_call ? left : rows_per_call;
        const ptrdiff_t tiles = apus_gemm_tile_count(count, kernel->tile_rows);
        const float **next = addresses;
        for (ptrdiff_t tile = 0; tile < tiles; tile++)
            for (ptrdiff_t segment = 0; segment < p->segment_count; segment++)
                for (ptrdiff_t row = apus_gemm_tile_start(count, tiles, tile);
                     row < apus_gemm_tile_start(count, tiles, tile + 1); row++)
                    *next++ = is_zero(p, first + row, segment)
                                  ? p->zeros
                                  : p->left + (first + row) * p->left_stride + segment * p->segment_stride;
        const ptrdiff_t step = panels_per_call * kernel->panel_columns;
        for (ptrdiff_t column = 0; column < p->columns; column += step) {
            const apus_gemm_block block = {
                .rows = addresses, .zeros = p->zeros, .row_count = count, .segment_count = p->segment_count,
                .segment_length = p->segment_length, .weights = p->panels + column * p->depth,
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

static expectation *expected(const product *p, int is_whole) {
    expectation *all = expectations(p->output_count);
    for (ptrdiff_t row = 0; row < p->rows; row++) {
        for (ptrdiff_t column = 0; column < p->columns; column++) {
            double sum = p->bias[column], magnitude = fabs(sum);
            const float *left = p->left + row * p->left_stride;
            for (ptrdiff_t k = 0; k < p->depth; k++) {
                const ptrdiff_t segment = k / p->segment_length;
                const double element =
                    is_zero(p, row, segment) ? 0 : left[segment * p->segment_stride + k % p->segment_length];
                const double term = element * p->right[k * p->columns + column];
                sum += term;
                magnitude += fabs(term);
            }
            if (p->addend) {
                const double term = p->addend[row * p->addend_stride + column];
                sum += term;
                magnitude += fabs(term);
            }
            // A rounding of 2⁻²⁴ for every term, in any order.
            const double tolerance = is_whole ? 0 : (double)(p->depth + 4) * 0x1p-24 * magnitude;
            all[row * p->output_stride + column] = activated_sum(sum, tolerance, p->activation);
        }
    }
    return all;
}

void test_gemm(apus_instructions instructions, uint64_t seed) {
    const apus_gemm_kernel *kernel = apus_gemm_kernel_for(instructions);
    const int is_whole = one_in(2);
    product p = {
        .rows = 1 + (ptrdiff_t)(seed % 40), .columns = 1 + (ptrdiff_t)(seed / 40 % 40),
        .segment_count = random_between(1, 4), .segment_length = random_between(1, 21),
        .activation = random_activation(is_whole ? 20 : 0.5f)};
    // Rows that do not stay in a cache: a chain of each passes over all panels before the next.
    if (one_in(40)) {
        p.rows = random_between(50, 100);
        p.segment_length = random_between(250, 700);
    }
    p.depth = p.segment_count * p.segment_length;
    p.segment_stride = p.segment_length + random_between(0, 3);
    p.left_stride = p.segment_count * p.segment_stride + random_between(0, 3);
    p.addend_stride = p.columns + random_between(0, 3);
    p.output_stride = p.columns + random_between(0, 3);
    p.output_count = (p.rows - 1) * p.output_stride + p.columns;
    const ptrdiff_t panels = (p.columns + kernel->panel_columns - 1) / kernel->panel_columns;
    const ptrdiff_t padded = panels * kernel->panel_columns;
    const ptrdiff_t last = (p.rows - 1) * p.left_stride + (p.segment_count - 1) * p.segment_stride;
    float *left = random_values(last + p.segment_length, is_whole);
    if (one_in(4)) left[random_between(0, last + p.segment_length - 1)] = NAN;
    p.left = left;
    p.right = random_values(p.depth * p.columns, is_whole);
    float *bias = filled(padded, 0), *weights = filled(padded * p.depth, NAN);
    for (ptrdiff_t column = 0; column < p.columns; column++) bias[column] = random_value(is_whole);
    const apus_gemm_factor right = {
        .elements = p.right, .tap_count = 1, .channel_count = p.depth, .column_count = p.columns,
        .channel_stride = p.columns, .column_stride = 1};
    apus_gemm_pack(&right, kernel->panel_columns, weights);
    p.bias = bias;
    p.panels = weights;
    if (one_in(3)) {
        p.zeros = filled(p.segment_length, 0);
        for (int segment = 0; segment < 4; segment++)
            for (int end = 0; end < 2; end++) p.zero_rows[segment][end] = random_between(0, p.rows);
    }
    if (one_in(2)) p.addend = random_values((p.rows - 1) * p.addend_stride + p.columns, is_whole);

    const float *whole = multiplied(&p, kernel, p.rows, panels);
    compare(whole, expected(&p, is_whole), p.output_count);
    compare_bits(multiplied(&p, kernel, 1, panels), whole, p.output_count, "rows");
    compare_bits(multiplied(&p, kernel, random_between(2, 17), 1), whole, p.output_count, "rows and panels");
}
