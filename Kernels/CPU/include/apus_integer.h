#ifndef APUS_INTEGER_H
#define APUS_INTEGER_H

#include "apus_convolution.h"
#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// How sums become integers of 8 bits: y = min(max(round(sum · factor) + zero_point, low), high), a factor for each
/// column.
typedef struct {
    /// Factors in float32, halves rounded to the even integer; NULL where they are in fixed point.
    const float *_Nullable scales;
    /// Whether all of them are below 1.
    int has_small_scales;
    /// Factors multiplier · 2^(shift − 31), rounded as TensorFlow Lite's kernels do.
    const int32_t *_Nullable multipliers;
    const int32_t *_Nullable shifts;
    int32_t zero_point, low, high;
    /// Whether a product in fixed point is rounded once, halves up.
    int rounds_once;
} apus_requantization;

/// A 2-D convolution of channels-last images of 8-bit integers, some of its output pixels and columns. Strides in
/// elements.
///
/// output[p][j] = requantization(bias[j] + Σ (input[…] − zero_point) · weights[…][j])
///
/// Sums are exact as long as they fit in 32 bits.
typedef struct {
    apus_window window;
    const uint8_t *input;
    ptrdiff_t image_stride;
    /// Output pixels of one image.
    ptrdiff_t image_pixel_count;
    ptrdiff_t channel_count;
    int is_signed;
    int32_t zero_point;
    /// The panels from the first wanted column on, as `apus_pack_integers` makes them.
    const uint8_t *weights;
    /// As many elements as the panels have columns, like the arrays of `requantization`; with what the kernel adds to
    /// its input taken out.
    const int32_t *bias;
    ptrdiff_t column_count;
    /// Pixels, numbered through the batch; or tiles of them, image by image, row by row.
    ptrdiff_t first, count;
    apus_requantization requantization;
    /// The first wanted column of the batch's first pixel.
    uint8_t *output;
    /// Where sums are wanted as they are instead; NULL for `output`.
    int32_t *_Nullable sums;
    /// Of either.
    ptrdiff_t output_stride;
    /// At least as many bytes as `convolution_scratch` or `tile_scratch` says, aligned to 64.
    void *scratch;
    ptrdiff_t scratch_byte_count;
} apus_integer_convolution;

/// A 2-D convolution of one filter for each channel, some rows of one image. Strides in elements.
///
/// Arrays of the weights' `period` elements lie in blocks of the kernel's `block`; element e of a block has the place
/// e / 4 % group · block / group + e / (4 · group) · 4 + e % 4 in it.
typedef struct {
    apus_window window;
    const uint8_t *input;
    ptrdiff_t channel_count;
    /// Whether all pixels of an output row are one run of elements, so that `period` is a multiple of `channel_count`
    /// too, and output pixels lie dense; otherwise every pixel is a run, and `period` at least `channel_count`.
    int is_flat;
    int is_signed;
    int32_t zero_point;
    /// [block][⌈taps / group⌉][place] words of `group` taps less their zero point; zeros beyond the last tap.
    const int32_t *weights;
    /// With what the kernel adds to its input taken out, in places.
    const int32_t *bias;
    /// Arrays in places.
    apus_requantization requantization;
    /// A multiple of the kernel's `block`.
    ptrdiff_t period;
    ptrdiff_t first_row, last_row;
    uint8_t *output;
    ptrdiff_t output_row_stride, output_pixel_stride;
    /// As many bytes as `depthwise_scratch` says for so many channels, aligned to 8.
    void *scratch;
} apus_integer_depthwise;

/// y = min(max(output((a − a_zero) · 2^left_shift · first ± (b − b_zero) · 2^left_shift · second) + y_zero, low), high)
///
/// With scales: y = min(max(round((a − a_zero) · a_scale + (b − b_zero) · b_scale) + y_zero, low), high) in float32, every
/// operation rounded by itself, halves to the even integer.
typedef struct {
    const uint8_t *a, *b;
    uint8_t *y;
    ptrdiff_t count;
    /// 1, or 0 where b is one number for all.
    int b_step;
    int is_signed;
    int is_difference;
    int32_t a_zero, b_zero, y_zero, low, high, left_shift;
    int32_t first, second, output;
    int32_t first_shift, second_shift, output_shift;
    int has_scales;
    float a_scale, b_scale;
} apus_integer_sum;

/// What kernels multiply elements of the input as.
typedef enum {
    /// Less their zero point, in 16 bits.
    APUS_INTEGER_DIFFERENCES,
    /// Bytes without a sign: those with one are raised by 128.
    APUS_INTEGER_UNSIGNED_BYTES,
    /// Bytes with a sign: those without are lowered by 128.
    APUS_INTEGER_SIGNED_BYTES,
} apus_integer_factors;

