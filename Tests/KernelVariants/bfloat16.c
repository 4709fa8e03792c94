#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

static float widened(uint32_t upper_bits) {
    float x;
    memcpy(&x, &upper_bits, sizeof(x));
    return flushed(x);
}

#if defined(__aarch64__)
/// The float32 that is `sum` + `rest`, |rest| being smaller than the last bit of `sum`; or its neighbour with an odd
/// last bit. Denormals become zeros.
static float rounded_to_odd(double sum, double rest) {
    if (isnan(sum) || isinf(sum)) return (float)sum;
    // The sum towards zero.
    float x = (float)sum;
    if (isinf(x)) return x;
    double left = (sum - x) + rest;
    if (left != 0 && (left < 0) == (x > 0 || (x == 0 && sum > 0))) {
        x = nextafterf(x, 0);
        left = (sum - x) + rest;
    }
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits |= left != 0;
    memcpy(&x, &bits, sizeof(x));
    return flushed(x);
}

/// a + b as `BFDOT` adds.
static float add_to_odd(float a, float b) {
    const double x = flushed(a), y = flushed(b), sum = x + y;
    const double part = sum - x;
    return rounded_to_odd(sum, isfinite(sum) ? (x - (sum - part)) + (y - part) : 0);
}

/// `BFDOT` for one lane, and half of `BFMMLA`: the sum of the exact products, and then the sum with it.
static float add_words(float sum, float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    const double lower = (double)widened(x << 16) * widened(y << 16);
    const double upper = (double)widened(x & 0xffff0000) * widened(y & 0xffff0000);
    return add_to_odd(sum, add_to_odd(rounded_to_odd(lower, 0), rounded_to_odd(upper, 0)));
}
#else
/// round(a · b + sum), as the instruction adds one product.
static float add_product(float sum, uint32_t a, uint32_t b) {
    return flushed(fmaf(widened(a), widened(b), flushed(sum)));
}

/// The instruction for one lane: first the upper halves of the words, then the lower.
static float add_words(float sum, float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    sum = add_product(sum, x & 0xffff0000, y & 0xffff0000);
    return add_product(sum, x << 16, y << 16);
}
#endif

float extreme_value(void) {
    if (one_in(200)) return NAN;
    if (one_in(200)) return one_in(2) ? INFINITY : -INFINITY;
    if (one_in(50)) return random_value(0) * 0x1p-127f;
    return random_value(0) * ldexpf(1, (int)random_between(-66, one_in(2) ? 0 : -60));
}

/// The rounding of `round_rows` and of `apus_bfloat16_rounded` against the definition: nearest, ties to even.
static void test_rounding(const apus_bfloat16_kernel *kernel) {
    const ptrdiff_t rows = random_between(1, 5), length = random_between(1, 75), stride = length + random_between(0, 3);
    const ptrdiff_t words = (length + 1) / 2;
    float *from = filled((rows - 1) * stride + length, 0);
    for (ptrdiff_t index = 0; index < (rows - 1) * stride + length; index++) from[index] = extreme_value();
    float *rounded = filled(rows * words, UNTOUCHED);
    kernel->round_rows(from, rows, stride, length, rounded);
    for (ptrdiff_t row = 0; row < rows; row++) {
        for (ptrdiff_t index = 0; index < 2 * words; index++) {
            uint16_t got;
            memcpy(&got, (const char *)(rounded + row * words) + 2 * index, sizeof(got));
            const float x = index < length ? from[row * stride + index] : 0;
            const float y = widened((uint32_t)got << 16);
            const int is_right = isnan(x) ? isnan(y)
                                 : fabsf(x) < 0x1p-126f || isinf(x)
                                     ? y == flushed(x) && signbit(y) == signbit(x)
                                     : fabs((double)y - x) <= ldexp(1, ilogbf(x) - 8) &&
                                           (fabs((double)y - x) < ldexp(1, ilogbf(x) - 8) || got % 2 == 0);
            if (!is_right) fail("%a is rounded to %a", x, y);
            if (apus_bfloat16_rounded(x) != got && !isnan(x)) fail("%a: rows and weights are rounded differently", x);
        }
    }
}

