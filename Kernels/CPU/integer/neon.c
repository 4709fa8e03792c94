#if defined(__aarch64__)
#include "../variants/neon.h"

#include <arm_neon.h>

#define APUS_GROUP 2
#include "tile_of_32_registers.h"
#include "interleave_128.h"
#include "variant.h"

APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier) {
    return (int_vector)vqrdmulhq_s32((int32x4_t)x, (int32x4_t)multiplier);
}

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return (int_vector)vaddq_s32((int32x4_t)sums, vpaddq_s32(low, high));
}

#include "kernels.h"
#endif
