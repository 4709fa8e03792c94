#include "apus_integer.h"
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// round(x · multiplier / 2³¹), halves up; then shifted, halves away from zero.
static int64_t scaled_twice(int64_t sum, int32_t multiplier, int32_t shift) {
    const int64_t shifted = shift > 0 ? (int32_t)((uint32_t)sum << shift) : sum;
    const int64_t high = (shifted * multiplier + (1 << 30)) >> 31;
    const int right = shift < 0 ? -shift : 0;
    if (right == 0) return high;
    const int64_t half = (int64_t)1 << (right - 1);
    return high >= 0 ? (high + half) >> right : -((-high + half) >> right);
}

static uint8_t limited(int64_t y, const apus_requantization *r) {
    return (uint8_t)(y < r->low ? r->low : y > r->high ? r->high : y);
}

static uint8_t requantized(int32_t sum, const apus_requantization *r, ptrdiff_t column) {
    int64_t y;
    if (r->scales) {
        y = (int64_t)rint((double)((float)sum * r->scales[column]));
    } else if (r->rounds_once) {
        const int total = 31 - r->shifts[column];
        y = ((int64_t)sum * r->multipliers[column] + ((int64_t)1 << (total - 1))) >> total;
    } else {
        y = scaled_twice(sum, r->multipliers[column], r->shifts[column]);
    }
    return limited(y + r->zero_point, r);
}

static int32_t number(uint8_t byte, int is_signed) { return is_signed ? (int8_t)byte : byte; }

static uint8_t *random_bytes(ptrdiff_t count) {
    uint8_t *bytes = (uint8_t *)filled((count + 3) / 4, 0) + (4 - count % 4) % 4;
    for (ptrdiff_t i = 0; i < count; i++) bytes[i] = (uint8_t)random_between(0, 255);
    return bytes;
}

static uint8_t *untouched_bytes(ptrdiff_t count) {
    uint8_t *bytes = random_bytes(count);
    memset(bytes, 0x5A, (size_t)count);
    return bytes;
}

static int32_t *zeros(ptrdiff_t count) { return (int32_t *)filled(count, 0); }

/// A convolution with a filter for all channels, or one for each.
typedef struct {
    apus_window window;
    ptrdiff_t images, image_stride, channels, columns, output_height, pixel_stride;
    int is_signed;
    int32_t zero_point, weight_zero;
    const uint8_t *input, *weights;
    const int32_t *bias;
    apus_requantization requantization;
} convolution;

typedef enum { PRODUCT, CHANNELS, TILES } convolution_kind;

static void draw_axis(
    convolution_kind kind, ptrdiff_t *kernel, ptrdiff_t *stride, ptrdiff_t *dilation, ptrdiff_t *padding,
    ptrdiff_t *input, ptrdiff_t *output) {
    *kernel = kind == TILES ? 3 : one_in(3) ? 1 : one_in(2) ? 3 : random_between(1, 5);
    *stride = kind == TILES ? 1 : random_between(1, 3);
    *dilation = kind != TILES && one_in(3) ? 2 : 1;
    const ptrdiff_t extent = (*kernel - 1) * *dilation + 1, behind = random_between(0, extent - 1);
    *padding = random_between(0, extent - 1);
    const ptrdiff_t least = extent - *padding - behind;
    *input = random_between(least < 1 ? 1 : least, 13);
    *output = (*input + *padding + behind - extent) / *stride + 1;
}