/// Results and addends in bfloat16 against the same product with floats, whose results are then rounded. Some rows have
/// more than one chain.
static void test_values(const apus_gemm_kernel *product) {
    const ptrdiff_t rows = random_between(1, 40), columns = random_between(1, 70);
    const ptrdiff_t words = one_in(4) ? random_between(257, 700) : random_between(1, 60);
    const ptrdiff_t padded = (columns + product->panel_columns - 1) / product->panel_columns * product->panel_columns;
    const ptrdiff_t stride = columns + random_between(0, 3), addend_stride = columns + random_between(0, 3);
    uint16_t *left = random_bfloat16(2 * rows * words, 0), *weights = random_bfloat16(2 * padded * words, 0);
    if (one_in(4)) left[random_between(0, 2 * rows * words - 1)] = 0x7fc0;
    const ptrdiff_t addend_count = (rows - 1) * addend_stride + columns, count = (rows - 1) * stride + columns;
    uint16_t *addend = random_bfloat16(addend_count, 0);
    const float **addresses = malloc((size_t)rows * sizeof(float *));
    for (ptrdiff_t row = 0; row < rows; row++) addresses[row] = (const float *)left + row * words;
    float *bias = filled(padded, 0.25f), *output = filled(count, UNTOUCHED);
    apus_gemm_block block = {
        .rows = addresses, .row_count = rows, .segment_count = 1, .segment_length = words,
        .weights = (const float *)weights, .bias = bias, .column_count = columns, .output = output,
        .output_stride = stride, .addend_stride = addend_stride, .activation = random_activation(0.5f)};
    if (one_in(2)) block.addend = widened_numbers(addend, addend_count);
    product->multiply(&block);
    if (block.addend) {
        block.addend = NULL;
        block.rounded_addend = addend;
    }
    block.output = filled(rows * columns, NAN);
    block.output_stride = columns;
    block.rounded = untouched_bfloat16(count);
    block.rounded_stride = stride;
    product->multiply(&block);
    compare_rounded(block.rounded, output, count, "results in bfloat16");
    free(addresses);
}

float add_in_order(float sum, const float *row, const float *column, ptrdiff_t word_count) {
    for (ptrdiff_t word = 0; word < word_count; word++) sum = add_words(sum, row[word], column[word]);
    return sum;
}

float add_in_steps(float sum, const float *row, const float *column, ptrdiff_t word_count) {
    for (ptrdiff_t first = 0; first < word_count; first += 16) {
        float lower = 0, upper = 0;
        for (ptrdiff_t word = first; word < word_count && word < first + 16; word++) {
            uint32_t x, y;
            memcpy(&x, &row[word], sizeof(x));
            memcpy(&y, &column[word], sizeof(y));
            lower = flushed(fmaf(widened(x << 16), widened(y << 16), lower));
            upper = flushed(fmaf(widened(x & 0xffff0000), widened(y & 0xffff0000), upper));
        }
        sum = flushed(flushed(sum) + flushed(lower + upper));
    }
    return sum;
}

/// What `pack_rows` and `interleave_rows` make against `apus_bfloat16_pack`, which `test_words` tests.
static void test_packing(const apus_bfloat16_kernel *kernel) {
    const ptrdiff_t depth = random_between(1, 21), columns = random_between(1, 70);
    const ptrdiff_t stride = columns + random_between(0, 3), panel_columns = kernel->product->panel_columns;
    const ptrdiff_t count = (columns + panel_columns - 1) / panel_columns * panel_columns * ((depth + 1) / 2);
    uint16_t *rounded = random_bfloat16((depth - 1) * stride + columns, 0);
    float *elements = filled((depth - 1) * stride + columns, 0);
    for (ptrdiff_t index = 0; index < (depth - 1) * stride + columns; index++) {
        do elements[index] = extreme_value(); while (isnan(elements[index]));
        rounded[index] = apus_bfloat16_rounded(elements[index]);
    }
    float *expected = filled(count, NAN), *packed = filled(count, UNTOUCHED), *interleaved = filled(count, UNTOUCHED);
    const apus_gemm_factor factor = {
        .elements = elements, .tap_count = 1, .channel_count = depth, .column_count = columns,
        .channel_stride = stride, .column_stride = 1};
    apus_bfloat16_pack(&factor, panel_columns, kernel->adjacent_words, expected);
    kernel->pack_rows(elements, depth, stride, columns, packed);
    kernel->interleave_rows(rounded, depth, stride, columns, interleaved);
    if (memcmp(packed, expected, (size_t)count * sizeof(float))) fail("rows are packed differently");
    if (memcmp(interleaved, expected, (size_t)count * sizeof(float))) fail("rows of bfloat16 are packed differently");
}

void test_bfloat16_kernel(const apus_bfloat16_kernel *kernel, words_model add, uint64_t seed) {
    test_rounding(kernel);
    test_packing(kernel);
    test_words(kernel, add, seed);
    test_values(kernel->product);
}

void test_bfloat16(apus_instructions instructions, uint64_t seed) {
    const int has_tiles = instructions == APUS_INSTRUCTIONS_AMX;
    test_bfloat16_kernel(apus_bfloat16_kernel_for(instructions), has_tiles ? add_in_steps : add_in_order, seed);
}
