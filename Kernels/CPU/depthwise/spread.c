#include "../target.h"
#include "apus_depthwise.h"

/// Spreads whole groups. Callers pass usual extents as constants.
static inline __attribute__((always_inline)) void spread_groups(
    const float *input, ptrdiff_t pixel_stride, ptrdiff_t pixel_count, ptrdiff_t group_inputs, ptrdiff_t group_outputs,
    ptrdiff_t groups, float *output) {
    for (ptrdiff_t x = 0; x < pixel_count; x++, input += pixel_stride, output += groups * group_outputs)
        for (ptrdiff_t group = 0; group < groups; group++)
            for (ptrdiff_t i = 0; i < group_outputs; i++)
                output[group * group_outputs + i] = input[group * group_inputs];
}

#define CASE(inputs, outputs)                                                                     \
    case inputs * 16 + outputs:                                                                   \
        spread_groups(input, pixel_stride, pixel_count, inputs, outputs, count / outputs, output); \
        return;

APUS_KERNEL void apus_spread_group_inputs(
    const float *input, ptrdiff_t pixel_stride, ptrdiff_t pixel_count, ptrdiff_t group_inputs, ptrdiff_t group_outputs,
    ptrdiff_t k, ptrdiff_t first, ptrdiff_t count, float *output) {
    if (first % group_outputs == 0 && count % group_outputs == 0) {
        input += first / group_outputs * group_inputs + k;
        switch (group_inputs < 16 && group_outputs < 16 ? group_inputs * 16 + group_outputs : 0) {
            CASE(1, 2)
            CASE(1, 3)
            CASE(1, 4)
            CASE(2, 1)
            CASE(2, 2)
            CASE(2, 4)
            CASE(4, 4)
            CASE(8, 8)
        default:
            spread_groups(input, pixel_stride, pixel_count, group_inputs, group_outputs, count / group_outputs, output);
            return;
        }
    }
    for (ptrdiff_t x = 0; x < pixel_count; x++)
        for (ptrdiff_t i = 0; i < count; i++)
            output[x * count + i] = input[x * pixel_stride + (first + i) / group_outputs * group_inputs + k];
}