static convolution draw(convolution_kind kind, uint64_t seed) {
    const int is_depthwise = kind == CHANNELS;
    convolution c = {.images = random_between(1, 2), .is_signed = one_in(2)};
    c.channels = one_in(20)  ? 600
                 : one_in(4) ? 64 + (ptrdiff_t)(seed % 80)
                 : one_in(3) ? 3
                             : 1 + (ptrdiff_t)(seed % 40);
    c.columns = is_depthwise ? c.channels : random_between(1, 150);
    apus_window *w = &c.window;
    draw_axis(
        kind, &w->kernel_height, &w->stride_height, &w->dilation_height, &w->padding_top, &w->input_height,
        &c.output_height);
    draw_axis(
        kind, &w->kernel_width, &w->stride_width, &w->dilation_width, &w->padding_left, &w->input_width,
        &w->output_width);
    if (kind == PRODUCT && one_in(3)) {
        w->kernel_height = w->kernel_width = w->stride_height = w->stride_width = 1;
        w->padding_top = w->padding_left = 0;
        c.output_height = w->input_height;
        w->output_width = w->input_width;
    }
    w->input_pixel_stride = c.channels + (one_in(2) ? 0 : random_between(0, 3));
    w->input_row_stride = w->input_width * w->input_pixel_stride + (one_in(2) ? 0 : random_between(0, 3));
    c.image_stride = w->input_height * w->input_row_stride;
    c.pixel_stride = c.columns + (one_in(2) ? 0 : random_between(0, 3));
    c.zero_point = number((uint8_t)random_between(0, 255), c.is_signed);
    c.weight_zero = one_in(4) ? (int32_t)random_between(-128, 127) : 0;
    c.input = random_bytes(c.images * c.image_stride);
    const ptrdiff_t taps = w->kernel_height * w->kernel_width;
    c.weights = random_bytes(c.columns * taps * (is_depthwise ? 1 : c.channels));
    int32_t *bias = zeros(c.columns), *multipliers = zeros(c.columns), *shifts = zeros(c.columns);
    float *scales = filled(c.columns, 0);
    for (ptrdiff_t i = 0; i < c.columns; i++) {
        bias[i] = (int32_t)random_between(-20000, 20000);
        multipliers[i] = (int32_t)random_between(1 << 30, INT32_MAX);
        shifts[i] = (int32_t)random_between(-14, one_in(20) ? 3 : 0);
        scales[i] = (float)random_between(1, 1000) * (one_in(20) ? 1e4f : 1e-5f);
    }
    c.bias = bias;
    const int uses_floats = one_in(2);
    apus_requantization *r = &c.requantization;
    r->has_small_scales = 1;
    for (ptrdiff_t i = 0; i < c.columns; i++)
        if (scales[i] >= 1) r->has_small_scales = 0;
    r->scales = uses_floats ? scales : NULL;
    r->multipliers = uses_floats ? NULL : multipliers;
    r->shifts = uses_floats ? NULL : shifts;
    r->rounds_once = one_in(3);
    r->zero_point = number((uint8_t)random_between(0, 255), c.is_signed);
    r->low = c.is_signed ? -128 : 0;
    r->high = c.is_signed ? 127 : 255;
    if (one_in(2)) r->low = r->zero_point;
    if (one_in(3)) r->high = (int32_t)random_between(r->low, r->high);
    return c;
}

static int32_t weight(const convolution *c, ptrdiff_t index) { return number(c->weights[index], 1) - c->weight_zero; }

/// The expected bytes of the result, with 0x5A between pixels.
static uint8_t *expected(const convolution *c, int is_depthwise, ptrdiff_t byte_count) {
    const apus_window *w = &c->window;
    uint8_t *output = untouched_bytes(byte_count);
    const ptrdiff_t taps = w->kernel_height * w->kernel_width, depth = is_depthwise ? 1 : c->channels;
    for (ptrdiff_t p = 0; p < c->images * c->output_height * w->output_width; p++) {
        const uint8_t *image = c->input + p / (c->output_height * w->output_width) * c->image_stride;
        const ptrdiff_t oy = p / w->output_width % c->output_height, ox = p % w->output_width;
        for (ptrdiff_t column = 0; column < c->columns; column++) {
            int32_t sum = c->bias[column];
            for (ptrdiff_t tap = 0; tap < taps; tap++) {
                const ptrdiff_t y = oy * w->stride_height - w->padding_top + tap / w->kernel_width * w->dilation_height;
                const ptrdiff_t x = ox * w->stride_width - w->padding_left + tap % w->kernel_width * w->dilation_width;
                if (y < 0 || y >= w->input_height || x < 0 || x >= w->input_width) continue;
                const uint8_t *pixel = image + y * w->input_row_stride + x * w->input_pixel_stride;
                for (ptrdiff_t k = 0; k < depth; k++) {
                    const int32_t input = number(pixel[is_depthwise ? column : k], c->is_signed) - c->zero_point;
                    sum += input * weight(c, (column * depth + k) * taps + tap);
                }
            }
            output[p * c->pixel_stride + column] = requantized(sum, &c->requantization, column);
        }
    }
    return output;
}

