// The patches of a convolution as rows of widened elements; included by kernels.h.

/// Whether the patches are the pixels of the input, one after the other through the batch.
static inline int is_pointwise(const apus_integer_convolution *c) {
    const apus_window *w = &c->window;
    return w->kernel_height * w->kernel_width == 1 && w->stride_height == 1 && w->stride_width == 1 &&
           w->padding_top == 0 && w->padding_left == 0 && w->output_width == w->input_width &&
           w->input_row_stride == w->input_width * w->input_pixel_stride &&
           c->image_stride == c->image_pixel_count * w->input_pixel_stride;
}

// What fills a row's last word is multiplied with zeros, whatever it is.

/// The pixels of `count` rows from `first` on.
APUS_TARGET static void gather_pixels(
    const apus_integer_convolution *c, ptrdiff_t first, ptrdiff_t count, ptrdiff_t row_elements, wide *rows) {
    const ptrdiff_t stride = c->window.input_pixel_stride, channels = c->channel_count;
    const uint8_t *from = c->input + first * stride;
    if (stride == channels && row_elements == channels) {
        widen(from, c->is_signed, c->zero_point, count * channels, rows);
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++, from += stride, rows += row_elements)
        widen(from, c->is_signed, c->zero_point, channels, rows);
}

/// The patches of `count` output pixels from `first` on, one after the other, each `row_elements` long.
APUS_TARGET static void gather(
    const apus_integer_convolution *c, ptrdiff_t first, ptrdiff_t count, ptrdiff_t row_elements, wide *rows) {
    const apus_window *w = &c->window;
    const wide zero = widened_zero(c->is_signed, c->zero_point);
    const ptrdiff_t channels = c->channel_count, line_elements = w->kernel_width * channels;
    const int is_dense = w->input_pixel_stride == channels && w->dilation_width == 1;
    ptrdiff_t inner = first % c->image_pixel_count, ox = inner % w->output_width;
    const uint8_t *image = c->input + first / c->image_pixel_count * c->image_stride;
    ptrdiff_t y0 = inner / w->output_width * w->stride_height - w->padding_top;
#if APUS_GROUP == 4
    // Short lines are read and written with what follows them, which the next lines replace.
    enum { SHORT = 32 };
    const int is_short = is_dense && line_elements <= SHORT;
    const __m256i flip = _mm256_set1_epi8(c->is_signed ? (char)0x80 : 0);
    const ptrdiff_t end = (w->input_height - 1) * w->input_row_stride + w->input_width * w->input_pixel_stride;
#endif
    for (; count > 0; count--, rows += row_elements) {
        const ptrdiff_t x0 = ox * w->stride_width - w->padding_left;
        const int is_inside = x0 >= 0 && x0 + (w->kernel_width - 1) * w->dilation_width < w->input_width;
        wide *to = rows;
        for (ptrdiff_t ky = 0; ky < w->kernel_height; ky++, to += line_elements) {
            const ptrdiff_t y = y0 + ky * w->dilation_height;
            if (y < 0 || y >= w->input_height) {
                fill(to, zero, line_elements);
                continue;
            }
            const uint8_t *line = image + y * w->input_row_stride;
#if APUS_GROUP == 4
            if (is_inside && is_short && y * w->input_row_stride + x0 * channels + SHORT <= end) {
                const __m256i elements = _mm256_loadu_si256((const __m256i *)(line + x0 * channels));
                _mm256_storeu_si256((__m256i *)to, _mm256_xor_si256(elements, flip));
                continue;
            }
#endif
            if (is_inside && is_dense) {
                widen(line + x0 * channels, c->is_signed, c->zero_point, line_elements, to);
                continue;
            }
            for (ptrdiff_t kx = 0; kx < w->kernel_width; kx++) {
                const ptrdiff_t x = x0 + kx * w->dilation_width;
                if (x < 0 || x >= w->input_width) fill(to + kx * channels, zero, channels);
                else
                    widen(
                        line + x * w->input_pixel_stride, c->is_signed, c->zero_point, channels, to + kx * channels);
            }
        }
        inner++;
        if (++ox < w->output_width) continue;
        ox = 0;
        y0 += w->stride_height;
        if (inner < c->image_pixel_count) continue;
        inner = 0;
        y0 = -w->padding_top;
        image += c->image_stride;
    }
}
