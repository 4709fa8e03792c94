#include "../activation.h"
#include "../bfloat16.h"
#include "apus_normalization.h"
#include "../target.h"

__attribute__((always_inline)) static inline void scale_and_shift(
    const apus_pixels *it, const float *scale, const float *shift, apus_activation activation,
    const int input_is_bfloat16, const int output_is_bfloat16) {
    enum { BLOCK = 256 };
    float results[BLOCK];
    // Floats are written where they belong, so that a pixel is one block.
    const ptrdiff_t block = output_is_bfloat16 ? BLOCK : it->channels;
    for (ptrdiff_t p = 0; p < it->count; p++) {
        for (ptrdiff_t first = 0; first < it->channels; first += block) {
            const ptrdiff_t count = it->channels - first < block ? it->channels - first : block;
            const void *x = element_address(it->input, p * it->input_stride + first, input_is_bfloat16);
            void *y = element_address(it->output, p * it->output_stride + first, output_is_bfloat16);
            float *sums = output_is_bfloat16 ? results : y;
            for (ptrdiff_t c = 0; c < count; c++)
                sums[c] = read_element(x, c, input_is_bfloat16) * scale[first + c] + shift[first + c];
            activate(sums, count, activation);
            if (output_is_bfloat16) write_rounded(sums, count, y, 1);
        }
    }
}

APUS_KERNEL void apus_scale_and_shift(
    const apus_pixels *pixels, const float *scale, const float *shift, apus_activation activation) {
    APUS_WITH_ELEMENT_TYPES(
        scale_and_shift, pixels->input_is_bfloat16, pixels->output_is_bfloat16, pixels, scale, shift, activation);
}