static void compare_bytes(const uint8_t *got, const uint8_t *wanted, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        if (got[i] == wanted[i]) continue;
        fail("byte %td of %td is %d, not %d", i, count, got[i], wanted[i]);
        return;
    }
}

/// The kernels for the weights of a case, with products of bytes where they fit.
static const apus_integer_kernel *kernel_for(apus_instructions instructions, const convolution *c) {
    return apus_integer_kernel_for(instructions, c->weight_zero == 0 && !one_in(3));
}

static int32_t zero_of(const convolution *c, const apus_integer_kernel *kernel) {
    return apus_integer_zero(kernel->factors, c->is_signed, c->zero_point);
}

static ptrdiff_t padded(ptrdiff_t count, ptrdiff_t multiple) { return (count + multiple - 1) / multiple * multiple; }

/// The factors, padded to the columns of the panels.
static apus_requantization padded_requantization(const convolution *c, ptrdiff_t columns) {
    int32_t *factors[3] = {zeros(columns), zeros(columns), zeros(columns)};
    apus_requantization r = c->requantization;
    if (r.scales) memcpy(factors[0], r.scales, (size_t)c->columns * 4), r.scales = (float *)factors[0];
    if (r.multipliers) memcpy(factors[1], r.multipliers, (size_t)c->columns * 4), r.multipliers = factors[1];
    if (r.shifts) memcpy(factors[2], r.shifts, (size_t)c->columns * 4), r.shifts = factors[2];
    return r;
}

static void *aligned_scratch(ptrdiff_t byte_count) {
    return (void *)(((uintptr_t)zeros(byte_count / 4 + 64) + 63) & ~(uintptr_t)63);
}

/// Converts the sums of a product, which `whole` has just computed, to numbers.
static void test_numbers(const convolution *c, const apus_integer_kernel *kernel, apus_integer_convolution whole) {
    const ptrdiff_t columns = padded(c->columns, kernel->panel_columns), pixels = whole.count;
    const ptrdiff_t count = (pixels - 1) * c->pixel_stride + c->columns;
    const int is_shared = one_in(3);
    float *scales = filled(columns, 0), *bias = filled(columns, 0);
    for (ptrdiff_t i = 0; i < c->columns; i++) scales[i] = random_value(0), bias[i] = random_value(0) * 100;
    float *row_scales = random_values(is_shared ? 1 : pixels, 0);
    if (one_in(4)) row_scales[0] = NAN;
    float *output = filled(count, UNTOUCHED);
    const float *addend = one_in(2) ? random_values(count, 0) : NULL;
    const int32_t *sums = whole.sums;
    whole.sums = NULL;
    whole.numbers = (apus_dequantization){
        .output = output, .row_scales = row_scales, .row_scale_step = is_shared ? 0 : 1, .scales = scales,
        .bias = bias, .addend = addend, .activation = random_activation(100)};
    expectation *wanted = expectations(count);
    for (ptrdiff_t p = 0; p < pixels; p++) {
        for (ptrdiff_t column = 0; column < c->columns; column++) {
            const ptrdiff_t place = p * c->pixel_stride + column;
            const double product = (double)sums[place] * row_scales[is_shared ? 0 : p] * scales[column];
            const double term = addend ? addend[place] : 0;
            const double tolerance = 0x1p-22 * (fabs(product) + fabs(bias[column]) + fabs(term));
            wanted[place] = activated_sum(product + bias[column] + term, tolerance, whole.numbers.activation);
        }
    }
    kernel->convolve(&whole);
    compare(output, wanted, count);
    float *pieces = filled(count, UNTOUCHED);
    whole.numbers.output = pieces;
    const ptrdiff_t step = random_between(1, pixels);
    for (whole.first = 0; whole.first < pixels; whole.first += step) {
        whole.count = whole.first + step < pixels ? step : pixels - whole.first;
        kernel->convolve(&whole);
    }
    compare_bits(pieces, output, count, "rows");
}

