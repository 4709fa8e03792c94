#ifndef APUS_TESTS_INTEGER_CONVOLUTION_H
#define APUS_TESTS_INTEGER_CONVOLUTION_H

// Random layers of 8-bit integers, and what their bytes must be.

#include "apus_integer.h"
#include "testing.h"

/// A convolution with a filter for all channels, or one for each.
typedef struct {
    apus_window window;
    ptrdiff_t images, image_stride, channels, columns, output_height, pixel_stride;
    int is_signed;
    int32_t zero_point, weight_zero;
    const uint8_t *input, *weights;
    const int32_t *bias;
    apus_requantization requantization;
} convolution;

/// A product of patches, a filter for each channel, or filters of 3 by 3 for Winograd's minimal filtering.
typedef enum { PRODUCT, CHANNELS, TILES } convolution_kind;

/// One random case of a kernel, drawn from its seed.
void test_integer_product(apus_instructions instructions, uint64_t seed);
void test_integer_tiles(apus_instructions instructions, uint64_t seed);
void test_integer_depthwise(apus_instructions instructions, uint64_t seed);
void test_integer_sum(apus_instructions instructions);
void test_quantized_rows(void);
/// Numbers at and beside halves, by division and by the reciprocal of the scale.
void test_quantized_numbers(void);

convolution draw_convolution(convolution_kind kind, uint64_t seed);
/// A weight without its zero point.
int32_t convolution_weight(const convolution *c, ptrdiff_t index);
/// The expected bytes of the result, with 0x5A between pixels.
uint8_t *expected_bytes(const convolution *c, int is_depthwise, ptrdiff_t byte_count);
/// The kernels for the weights of a case, with products of bytes where they fit.
const apus_integer_kernel *kernel_for_weights(apus_instructions instructions, const convolution *c);
/// The number that a kernel multiplies in place of the input's zero point.
int32_t input_zero(const convolution *c, const apus_integer_kernel *kernel);
/// The factors, padded to the columns of the panels.
apus_requantization padded_requantization(const convolution *c, ptrdiff_t columns);

/// round(x · multiplier / 2³¹), halves up; then shifted, halves away from zero.
int64_t scaled_twice(int64_t sum, int32_t multiplier, int32_t shift);
uint8_t limited(int64_t y, const apus_requantization *r);
/// The byte of a sum in a column.
uint8_t requantized(int32_t sum, const apus_requantization *r, ptrdiff_t column);
int32_t byte_value(uint8_t byte, int is_signed);
/// The least multiple that is not below `count`.
ptrdiff_t rounded_up(ptrdiff_t count, ptrdiff_t multiple);

/// Guarded memory: random bytes, bytes of 0x5A that a kernel must not change, and words of zero.
uint8_t *random_bytes(ptrdiff_t count);
uint8_t *untouched_bytes(ptrdiff_t count);
int32_t *zero_words(ptrdiff_t count);
/// Memory at the beginning of a cache line.
void *aligned_scratch(ptrdiff_t byte_count);
void compare_bytes(const uint8_t *got, const uint8_t *wanted, ptrdiff_t count);

#endif
