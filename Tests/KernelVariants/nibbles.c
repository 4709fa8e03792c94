#include "apus_nibbles.h"
#include "testing.h"

#include <math.h>
#include <string.h>

typedef struct {
    ptrdiff_t rows, columns, depth, group, groups;
    /// [columns][depth]
    const uint8_t *nibbles;
    /// [columns][groups]
    const float *scales, *zeros;
    const float *bias;
} weights;

static float weight(const weights *w, ptrdiff_t column, ptrdiff_t k) {
    const ptrdiff_t group = column * w->groups + k / w->group;
    return (w->nibbles[column * w->depth + k] - w->zeros[group]) * w->scales[group];
}

/// [columns][groups] as [panel][groups][panel_columns].
static float *in_panels(const weights *w, const float *numbers, ptrdiff_t panel_columns) {
    const ptrdiff_t panels = (w->columns + panel_columns - 1) / panel_columns;
    float *all = filled(panels * w->groups * panel_columns, 0);
    for (ptrdiff_t column = 0; column < w->columns; column++)
        for (ptrdiff_t group = 0; group < w->groups; group++)
            all[(column / panel_columns * w->groups + group) * panel_columns + column % panel_columns] =
                numbers[column * w->groups + group];
    return all;
}

void test_nibbles(apus_instructions instructions, uint64_t seed) {
    const apus_nibble_kernel *kernel = apus_nibble_kernel_for(instructions);
    weights w = {
        .rows = 1 + (ptrdiff_t)(seed % 24), .columns = 1 + (ptrdiff_t)(seed / 24 % 40), .depth = random_between(1, 90),
        .group = APUS_NIBBLES_OF_A_WORD * random_between(1, 4)};
    w.groups = (w.depth + w.group - 1) / w.group;
    uint8_t *nibbles = (uint8_t *)filled(w.columns * w.depth, 0);
    float *scales = random_values(w.columns * w.groups, 0), *zeros = filled(w.columns * w.groups, 0);
    for (ptrdiff_t i = 0; i < w.columns * w.depth; i++) nibbles[i] = (uint8_t)random_between(0, 15);
    for (ptrdiff_t i = 0; i < w.columns * w.groups; i++) zeros[i] = (float)random_between(0, 15);
    w.nibbles = nibbles, w.scales = scales, w.zeros = zeros;
    const ptrdiff_t stride = (w.depth + 1) / 2 + random_between(0, 3);
    uint8_t *bytes = (uint8_t *)filled((w.columns * stride + 3) / 4, 0);
    for (ptrdiff_t column = 0; column < w.columns; column++)
        for (ptrdiff_t k = 0; k < w.depth; k++)
            bytes[column * stride + k / 2] |= (uint8_t)(nibbles[column * w.depth + k] << (k % 2 * 4));
    const ptrdiff_t panels = (w.columns + kernel->panel_columns - 1) / kernel->panel_columns;
    uint32_t *packed = (uint32_t *)filled(panels * kernel->panel_columns * apus_nibble_words(w.depth), NAN);
    apus_pack_nibbles(bytes, stride, w.columns, w.depth, kernel->panel_columns, packed);
    float *bias = filled(panels * kernel->panel_columns, 0);
    for (ptrdiff_t column = 0; column < w.columns; column++) bias[column] = random_value(0);
    w.bias = bias;
    const ptrdiff_t input_stride = w.depth + random_between(0, 3), output_stride = w.columns + random_between(0, 3);
    float *input = random_values((w.rows - 1) * input_stride + w.depth, 0);
    if (one_in(4)) input[random_between(0, w.depth - 1)] = NAN;
    const ptrdiff_t count = (w.rows - 1) * output_stride + w.columns;
    const ptrdiff_t addend_stride = w.columns + random_between(0, 3);
    const float *addend = one_in(2) ? random_values((w.rows - 1) * addend_stride + w.columns, 0) : NULL;
    float *output = filled(count, UNTOUCHED), *pieces = filled(count, UNTOUCHED);
    const apus_nibble_product product = {
        .input = input, .input_stride = input_stride, .row_count = w.rows, .depth = w.depth, .group = w.group,
        .weights = packed, .scales = in_panels(&w, scales, kernel->panel_columns),
        .zeros = in_panels(&w, zeros, kernel->panel_columns), .bias = bias, .column_count = w.columns,
        .output = output, .output_stride = output_stride, .addend = addend, .addend_stride = addend_stride,
        .activation = random_activation(0.5f)};
    kernel->multiply(&product);
    expectation *wanted = expectations(count);
    for (ptrdiff_t row = 0; row < w.rows; row++) {
        for (ptrdiff_t column = 0; column < w.columns; column++) {
            double sum = bias[column], magnitude = fabs(sum);
            for (ptrdiff_t k = 0; k < w.depth; k++) {
                const double term = (double)input[row * input_stride + k] * weight(&w, column, k);
                sum += term;
                // A weight is off by the rounding of a product of a zero point and a scale.
                magnitude += fabs(term) + 32 * fabs((double)input[row * input_stride + k]);
            }
            if (addend) sum += addend[row * addend_stride + column];
            if (addend) magnitude += fabs(addend[row * addend_stride + column]);
            const double tolerance = (double)(w.depth + 4) * 0x1p-24 * magnitude;
            wanted[row * output_stride + column] = activated_sum(sum, tolerance, product.activation);
        }
    }
    compare(output, wanted, count);
    // Pieces of rows and panels, which give the bits of the whole.
    const ptrdiff_t step = random_between(1, w.rows);
    for (ptrdiff_t row = 0; row < w.rows; row += step) {
        for (ptrdiff_t column = 0; column < w.columns; column += kernel->panel_columns) {
            apus_nibble_product part = product;
            part.row_count = row + step < w.rows ? step : w.rows - row;
            part.column_count =
                w.columns - column < kernel->panel_columns ? w.columns - column : kernel->panel_columns;
            part.input += row * input_stride;
            part.weights += column * apus_nibble_words(w.depth);
            part.scales += column * w.groups;
            part.zeros += column * w.groups;
            part.bias += column;
            part.output = pieces + row * output_stride + column;
            if (addend) part.addend += row * addend_stride + column;
            kernel->multiply(&part);
        }
    }
    compare_bits(pieces, output, count, "rows and panels");
}
