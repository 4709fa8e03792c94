#include "integer_convolution.h"

#include <math.h>
#include <string.h>

int64_t scaled_twice(int64_t sum, int32_t multiplier, int32_t shift) {
    const int64_t shifted = shift > 0 ? (int32_t)((uint32_t)sum << shift) : sum;
    const int64_t high = (shifted * multiplier + (1 << 30)) >> 31;
    const int right = shift < 0 ? -shift : 0;
    if (right == 0) return high;
    const int64_t half = (int64_t)1 << (right - 1);
    return high >= 0 ? (high + half) >> right : -((-high + half) >> right);
}

uint8_t limited(int64_t y, const apus_requantization *r) {
    return (uint8_t)(y < r->low ? r->low : y > r->high ? r->high : y);
}

uint8_t requantized(int32_t sum, const apus_requantization *r, ptrdiff_t column) {
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

int32_t byte_value(uint8_t byte, int is_signed) { return is_signed ? (int8_t)byte : byte; }

uint8_t *random_bytes(ptrdiff_t count) {
    uint8_t *bytes = (uint8_t *)filled((count + 3) / 4, 0) + (4 - count % 4) % 4;
    for (ptrdiff_t i = 0; i < count; i++) bytes[i] = (uint8_t)random_between(0, 255);
    return bytes;
}

uint8_t *untouched_bytes(ptrdiff_t count) {
    uint8_t *bytes = random_bytes(count);
    memset(bytes, 0x5A, (size_t)count);
    return bytes;
}

int32_t *zero_words(ptrdiff_t count) { return (int32_t *)filled(count, 0); }

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

convolution draw_convolution(convolution_kind kind, uint64_t seed) {
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
    c.zero_point = byte_value((uint8_t)random_between(0, 255), c.is_signed);
    c.weight_zero = one_in(4) ? (int32_t)random_between(-128, 127) : 0;
    c.input = random_bytes(c.images * c.image_stride);
    const ptrdiff_t taps = w->kernel_height * w->kernel_width;
    c.weights = random_bytes(c.columns * taps * (is_depthwise ? 1 : c.channels));
    int32_t *bias = zero_words(c.columns), *multipliers = zero_words(c.columns), *shifts = zero_words(c.columns);
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
    r->zero_point = byte_value((uint8_t)random_between(0, 255), c.is_signed);
    r->low = c.is_signed ? -128 : 0;
    r->high = c.is_signed ? 127 : 255;
    if (one_in(2)) r->low = r->zero_point;
    if (one_in(3)) r->high = (int32_t)random_between(r->low, r->high);
    return c;
}

int32_t convolution_weight(const convolution *c, ptrdiff_t index) {
    return byte_value(c->weights[index], 1) - c->weight_zero;
}

uint8_t *expected_bytes(const convolution *c, int is_depthwise, ptrdiff_t byte_count) {
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
                    const int32_t input = byte_value(pixel[is_depthwise ? column : k], c->is_signed) - c->zero_point;
                    sum += input * convolution_weight(c, (column * depth + k) * taps + tap);
                }
            }
            output[p * c->pixel_stride + column] = requantized(sum, &c->requantization, column);
        }
    }
    return output;
}

void compare_bytes(const uint8_t *got, const uint8_t *wanted, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        if (got[i] == wanted[i]) continue;
        fail("byte %td of %td is %d, not %d", i, count, got[i], wanted[i]);
        return;
    }
}

const apus_integer_kernel *kernel_for_weights(apus_instructions instructions, const convolution *c) {
    return apus_integer_kernel_for(instructions, c->weight_zero == 0 && !one_in(3));
}

int32_t input_zero(const convolution *c, const apus_integer_kernel *kernel) {
    return apus_integer_zero(kernel->factors, c->is_signed, c->zero_point);
}

ptrdiff_t rounded_up(ptrdiff_t count, ptrdiff_t multiple) { return (count + multiple - 1) / multiple * multiple; }

apus_requantization padded_requantization(const convolution *c, ptrdiff_t columns) {
    int32_t *factors[3] = {zero_words(columns), zero_words(columns), zero_words(columns)};
    apus_requantization r = c->requantization;
    if (r.scales) memcpy(factors[0], r.scales, (size_t)c->columns * 4), r.scales = (float *)factors[0];
    if (r.multipliers) memcpy(factors[1], r.multipliers, (size_t)c->columns * 4), r.multipliers = factors[1];
    if (r.shifts) memcpy(factors[2], r.shifts, (size_t)c->columns * 4), r.shifts = factors[2];
    return r;
}

void *aligned_scratch(ptrdiff_t byte_count) {
    return (void *)(((uintptr_t)zero_words(byte_count / 4 + 64) + 63) & ~(uintptr_t)63);
}
