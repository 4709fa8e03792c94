#include "integer_convolution.h"

#include <math.h>
#include <string.h>

/// The integer of a number by the definition: division, then rounding.
static int32_t quantized(float x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even) {
    float quotient = x / scale;
    if (isnan(quotient)) return zero_point;
    quotient = fminf(fmaxf(quotient, -1000), 1000);
    const float whole = truncf(quotient), rest = quotient - whole;
    const float away = whole + (float)((rest >= 0.5f) - (rest <= -0.5f));
    const int32_t integer = (int32_t)(rounds_to_even ? nearbyintf(quotient) : away) + zero_point;
    return integer < low ? low : integer > high ? high : integer;
}

/// A number at or beside a half of the scale, or any number.
static float number_near_half(float scale) {
    const float special[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1e-42f, 3e38f};
    if (one_in(40)) return special[random_between(0, 6)];
    float x = ((float)random_between(-300, 300) + (one_in(3) ? random_value(0) : 0.5f)) * scale;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isfinite(x) && x != 0 && one_in(2)) bits += (uint32_t)random_between(-3, 3);
    memcpy(&x, &bits, sizeof x);
    return x;
}

void test_quantized_numbers(void) {
    const ptrdiff_t count = random_between(1, 300);
    const int is_signed = one_in(2), rounds_to_even = !one_in(3);
    const int32_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    const int32_t zero_point = (int32_t)random_between(low, high);
    const float fraction = 1 + fabsf(random_value(0));
    const int exponent = (int)(one_in(4) ? random_between(-126, 120) : random_between(-12, 4));
    const float scale = ldexpf(one_in(4) ? 1 : fraction, exponent);
    const float result_scale = one_in(2) ? scale : 0.75f;
    const int32_t result_zero_point = one_in(2) ? zero_point : (int32_t)random_between(low, high);
    float *x = filled(count, 0);
    uint8_t *y = untouched_bytes(count), *wanted = untouched_bytes(count);
    float *numbers = filled(count, UNTOUCHED), *wanted_numbers = filled(count, 0);
    for (ptrdiff_t i = 0; i < count; i++) {
        x[i] = number_near_half(scale);
        const int32_t integer = quantized(x[i], scale, zero_point, low, high, rounds_to_even);
        wanted[i] = (uint8_t)integer;
        wanted_numbers[i] = (float)(integer - result_zero_point) * result_scale;
    }
    apus_quantize(x, scale, zero_point, low, high, rounds_to_even, count, y);
    compare_bytes(y, wanted, count);
    apus_quantize_and_dequantize(
        x, scale, zero_point, low, high, rounds_to_even, result_scale, result_zero_point, count, numbers);
    compare_bits(numbers, wanted_numbers, count, "numbers");
}
