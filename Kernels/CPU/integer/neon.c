#if defined(__aarch64__)
#include "../variants/neon.h"

#include <arm_neon.h>

APUS_INLINE mask high_product(mask x, mask m) { return (mask)vqrdmulhq_s32((int32x4_t)x, (int32x4_t)m); }

APUS_INLINE mask dot(mask sums, mask a, mask b) {
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return (mask)vaddq_s32((int32x4_t)sums, vpaddq_s32(low, high));
}

#define APUS_GROUP 2
#include "interleave_128.h"
#include "requantize.h"
#include "tile_of_32_registers.h"
#include "kernels.h"
#endif
