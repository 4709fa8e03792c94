#ifndef APUS_NORMALIZATION_H
#define APUS_NORMALIZATION_H

#include "apus_activation.h"
#include "apus_bfloat16.h"

#include <stddef.h>

/// Channels-last pixels that are computed from others of as many channels, each array of float32 or of bfloat16.
/// Strides in elements.
typedef struct {
    const void *input;
    ptrdiff_t input_stride;
    void *output;
    ptrdiff_t output_stride;
    ptrdiff_t count, channels;
    int input_is_bfloat16, output_is_bfloat16;
} apus_pixels;

/// output[p][c] = activation(input[p][c] · scale[c] + shift[c]). In place is allowed where types are equal.
void apus_scale_and_shift(
    const apus_pixels *pixels, const float *scale, const float *shift,
    apus_activation activation);

/// Local response normalisation across channels.
///
/// output[p][c] = input[p][c] ÷ (bias + alpha ÷ size · Σ input[p][k]²)^beta, k from c − ⌊(size − 1) ÷ 2⌋ to
/// c + ⌈(size − 1) ÷ 2⌉ inside [0, channels). Not in place.
void apus_local_response_normalization(
    const apus_pixels *pixels, ptrdiff_t size, float alpha, float beta, float bias);

/// Rows, each normalised by its own moments:
///
/// output[r][i] = (input[r][i] − mean) ÷ √(variance + epsilon) · scale[i] + bias[i], where the mean may be taken as 0.
///
/// Moments are float32 sums in 64 chains of fixed order. Strides in elements. In place is allowed.
typedef struct {
    ptrdiff_t length;
    const float *scale;
    /// NULL adds nothing.
    const float *bias;
    float epsilon;
    int subtracts_mean;
} apus_row_normalization;

/// Normalises `rows` rows of adjacent elements.
void apus_normalize_rows(
    const apus_row_normalization *normalization, const float *input, ptrdiff_t input_stride, ptrdiff_t rows,
    float *output, ptrdiff_t output_stride);

/// Normalises dense rows of an even number of elements, of which input, output or both are bfloat16.
///
/// - rounding: Rounds the output; NULL where it is floats.
/// - numbers: Scratch memory for the elements of a row.
void apus_normalize_rows_of_bfloat16(
    const apus_row_normalization *normalization, const void *input, int input_is_bfloat16, ptrdiff_t rows,
    void *output, const apus_bfloat16_kernel *rounding, float *numbers);

/// output[i] = (input[i] − mean) ÷ √(variance + epsilon) · scale + bias over adjacent elements, with moments as for
/// rows.
void apus_normalize_plane(
    const float *input, ptrdiff_t count, float epsilon, float scale, float bias, float *output);

#endif
