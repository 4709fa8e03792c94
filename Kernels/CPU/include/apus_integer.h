#ifndef APUS_INTEGER_H
#define APUS_INTEGER_H

#include "apus_activation.h"
#include "apus_convolution.h"
#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// How sums become 8-bit integers: y = min(max(round(sum · factor) + zero_point, low), high). Each column has a factor.
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

/// How sums become float32 numbers: output[p][j] = activation(sum · (row_scales[p] · scales[j]) + bias[j] +
/// addend[p][j]). Pixels p are numbered through the batch.
typedef struct {
    /// The memory for the numbers of the first wanted column; NULL where none are wanted.
    float *_Nullable output;
    /// The scale of each pixel, `row_scale_step` elements apart: 1, or 0 where all have the same.
    const float *_Nullable row_scales;
    ptrdiff_t row_scale_step;
    /// One element per column of the panels, like `bias`.
    const float *_Nullable scales;
    const float *_Nullable bias;
    /// Lies in memory like `output`, or is the same; NULL for none.
    const float *_Nullable addend;
    apus_activation activation;
} apus_dequantization;

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
    /// One element per column of the panels, like the arrays of `requantization`. `apus_integer_zero` and
    /// `apus_pack_integers` say what must be subtracted from it.
    const int32_t *bias;
    ptrdiff_t column_count;
    /// The output pixels [first, first + count), numbered through the batch. For `convolve_tiles`, tiles of output
    /// pixels, numbered image by image, row by row.
    ptrdiff_t first, count;
    apus_requantization requantization;
    /// The first wanted column of the batch's first pixel.
    uint8_t *output;
    /// The memory for the unrounded sums, which then replace `output`; NULL where `output` is wanted.
    int32_t *_Nullable sums;
    /// The conversion of sums to numbers, which then replace `output`; `sums` is NULL then. `convolve_tiles` has none.
    apus_dequantization numbers;
    /// Elements from one pixel of `output`, `sums` or `numbers.output` to the next.
    ptrdiff_t output_stride;
    /// `scratch_byte_count` bytes, at least what `convolution_scratch` or `tile_scratch` returns, aligned to 64 bytes.
    void *scratch;
    ptrdiff_t scratch_byte_count;
} apus_integer_convolution;

/// A 2-D convolution of one filter for each channel, some rows of one image. Strides in elements.
///
/// An array in places has `period` elements, in blocks of the kernel's `block`. Element e of a block is stored at index
/// e / 4 % group · block / group + e / (4 · group) · 4 + e % 4 of the block, its place.
typedef struct {
    apus_window window;
    const uint8_t *input;
    ptrdiff_t channel_count;
    /// Whether all pixels of an output row are one run of elements. Then output pixels lie dense, and `period` is also
    /// a multiple of `channel_count`. Otherwise every pixel is a run, and `period` is at least `channel_count`.
    int is_flat;
    int is_signed;
    int32_t zero_point;
    /// [block][⌈taps / group⌉][place] words of `group` taps, less the weights' zero point; zeros beyond the last tap.
    const int32_t *weights;
    /// In places. `apus_integer_zero` says what must be subtracted from it.
    const int32_t *bias;
    /// The requantization, with its arrays in places.
    apus_requantization requantization;
    /// A multiple of the kernel's `block`.
    ptrdiff_t period;
    /// The output rows [first_row, last_row).
    ptrdiff_t first_row, last_row;
    uint8_t *output;
    ptrdiff_t output_row_stride, output_pixel_stride;
    /// As many bytes as `depthwise_scratch` returns, aligned to 8 bytes.
    void *scratch;
} apus_integer_depthwise;

