#include "../bfloat16.h"
#include "apus_normalization.h"
#include "../target.h"

#include <math.h>
#include <string.h>

__attribute__((always_inline)) static inline void normalize(
    const apus_pixels *it, ptrdiff_t size, float alpha, float beta, float bias, const int input_is_bfloat16,
    const int output_is_bfloat16) {
    enum { BLOCK = 256 };
    float sums[BLOCK];
    // Neighbours beyond the channels add nothing.
    const ptrdiff_t channels = it->channels, half = (size - 1) / 2, rest = size - 1 - half;
    const ptrdiff_t before = half < channels ? half : channels, after = rest < channels ? rest : channels;
    const float scale = alpha / (float)size;
    for (ptrdiff_t p = 0; p < it->count; p++) {
        const void *restrict x = element_address(it->input, p * it->input_stride, input_is_bfloat16);
        void *restrict y = element_address(it->output, p * it->output_stride, output_is_bfloat16);
        for (ptrdiff_t start = 0; start < channels; start += BLOCK) {
            const ptrdiff_t count = channels - start < BLOCK ? channels - start : BLOCK;
            memset(sums, 0, sizeof(sums));
            // Neighbours are the outer loop, so that all channels are added at once.
            for (ptrdiff_t k = -before; k <= after; k++) {
                const ptrdiff_t first = start + k < 0 ? -k - start : 0;
                const ptrdiff_t end = start + count + k > channels ? channels - k - start : count;
                for (ptrdiff_t c = first; c < end; c++) {
                    const float neighbour = read_element(x, start + c + k, input_is_bfloat16);
                    sums[c] += neighbour * neighbour;
                }
            }
            for (ptrdiff_t c = 0; c < count; c++) sums[c] = bias + scale * sums[c];
            if (beta == 0.75f)
                for (ptrdiff_t c = 0; c < count; c++) {
                    const float root = __builtin_elementwise_sqrt(sums[c]);
                    sums[c] = root * __builtin_elementwise_sqrt(root);
                }
            else
                for (ptrdiff_t c = 0; c < count; c++) sums[c] = powf(sums[c], beta);
            for (ptrdiff_t c = 0; c < count; c++)
                write_element(
                    y, start + c, read_element(x, start + c, input_is_bfloat16) / sums[c], output_is_bfloat16);
        }
    }
}

APUS_KERNEL void apus_local_response_normalization(
    const apus_pixels *pixels, ptrdiff_t size, float alpha, float beta, float bias) {
    APUS_WITH_ELEMENT_TYPES(
        normalize, pixels->input_is_bfloat16, pixels->output_is_bfloat16, pixels, size, alpha, beta, bias);
}