static void test_product(apus_instructions instructions, uint64_t seed) {
    convolution c = draw(PRODUCT, seed);
    const apus_integer_kernel *kernel = kernel_for(instructions, &c);
    const ptrdiff_t taps = c.window.kernel_height * c.window.kernel_width;
    const ptrdiff_t runs = c.window.dilation_width == 1 ? c.window.kernel_height : taps;
    const ptrdiff_t words = runs * (padded(taps * c.channels / runs, kernel->group) / kernel->group);
    const ptrdiff_t columns = padded(c.columns, kernel->panel_columns);
    int32_t *panels = zeros(columns * words), *bias = zeros(columns);
    int32_t *sums = zeros(c.columns), *pair_products = zeros(c.columns);
    const apus_integer_weights weights = {
        .elements = c.weights, .column_count = c.columns, .channel_count = c.channels, .tap_count = taps,
        .run_count = runs, .is_signed = 1, .zero_point = c.weight_zero};
    apus_pack_integers(&weights, kernel, panels, sums, pair_products);
    for (ptrdiff_t i = 0; i < c.columns; i++) bias[i] = c.bias[i] - zero_of(&c, kernel) * sums[i] - pair_products[i];
    const ptrdiff_t pixels = c.output_height * c.window.output_width, count = c.images * pixels;
    const ptrdiff_t byte_count = (count - 1) * c.pixel_stride + c.columns;
    const uint8_t *wanted = expected(&c, 0, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_convolution whole = {
        .window = c.window, .input = c.input, .image_stride = c.image_stride, .image_pixel_count = pixels,
        .channel_count = c.channels, .is_signed = c.is_signed, .zero_point = c.zero_point,
        .weights = (const uint8_t *)panels, .bias = bias, .column_count = c.columns,
        .requantization = padded_requantization(&c, columns), .output = output, .output_stride = c.pixel_stride,
        .scratch_byte_count = kernel->convolution_scratch(&c.window, c.channels) + 64 * random_between(0, 100)};
    whole.scratch = aligned_scratch(whole.scratch_byte_count);
    const ptrdiff_t step = one_in(2) ? count : random_between(1, count);
    for (whole.first = 0; whole.first < count; whole.first += step) {
        whole.count = whole.first + step < count ? step : count - whole.first;
        kernel->convolve(&whole);
    }
    compare_bytes(output, wanted, byte_count);
    // The plain sums, which must give the same bytes.
    whole.first = 0;
    whole.count = count;
    whole.sums = zeros(byte_count);
    kernel->convolve(&whole);
    for (ptrdiff_t i = 0; i < byte_count; i++)
        if (i % c.pixel_stride < c.columns)
            output[i] = requantized(whole.sums[i], &c.requantization, i % c.pixel_stride);
        else if (whole.sums[i] != 0) fail("sum %td between pixels is %d", i, whole.sums[i]);
    compare_bytes(output, wanted, byte_count);
    test_numbers(&c, kernel, whole);
}

/// Winograd's minimal filtering gives the same bytes as a product.
static void test_tiles(apus_instructions instructions, uint64_t seed) {
    convolution c = draw(TILES, seed);
    // Sums stay below 2²⁵.
    if (c.channels > 57) c.weight_zero = 0;
    // Weights without a zero point are multiplied as bytes where possible.
    const apus_integer_kernel *kernel = apus_integer_kernel_for(instructions, c.weight_zero == 0);
    if (!kernel->convolve_tiles) kernel = apus_integer_kernel_for(instructions, 0);
    const ptrdiff_t columns = padded(c.columns, kernel->panel_columns), words = (c.channels + 1) / 2;
    int16_t *panels = (int16_t *)zeros(columns * 36 * words);
    const apus_integer_weights weights = {
        .elements = c.weights, .column_count = c.columns, .channel_count = c.channels, .tap_count = 9,
        .run_count = 1, .is_signed = 1, .zero_point = c.weight_zero};
    apus_pack_transformed_integers(&weights, kernel->panel_columns, panels);
    int32_t *bias = zeros(columns);
    memcpy(bias, c.bias, (size_t)c.columns * 4);
    const ptrdiff_t pixels = c.output_height * c.window.output_width;
    const ptrdiff_t byte_count = (c.images * pixels - 1) * c.pixel_stride + c.columns;
    const uint8_t *wanted = expected(&c, 0, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_convolution whole = {
        .window = c.window, .input = c.input, .image_stride = c.image_stride, .image_pixel_count = pixels,
        .channel_count = c.channels, .is_signed = c.is_signed, .zero_point = c.zero_point,
        .weights = (const uint8_t *)panels, .bias = bias, .column_count = c.columns,
        .requantization = padded_requantization(&c, columns), .output = output, .output_stride = c.pixel_stride,
        .scratch_byte_count = kernel->tile_scratch(c.channels, random_between(1, 20))};
    whole.scratch = aligned_scratch(whole.scratch_byte_count);
    const ptrdiff_t count = c.images * ((c.output_height + 3) / 4) * ((c.window.output_width + 3) / 4);
    const ptrdiff_t step = one_in(2) ? count : random_between(1, count);
    for (whole.first = 0; whole.first < count; whole.first += step) {
        whole.count = whole.first + step < count ? step : count - whole.first;
        kernel->convolve_tiles(&whole);
    }
    compare_bytes(output, wanted, byte_count);
}

static void test_channels(apus_instructions instructions, uint64_t seed) {
    convolution c = draw(CHANNELS, seed);
    c.images = 1;
    const apus_integer_kernel *kernel = kernel_for(instructions, &c);
    const ptrdiff_t taps = c.window.kernel_height * c.window.kernel_width, group = kernel->group;
    const ptrdiff_t words = (taps + group - 1) / group;
    const int is_flat = c.pixel_stride == c.channels && one_in(2);
    ptrdiff_t period = padded(c.channels, kernel->block);
    if (is_flat)
        for (period = kernel->block; period % c.channels != 0;) period += kernel->block;
    int32_t *packed = zeros(period * words), *bias = zeros(period);
    int32_t *factors[3] = {zeros(period), zeros(period), zeros(period)};
    const apus_requantization *r = &c.requantization;
    for (ptrdiff_t e = 0; e < period; e++) {
        const ptrdiff_t channel = is_flat ? e % c.channels : e, inner = e % kernel->block;
        if (channel >= c.channels) continue;
        const ptrdiff_t word = inner / 4 % group * (kernel->block / group) + inner / (4 * group) * 4;
        const ptrdiff_t place = e - inner + word + inner % 4;
        int32_t sum = 0;
        for (ptrdiff_t tap = 0; tap < taps; tap++) {
            const int32_t value = weight(&c, channel * taps + tap);
            sum += value;
            int32_t *word = packed + ((e - inner) * words + tap / group * kernel->block + place - (e - inner));
            *word |= (int32_t)(((uint32_t)value & (group == 4 ? 0xFF : 0xFFFF)) << (tap % group * (32 / group)));
        }
        bias[place] = c.bias[channel] - zero_of(&c, kernel) * sum;
        if (r->scales) memcpy(factors[0] + place, r->scales + channel, 4);
        if (r->multipliers) factors[1][place] = r->multipliers[channel], factors[2][place] = r->shifts[channel];
    }
    const ptrdiff_t byte_count = (c.output_height * c.window.output_width - 1) * c.pixel_stride + c.channels;
    const uint8_t *wanted = expected(&c, 1, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_depthwise d = {
        .window = c.window, .input = c.input, .channel_count = c.channels, .is_flat = is_flat,
        .is_signed = c.is_signed, .zero_point = c.zero_point, .weights = packed, .bias = bias,
        .requantization = *r, .period = period, .output = output,
        .output_row_stride = c.window.output_width * c.pixel_stride, .output_pixel_stride = c.pixel_stride};
    d.requantization.scales = r->scales ? (float *)factors[0] : NULL;
    d.requantization.multipliers = r->multipliers ? factors[1] : NULL;
    d.requantization.shifts = r->multipliers ? factors[2] : NULL;
    const ptrdiff_t scratch_count = kernel->depthwise_scratch(&c.window, c.channels);
    d.scratch = zeros((scratch_count + 7) / 8 * 2);
    const ptrdiff_t step = random_between(1, c.output_height);
    for (ptrdiff_t row = 0; row < c.output_height; row += step) {
        d.first_row = row;
        d.last_row = row + step < c.output_height ? row + step : c.output_height;
        kernel->convolve_depthwise(&d);
    }
    compare_bytes(output, wanted, byte_count);
}

static void test_sum(apus_instructions instructions) {
    const ptrdiff_t count = random_between(1, 200);
    const int is_signed = one_in(2), step = one_in(3) ? 0 : 1;
    apus_integer_sum s = {
        .a = random_bytes(count), .b = random_bytes(step ? count : 1), .y = random_bytes(count), .count = count,
        .b_step = step, .is_signed = is_signed, .is_difference = one_in(3),
        .a_zero = number((uint8_t)random_between(0, 255), is_signed),
        .b_zero = number((uint8_t)random_between(0, 255), is_signed),
        .y_zero = number((uint8_t)random_between(0, 255), is_signed), .low = is_signed ? -128 : 0,
        .high = is_signed ? 127 : 255, .left_shift = 20, .first = (int32_t)random_between(1 << 30, INT32_MAX),
        .second = (int32_t)random_between(1 << 30, INT32_MAX), .output = (int32_t)random_between(1 << 30, INT32_MAX),
        .first_shift = -(int32_t)random_between(0, 3), .second_shift = -1, .output_shift = -18,
        .has_scales = one_in(2), .a_scale = random_value(0), .b_scale = random_value(0)};
    const apus_requantization limits = {.low = s.low, .high = s.high};
    uint8_t *wanted = random_bytes(count);
    for (ptrdiff_t i = 0; i < count; i++) {
        const int32_t a = number(s.a[i], is_signed) - s.a_zero, b = number(s.b[i * step], is_signed) - s.b_zero;
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

static void test_rows(void) {
    const ptrdiff_t length = random_between(1, 100), count = random_between(1, 5);
    const ptrdiff_t stride = length + random_between(0, 3);
    float *x = random_values((count - 1) * stride + length, one_in(2));
    if (one_in(3)) x[random_between(0, length - 1)] *= one_in(2) ? 1e-42f : 1e30f;
    const float special[] = {NAN, INFINITY, -INFINITY, 0};
    if (one_in(3)) x[random_between(0, length - 1)] = special[random_between(0, 3)];
    if (one_in(4))
        for (ptrdiff_t i = 0; i < length; i++) x[i] = 0;
    uint8_t *y = untouched_bytes(count * length), *wanted = untouched_bytes(count * length);
    float *scales = filled(count, UNTOUCHED), *wanted_scales = filled(count, 0);
    for (ptrdiff_t row = 0; row < count; row++) {
        float largest = 0;
        for (ptrdiff_t i = 0; i < length; i++) {
            const float magnitude = fabsf(x[row * stride + i]);
            if (!(magnitude <= largest)) largest = magnitude;
            if (!isfinite(magnitude)) largest = NAN;
            if (isnan(largest)) break;
        }
        const float scale = largest / 127;
        wanted_scales[row] = scale < FLT_MIN ? FLT_MIN : scale;
        for (ptrdiff_t i = 0; i < length; i++) {
            const float quotient = x[row * stride + i] / wanted_scales[row];
            wanted[row * length + i] = isnan(quotient) ? 128 : (uint8_t)(rintf(quotient) + 128);
        }
        if (isnan(largest)) memset(wanted + row * length, 128, (size_t)length);
    }
    apus_quantize_rows(x, stride, length, count, y, scales);
    compare_bytes(y, wanted, count * length);
    compare_bits(scales, wanted_scales, count, "scales");
}

void test_integer(apus_instructions instructions, uint64_t seed) {
    if (seed % 16 == 3) return test_rows();
    switch (seed % 4) {
    case 0: test_product(instructions, seed / 4); break;
    case 1: test_channels(instructions, seed / 4); break;
    case 2: test_tiles(instructions, seed / 4); break;
    default: test_sum(instructions); break;
    }
}
