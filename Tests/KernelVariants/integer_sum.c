#include "integer_convolution.h"

#include <math.h>

void test_integer_sum(apus_instructions instructions) {
    const ptrdiff_t count = random_between(1, 200);
    const int is_signed = one_in(2), step = one_in(3) ? 0 : 1;
    apus_integer_sum s = {
        .a = random_bytes(count), .b = random_bytes(step ? count : 1), .y = random_bytes(count), .count = count,
        .b_step = step, .is_signed = is_signed, .is_difference = one_in(3),
        .a_zero = byte_value((uint8_t)random_between(0, 255), is_signed),
        .b_zero = byte_value((uint8_t)random_between(0, 255), is_signed),
        .y_zero = byte_value((uint8_t)random_between(0, 255), is_signed), .low = is_signed ? -128 : 0,
        .high = is_signed ? 127 : 255, .left_shift = 20, .first = (int32_t)random_between(1 << 30, INT32_MAX),
        .second = (int32_t)random_between(1 << 30, INT32_MAX), .output = (int32_t)random_between(1 << 30, INT32_MAX),
        .first_shift = -(int32_t)random_between(0, 3), .second_shift = -1, .output_shift = -18,
        .has_scales = one_in(2), .a_scale = random_value(0), .b_scale = random_value(0)};
    const apus_requantization limits = {.low = s.low, .high = s.high};
    uint8_t *wanted = random_bytes(count);
    for (ptrdiff_t i = 0; i < count; i++) {
        const int32_t a = byte_value(s.a[i], is_signed) - s.a_zero, b = byte_value(s.b[i * step], is_signed) - s.b_zero;
        int64_t y;
        if (s.has_scales) {
            volatile float p = (float)a * s.a_scale, q = (float)b * s.b_scale;
            y = (int64_t)rintf(p + q);
        } else {
            const int64_t p = scaled_twice((int64_t)a * (1 << 20), s.first, s.first_shift);
            const int64_t q = scaled_twice((int64_t)b * (1 << 20), s.second, s.second_shift);
            y = scaled_twice(s.is_difference ? p - q : p + q, s.output, s.output_shift);
        }
        wanted[i] = limited(y + s.y_zero, &limits);
    }
    apus_integer_kernel_for(instructions, 1)->add(&s);
    compare_bytes(s.y, wanted, count);
}