/// A sum or difference of two arrays of 8-bit integers, element by element.
///
/// In fixed point: y = min(max(((a − a_zero) · 2^left_shift · first ± (b − b_zero) · 2^left_shift · second) · output +
/// y_zero, low), high). The factors are `first` · 2^(first_shift − 31) and so on, and every product is rounded.
///
/// With scales: y = min(max(round((a − a_zero) · a_scale + (b − b_zero) · b_scale) + y_zero, low), high) in float32.
/// Every operation is rounded separately, halves to the even integer.
typedef struct {
    const uint8_t *a, *b;
    uint8_t *y;
    ptrdiff_t count;
    /// 1, or 0 where one number is used for all elements of b.
    int b_step;
    int is_signed;
    int is_difference;
    int32_t a_zero, b_zero, y_zero, low, high, left_shift;
    int32_t first, second, output;
    int32_t first_shift, second_shift, output_shift;
    int has_scales;
    float a_scale, b_scale;
} apus_integer_sum;

/// The form in which kernels multiply elements of the input.
typedef enum {
    /// Differences from the zero point, in 16 bits.
    APUS_INTEGER_DIFFERENCES,
    /// Unsigned bytes. Signed bytes are raised by 128.
    APUS_INTEGER_UNSIGNED_BYTES,
    /// Signed bytes. Unsigned bytes are lowered by 128.
    APUS_INTEGER_SIGNED_BYTES,
} apus_integer_factors;

/// The kernels for one instruction set.
typedef struct {
    /// The maximum rows of a register tile.
    ptrdiff_t tile_rows;
    /// The columns of a panel of weights.
    ptrdiff_t panel_columns;
    /// Adjacent elements of the depth that are multiplied together: 2 in 16 bits, or 4 in 8 bits.
    ptrdiff_t group;
    /// Elements that a depthwise convolution computes together.
    ptrdiff_t block;
    /// Runs of at least this many words are multiplied in pairs of words; the pair products of `apus_pack_integers`
    /// must then be subtracted from `bias`. 0 where no run is.
    ptrdiff_t minimum_paired_words;
    apus_integer_factors factors;
    void (*convolve)(const apus_integer_convolution *);
    /// The minimum bytes of scratch memory.
    ptrdiff_t (*convolution_scratch)(const apus_window *window, ptrdiff_t channel_count);
    /// The same as `convolve` for 3 · 3 taps with stride 1, by Winograd's minimal filtering in tiles of 4 · 4 pixels.
    /// `weights` are what `apus_pack_transformed_integers` makes, `bias` is taken as it is, and `sums` is NULL. Exact
    /// as long as sums without their bias are below 2²⁵. NULL where the instruction set has no such kernel.
    void (*_Nullable convolve_tiles)(const apus_integer_convolution *);
    /// Bytes of scratch memory for `tile_count` tiles at a time.
    ptrdiff_t (*_Nullable tile_scratch)(ptrdiff_t channel_count, ptrdiff_t tile_count);
    void (*convolve_depthwise)(const apus_integer_depthwise *);
    /// Bytes of scratch memory.
    ptrdiff_t (*depthwise_scratch)(const apus_window *window, ptrdiff_t channel_count);
    void (*add)(const apus_integer_sum *);
} apus_integer_kernel;

/// The kernels that every processor of the architecture runs.
extern const apus_integer_kernel apus_integer_baseline;

/// The kernels for an instruction set; NULL when this build has none.
///
/// - multiplies_bytes: Whether products of 8 bits may be used where the processor has them. They need weights that are
///   within −128…127 after their zero point is taken off.
const apus_integer_kernel *_Nullable apus_integer_kernel_for(apus_instructions instructions, int multiplies_bytes);

/// The number that kernels multiply in place of the input's zero point. The product of this number and the sum of the
/// column's weights must be subtracted from `bias`.
int32_t apus_integer_zero(apus_integer_factors factors, int is_signed, int32_t zero_point);

/// A dense [column][channel][tap] array of 8-bit weights.
typedef struct {
    const uint8_t *elements;
    ptrdiff_t column_count, channel_count, tap_count;
    /// The runs into which a column is cut; each fills whole words. A run is a row of the filter, or one tap where taps
    /// are dilated along rows.
    ptrdiff_t run_count;
    int is_signed;
    int32_t zero_point;
} apus_integer_weights;

