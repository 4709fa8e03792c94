#ifndef APUS_DEPTHWISE_H
#define APUS_DEPTHWISE_H

#include "apus_activation.h"
#include "apus_convolution.h"
#include "apus_processor.h"

#include <stddef.h>

/// A block of output rows and channels of a convolution with one filter per channel, over a channels-last image:
///
/// output[oy][ox][c] = activation(bias[c] + Σ input[y][x][c] · weights[ky · kernel_width + kx][c] + addend[oy][ox][c])
///
/// with y = oy · stride_height − padding_top + ky · dilation_height (same for x), over the taps inside the image. Each
/// sum runs over ky, then kx, from `bias[c]`, so that its bits do not depend on how the image is cut into blocks.
/// Elements may be written twice, so `output` must not overlap any input. Strides are in elements. The kernel of
/// bfloat16 finds numbers of 16 bits at `input` and `output`.
typedef struct {
    apus_window window;
    /// The block's first channel of the image's first pixel.
    const float *_Nonnull input;
    ptrdiff_t channel_count;
    /// The block's first channel of the first of kernel_height · kernel_width taps, which lie `tap_stride` apart.
    const float *_Nonnull weights;
    ptrdiff_t tap_stride;
    /// The block's first channel.
    const float *_Nullable bias;
    /// The block's first channel of the addend's first pixel; may be NULL.
    const float *_Nullable addend;
    ptrdiff_t addend_row_stride, addend_pixel_stride;
    apus_activation activation;
    ptrdiff_t first_row, last_row;
    /// The block's first channel of the image's first output pixel.
    float *_Nonnull output;
    ptrdiff_t output_row_stride, output_pixel_stride;
} apus_depthwise_block;

/// The convolution for one instruction set.
typedef struct {
    void (*_Nonnull convolve)(const apus_depthwise_block *_Nonnull);
} apus_depthwise_kernel;

/// One input channel of its group for each of `count` output channels from `first` on, in every pixel of a row:
///
/// output[x][i] = input[x][(first + i) / group_outputs · group_inputs + k]
///
/// So a convolution in small groups becomes a convolution with one filter per channel, whose taps are those of all
/// channels of a group.
///
/// - input: The first pixel; pixels are `pixel_stride` elements apart.
/// - output: pixel_count × count, dense.
void apus_spread_group_inputs(
    const float *_Nonnull input, ptrdiff_t pixel_stride, ptrdiff_t pixel_count, ptrdiff_t group_inputs,
    ptrdiff_t group_outputs, ptrdiff_t k, ptrdiff_t first, ptrdiff_t count, float *_Nonnull output);

/// The kernel for an instruction set; NULL when this build has none.
const apus_depthwise_kernel *_Nullable apus_depthwise_kernel_for(apus_instructions instructions);

/// The kernel whose input and output are bfloat16, and whose arithmetic is that of float32; NULL where the processor or
/// this build has none.
const apus_depthwise_kernel *_Nullable apus_depthwise_of_bfloat16_for(apus_instructions instructions);

#endif
