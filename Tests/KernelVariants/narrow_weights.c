#include "apus_bfloat16.h"
#include "apus_float16.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A value for which a weight may be denormal, an ordinary one, or rarely no number.
static float extreme_value(void) {
    if (one_in(300)) return NAN;
    if (one_in(300)) return one_in(2) ? INFINITY : -INFINITY;
    if (one_in(50)) return random_value(0) * 0x1p-127f;
    return random_value(0) * ldexpf(1, (int)random_between(-30, 10));
}

static float rounded_to_bfloat16(float x) {
    const uint32_t bits = (uint32_t)apus_bfloat16_rounded(x) << 16;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static float rounded_to_float16(float x) { return apus_float16_widened(apus_float16_rounded(x)); }

/// A format of weights that are two in a word.
typedef struct {
    const apus_gemm_kernel *kernel;
    float (*rounded)(float);
    void (*pack)(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels);
} format;

static void pack_float16(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels) {
    if (!apus_float16_pack(factor, panel_columns, panels)) fail("a weight is beyond the range");
}

static void pack_bfloat16(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels) {
    apus_bfloat16_pack(factor, panel_columns, 1, panels);
}

/// The product of floats with weights of a format against that of floats with the same weights, bit by bit.
static void test_weights(format format, apus_instructions instructions, uint64_t seed) {
    const apus_gemm_kernel *kernel = format.kernel, *reference = apus_gemm_kernel_for(instructions);
    const ptrdiff_t rows = 1 + (ptrdiff_t)(seed % 40), columns = 1 + (ptrdiff_t)(seed / 40 % 40);
    const ptrdiff_t segments = random_between(1, 3), length = random_between(1, one_in(8) ? 600 : 40);
    const ptrdiff_t depth = segments * length, words = segments * ((length + 1) / 2);
    const ptrdiff_t panels = (columns + kernel->panel_columns - 1) / kernel->panel_columns;
    float *left = filled(rows * depth, 0), *right = filled(depth * columns, 0);
    for (ptrdiff_t index = 0; index < rows * depth; index++) left[index] = extreme_value();
    for (ptrdiff_t index = 0; index < depth * columns; index++)
        right[index] = format.rounded(extreme_value());
    float *bias = random_values(panels * kernel->panel_columns, 0);
    float *packed = filled(panels * kernel->panel_columns * words, NAN);
    float *unrounded = filled(panels * kernel->panel_columns * depth, NAN);
    const apus_gemm_factor factor = {
        .elements = right, .tap_count = segments, .channel_count = length, .column_count = columns,
        .tap_stride = length * columns, .channel_stride = columns, .column_stride = 1};
    format.pack(&factor, kernel->panel_columns, packed);
    apus_gemm_pack(&factor, kernel->panel_columns, unrounded);
    float *zeros = one_in(3) ? filled(length, 0) : NULL;
    float *output = filled(rows * columns, UNTOUCHED), *expected = filled(rows * columns, UNTOUCHED);
    const float **addresses = malloc((size_t)(rows * segments) * sizeof(float *));
    apus_gemm_block block = {
        .rows = addresses, .zeros = zeros, .row_count = rows, .segment_count = segments, .segment_length = length,
        .bias = bias, .column_count = columns, .output_stride = columns};
    for (int pass = 0; pass < 2; pass++) {
        const apus_gemm_kernel *used = pass == 0 ? reference : kernel;
        const ptrdiff_t tiles = apus_gemm_tile_count(rows, used->tile_rows);
        const float **next = addresses;
        for (ptrdiff_t tile = 0; tile < tiles; tile++)
            for (ptrdiff_t segment = 0; segment < segments; segment++)
                for (ptrdiff_t row = apus_gemm_tile_start(rows, tiles, tile);
                     row < apus_gemm_tile_start(rows, tiles, tile + 1); row++)
                    *next++ = zeros && (row + segment) % 5 < 3 ? zeros : left + row * depth + segment * length;
        block.weights = pass == 0 ? unrounded : packed;
        block.output = pass == 0 ? expected : output;
        used->multiply(&block);
    }
    // Infinite weights and left out zeros give NaN or nothing, by tile.
    int is_finite = 1;
    for (ptrdiff_t index = 0; index < depth * columns; index++) is_finite &= isfinite(right[index]) != 0;
    if (is_finite || !zeros) compare_bits(output, expected, rows * columns, "floats with the same weights");
    free(addresses);
}

void test_bfloat16_weights(apus_instructions instructions, uint64_t seed) {
    test_weights(
        (format){apus_gemm_of_pairs_for(instructions), rounded_to_bfloat16, pack_bfloat16}, instructions, seed);
}

void test_float16_weights(apus_instructions instructions, uint64_t seed) {
    test_weights(
        (format){apus_gemm_of_halves_for(instructions), rounded_to_float16, pack_float16}, instructions, seed);
}

/// Every float16 stays itself, and floats between two of them round to the nearer one, or to the even one.
void test_float16_rounding(apus_instructions instructions, uint64_t seed) {
    (void)instructions;
    // A case tests 64 of the magnitudes below infinity, with both signs.
    for (uint64_t index = 64 * seed; index < 64 * (seed + 1); index++) {
        const uint16_t low = (uint16_t)(index % 0x7c00), high = low + 1;
        const float x = apus_float16_widened(low);
        const float y = high == 0x7c00 ? 0x1p16f : apus_float16_widened(high), middle = x + (y - x) / 2;
        const struct { float value; uint16_t expected; } cases[] = {
            {x, low}, {nextafterf(middle, 0), low}, {middle, low % 2 ? high : low}, {nextafterf(middle, 1e6f), high},
        };
        for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
            const uint16_t found = apus_float16_rounded(cases[place].value);
            if (found != cases[place].expected) fail("%a is rounded to %x", cases[place].value, found);
            if (apus_float16_rounded(-cases[place].value) != (found | 0x8000)) fail("−%a", cases[place].value);
        }
        // A magnitude of float16 is (1024 + mantissa) · 2^(exponent − 25), or mantissa · 2⁻²⁴ with the exponent 0.
        const int exponent = low >> 10, mantissa = low & 0x3ff;
        if (x != ldexpf((float)(exponent ? 1024 + mantissa : mantissa), (exponent ? exponent : 1) - 25))
            fail("%x is widened to %a", low, x);
    }
    if (!isnan(apus_float16_widened(apus_float16_rounded(NAN))) ||
        apus_float16_widened(apus_float16_rounded(-INFINITY)) != -INFINITY || apus_float16_rounded(1e30f) != 0x7c00)
        fail("no number, or beyond the range");
    float packed[8] = {0};
    const float weights[] = {0x1.ffep15f, 0x1.ffcp15f, INFINITY};
    const apus_gemm_factor factor = {.elements = weights, .tap_count = 1, .channel_count = 3, .column_count = 1,
                                     .channel_stride = 1};
    if (apus_float16_pack(&factor, 1, packed)) fail("an infinity that was finite");
    apus_gemm_factor others = factor;
    others.elements = weights + 1;
    others.channel_count = 2;
    if (!apus_float16_pack(&others, 1, packed)) fail("the maximum, and an infinity");
}