/// Takes the zero point off weights and cuts them into the panels of a kernel,
/// [panel][run][⌈taps · channels / runs / group⌉][panel_columns][group], with zeros beyond the last column and the last
/// element of a run.
///
/// - sums: The sum of every column's weights.
/// - pair_products: What must be subtracted from each column's `bias` where words are multiplied in pairs, otherwise 0.
void apus_pack_integers(
    const apus_integer_weights *weights, const apus_integer_kernel *kernel, void *panels, int32_t *sums,
    int32_t *pair_products);

/// The largest absolute value that the sum of a column's products can have, where weights, less their zero point, are
/// multiplied with numbers from `minimum` ≤ 0 to `maximum` ≥ 0.
int64_t apus_largest_sum(const apus_integer_weights *weights, int64_t minimum, int64_t maximum);

/// Transforms weights of 3 · 3 taps for `convolve_tiles` and cuts them into panels of 16-bit integers,
/// [panel][36 products][⌈channels / 2⌉][panel_columns][2], with zeros beyond the last column and channel.
///
/// - panel_columns: At most 64.
void apus_pack_transformed_integers(const apus_integer_weights *weights, ptrdiff_t panel_columns, int16_t *panels);

/// y[i] = table[x[i]]. The table of signed integers begins with the value for −128.
void apus_look_up(const uint8_t *x, const uint8_t *table, int is_signed, ptrdiff_t count, uint8_t *y);

/// y = min(max(round(x / scale) + zero_point, low), high), with halves rounded to the even integer or away from zero.
/// NaN gives the zero point.
void apus_quantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even, ptrdiff_t count,
    uint8_t *y);

/// The numbers of the integers that `apus_quantize` gives: y = (integer − result_zero_point) · result_scale. `y` may be
/// `x`.
void apus_quantize_and_dequantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even,
    float result_scale, int32_t result_zero_point, ptrdiff_t count, float *y);

enum { APUS_MAXIMUM_PLANES = 4 };

/// Quantizes planes of at most APUS_MAXIMUM_PLANES channels in the same way, and writes them as dense channels-last
/// pixels. `plane_stride` is in elements.
void apus_quantize_planes(
    const float *x, ptrdiff_t plane_stride, ptrdiff_t channel_count, float scale, int32_t zero_point, int32_t low,
    int32_t high, int rounds_to_even, ptrdiff_t pixel_count, uint8_t *y);

/// Quantizes rows of `length` numbers that lie `stride` elements apart, each with a scale of its own:
/// scales[r] = max(max |x[r][…]| / 127, FLT_MIN), y[r][k] = round(x[r][k] / scales[r]) + 128, halves rounded to the
/// even integer. The rows of y are dense. A row with a number that is not finite has the scale NaN, and 128 everywhere.
void apus_quantize_rows(
    const float *x, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count, uint8_t *y, float *scales);

/// y = (x − zero_point) · scale
void apus_dequantize(
    const uint8_t *x, int is_signed, float scale, int32_t zero_point, ptrdiff_t count, float *y);

/// The minimum and the maximum of `count` numbers and 0. NaN is ignored.
void apus_find_range(const float *x, ptrdiff_t count, float *minimum, float *maximum);

/// One output row of a pool over a channels-last image: the maximum, or the rounded mean, of the elements under the
/// window that lie inside the image, limited to low…high.
///
/// - output: Pixels that are `pixel_stride` elements apart.
void apus_integer_pool_row(
    const uint8_t *input, const apus_window *window, ptrdiff_t channel_count, int is_signed, int is_mean, int32_t low,
    int32_t high, ptrdiff_t row, uint8_t *output, ptrdiff_t pixel_stride);

/// The mean of every channel of a channels-last image: y[c] = min(max(round(Σ (x[p][c] − zero_point) · factor) +
/// r.zero_point, r.low), r.high). The one factor of `r` includes the division by the number of pixels.
void apus_integer_mean(
    const uint8_t *x, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channel_count, int is_signed, int32_t zero_point, const apus_requantization *r, uint8_t *y);

#pragma clang assume_nonnull end

#endif
