#include "../target.h"
#include "apus_integer.h"
#include "quantize.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANES = 32 };

/// The bits of max |x[…]|. As integers, the bits of NaN are above those of ∞, which are above those of other numbers.
__attribute__((always_inline)) static inline uint32_t largest_bits(const float *x, ptrdiff_t count) {
    uint32_t largest[LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t bits;
            memcpy(&bits, x + i + lane, sizeof bits);
            bits &= INT32_MAX;
            largest[lane] = bits > largest[lane] ? bits : largest[lane];
        }
    }
    for (; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bits &= INT32_MAX;
        largest[0] = bits > largest[0] ? bits : largest[0];
    }
    for (int lane = 1; lane < LANES; lane++) largest[0] = largest[lane] > largest[0] ? largest[lane] : largest[0];
    return largest[0];
}

APUS_KERNEL void apus_quantize_rows(
    const float *x, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count, uint8_t *y, float *scales) {
    for (ptrdiff_t row = 0; row < count; row++, x += stride, y += length) {
        const uint32_t bits = largest_bits(x, length);
        float largest;
        memcpy(&largest, &bits, sizeof largest);
        if (!isfinite(largest)) {
            scales[row] = NAN;
            memset(y, 128, (size_t)length);
            continue;
        }
        const float quotient = largest / 127, scale = quotient < FLT_MIN ? FLT_MIN : quotient;
        scales[row] = scale;
        const quantization q = {scale, 128, 1, 255, 1};
        const float reciprocal = has_reciprocal(scale) ? 1 / scale : 0;
        for (ptrdiff_t first = 0; first < length; first += QUANTIZED_BLOCK) {
            const ptrdiff_t block = length - first < QUANTIZED_BLOCK ? length - first : QUANTIZED_BLOCK;
            float rounded[QUANTIZED_BLOCK];
            round_block(x + first, &q, reciprocal, block, rounded);
            for (ptrdiff_t i = 0; i < block; i++) y[first + i] = (uint8_t)((int32_t)rounded[i] + q.zero_point);
        }
    }
}