/// The kernels for one instruction set.
typedef struct {
    /// The most rows of a register tile.
    ptrdiff_t tile_rows;
    /// The columns of a panel of weights.
    ptrdiff_t panel_columns;
    /// Adjacent elements of the depth that are multiplied together: 2 in 16 bits, or 4 in 8 bits.
    ptrdiff_t group;
    /// Elements that a depthwise convolution computes together.
    ptrdiff_t block;
    /// Runs of at least so many words are multiplied by pairs of words, which `bias` takes into account; 0 where none are.
    ptrdiff_t least_paired_words;
    apus_integer_factors factors;
    void (*convolve)(const apus_integer_convolution *);
    ptrdiff_t (*convolution_scratch)(const apus_window *window, ptrdiff_t channel_count);
    /// The same for 3 · 3 taps with stride 1 by Winograd's minimal filtering, in tiles of 4 · 4 pixels and with weights as
    /// `apus_pack_transformed_integers` makes them; `bias` as it is, no `sums`. Exact as long as sums without their bias are
    /// below 2²⁵. NULL where there is no such kernel.
    void (*_Nullable convolve_tiles)(const apus_integer_convolution *);
    /// For so many tiles at a time.
    ptrdiff_t (*_Nullable tile_scratch)(ptrdiff_t channel_count, ptrdiff_t tile_count);
    void (*convolve_depthwise)(const apus_integer_depthwise *);
    ptrdiff_t (*depthwise_scratch)(const apus_window *window, ptrdiff_t channel_count);
    void (*add)(const apus_integer_sum *);
} apus_integer_kernel;

/// The kernels that every processor of the architecture runs.
extern const apus_integer_kernel apus_integer_baseline;

/// The kernels for an instruction set; NULL when this build has none.
///
/// - multiplies_bytes: Whether products of 8 bits may be used where the processor has them; they need weights within
///   −128…127 less their zero point.
const apus_integer_kernel *_Nullable apus_integer_kernel_for(apus_instructions instructions, int multiplies_bytes);

/// What kernels multiply elements of the input as that stand for zero; `bias` must be less by the sum of the weights times
/// that.
int32_t apus_integer_zero(apus_integer_factors factors, int is_signed, int32_t zero_point);

/// A [column][channel][tap] array of 8-bit weights, dense.
typedef struct {
    const uint8_t *elements;
    ptrdiff_t column_count, channel_count, tap_count;
    /// The runs of adjacent taps, each of which fills whole words: the rows of a filter, or all taps where they are dilated
    /// along rows.
    ptrdiff_t run_count;
    int is_signed;
    int32_t zero_point;
} apus_integer_weights;

/// Cuts weights less their zero point into panels [panel][run][⌈taps · channels / runs / group⌉][panel_columns][group] of a
/// kernel, zeros beyond the last column and the last element of a run; `sums` gets the sum of every column, and
/// `pair_products` by how much `bias` must be less besides.
void apus_pack_integers(
    const apus_integer_weights *weights, const apus_integer_kernel *kernel, void *panels, int32_t *sums,
    int32_t *pair_products);

/// The most that a column's sum of products of weights less their zero point can be, without its sign, with numbers from
/// `least` ≤ 0 to `most` ≥ 0.
int64_t apus_largest_sum(const apus_integer_weights *weights, int64_t least, int64_t most);

/// Cuts weights of 3 · 3 taps, transformed for `convolve_tiles`, into panels
/// [panel][36 products][⌈channels / 2⌉][panel_columns][2] of 16 bits, zeros beyond the last column and channel.
///
/// - panel_columns: At most 64.
void apus_pack_transformed_integers(const apus_integer_weights *weights, ptrdiff_t panel_columns, int16_t *panels);

/// y[i] = table[x[i]], the tables of signed integers beginning with that of −128.
void apus_look_up(
    const uint8_t *x, const uint8_t *table, int is_signed, ptrdiff_t count, uint8_t *y);

/// y = round(x / scale) + zero_point within low…high, halves to the even integer or away from zero; NaN gives the zero
/// point.
void apus_quantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even, ptrdiff_t count,
    uint8_t *y);

enum { APUS_MOST_PLANES = 4 };

/// The same for planes of at most APUS_MOST_PLANES channels, written as dense channels-last pixels. Strides in elements.
void apus_quantize_planes(
    const float *x, ptrdiff_t plane_stride, ptrdiff_t channel_count, float scale, int32_t zero_point, int32_t low,
    int32_t high, int rounds_to_even, ptrdiff_t pixel_count, uint8_t *y);

/// y = (x − zero_point) · scale
void apus_dequantize(
    const uint8_t *x, int is_signed, float scale, int32_t zero_point, ptrdiff_t count, float *y);

/// y = x
void apus_convert_integers(const int32_t *x, ptrdiff_t count, float *y);

/// The least and the largest of some numbers and 0; NaN is passed over.
void apus_find_range(const float *x, ptrdiff_t count, float *least, float *most);

/// One output row of a pool over a channels-last image: the largest element, or the rounded mean of those inside.
///
/// - output: pixels `pixel_stride` apart.
void apus_integer_pool_row(
    const uint8_t *input, const apus_window *window, ptrdiff_t channel_count, int is_signed, int is_mean, int32_t low,
    int32_t high, ptrdiff_t row, uint8_t *output, ptrdiff_t pixel_stride);

/// The mean of every channel of a channels-last image, by one factor in fixed point that holds the number of pixels:
/// y[c] = min(max(round(Σ (x[p][c] − zero_point) · factor) + r.zero_point, r.low), r.high).
void apus_integer_mean(
    const uint8_t *x, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channel_count, int is_signed, int32_t zero_point, const apus_requantization *r, uint8_t *y);

#pragma clang assume_nonnull end

#endif
