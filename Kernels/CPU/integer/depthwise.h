#ifndef APUS_INTEGER_DEPTHWISE_H
#define APUS_INTEGER_DEPTHWISE_H

// Convolutions with a filter for each channel. Needs the functions of variant.h.
//
// Input rows are widened into lines of scratch memory, with what lies around the image. A line has stride_width phases:
// phase p holds every stride_width-th pixel from pixel p on. Then one tap of adjacent output pixels is a run of
// adjacent elements, and APUS_GROUP taps are interleaved into words.

#include "requantize.h"
#include "variant.h"
#include "widened_lines.h"

#include <stdint.h>

/// The parts of scratch memory.
typedef struct {
    /// Elements from one pixel of a phase to the next, from one phase to the next, and from one line to the next.
    ptrdiff_t pitch, phase_stride, line_stride;
    /// Words that hold one element of every tap.
    ptrdiff_t word_count;
    /// Where every tap begins; the taps that fill the last word begin at zeros.
    const widened_element **taps;
    /// The input row that every line holds; −1 for none.
    ptrdiff_t *rows;
    /// kernel_height lines and one of zeros.
    widened_element *lines;
} depthwise_lines;

/// The extents without the addresses.
APUS_INLINE depthwise_lines depthwise_extents(const apus_window *w, ptrdiff_t channel_count, int is_flat) {
    depthwise_lines m = {.pitch = is_flat ? channel_count : (channel_count + BLOCK - 1) / BLOCK * BLOCK};
    m.phase_stride = (w->output_width + (w->kernel_width - 1) * w->dilation_width / w->stride_width) * m.pitch;
    m.line_stride = m.phase_stride * w->stride_width;
    m.word_count = (w->kernel_height * w->kernel_width + APUS_GROUP - 1) / APUS_GROUP;
    return m;
}

APUS_INLINE depthwise_lines depthwise_memory(const apus_integer_depthwise *d) {
    const apus_window *w = &d->window;
    depthwise_lines m = depthwise_extents(w, d->channel_count, d->is_flat);
    m.taps = d->scratch;
    m.rows = (ptrdiff_t *)(m.taps + m.word_count * APUS_GROUP);
    const uintptr_t lines = (uintptr_t)(m.rows + w->kernel_height) + LINE_ALIGNMENT - 1;
    m.lines = (widened_element *)(lines & ~(uintptr_t)(LINE_ALIGNMENT - 1));
    return m;
}

/// Bytes of `scratch`.
APUS_TARGET static ptrdiff_t APUS_NAME(depthwise_scratch)(const apus_window *window, ptrdiff_t channel_count) {
    const depthwise_lines m = depthwise_extents(window, channel_count, 0);
    const ptrdiff_t elements = m.line_stride * (window->kernel_height + 1) + BLOCK;
    return (m.word_count * APUS_GROUP + window->kernel_height) * (ptrdiff_t)sizeof(ptrdiff_t) +
           elements * (ptrdiff_t)sizeof(widened_element) + LINE_ALIGNMENT;
}

/// Widens input row `y` into a line.
APUS_INLINE void fill_line(
    const apus_integer_depthwise *d, const depthwise_lines *m, ptrdiff_t y, widened_element *line) {
    const apus_window *w = &d->window;
    for (ptrdiff_t phase = 0; phase < w->stride_width; phase++)
        widen_pixels(
            d->input + y * w->input_row_stride, w, d->channel_count, d->is_signed, d->zero_point,
            phase - w->padding_left, w->stride_width, m->phase_stride / m->pitch, m->pitch,
            line + phase * m->phase_stride);
}

/// BLOCK adjacent sums from element `from` of every tap on, of which `count` are stored; their weights and factors
/// begin at `place`. `quick` is a constant of the caller, and usually `tap_count` and `count` are, too.
APUS_INLINE void convolve_block(
    const apus_integer_depthwise *d, const widened_element *const *taps, const ptrdiff_t tap_count, const int quick,
    ptrdiff_t from, ptrdiff_t place, const ptrdiff_t count, uint8_t *output) {
    const ptrdiff_t word_count = (tap_count + APUS_GROUP - 1) / APUS_GROUP;
    const ptrdiff_t whole_count = tap_count % APUS_GROUP == 1 ? word_count - 1 : word_count;
    int_vector sums[APUS_GROUP], words[APUS_GROUP];
    APUS_UNROLL for (int v = 0; v < APUS_GROUP; v++) sums[v] = load_integers(d->bias + place + v * APUS_LANES);
    const int32_t *weights = d->weights + place * word_count;
    for (ptrdiff_t word = 0; word < whole_count; word++, weights += BLOCK) {
        interleave(taps + word * APUS_GROUP, from, words);
        APUS_UNROLL for (int v = 0; v < APUS_GROUP; v++)
            sums[v] = dot(sums[v], words[v], load_integers(weights + v * APUS_LANES));
    }
    if (whole_count < word_count) {
        interleave_one(taps[whole_count * APUS_GROUP], from, words);
        APUS_UNROLL for (int v = 0; v < APUS_GROUP; v++)
            sums[v] = dot(sums[v], words[v], load_integers(weights + v * APUS_LANES));
    }
    store_interleaved(output, sums, quick, &d->requantization, place, count);
}

/// `count` adjacent sums from element `from` of every tap on.
APUS_INLINE void convolve_run(
    const apus_integer_depthwise *d, const widened_element *const *taps, const ptrdiff_t tap_count, const int quick,
    ptrdiff_t from, ptrdiff_t count, uint8_t *output) {
    // A copy, since the compiler cannot exclude that bytes are stored into the structure.
    const apus_integer_depthwise c = *d;
    ptrdiff_t place = 0, i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        convolve_block(&c, taps, tap_count, quick, from + i, place, BLOCK, output + i);
        place += BLOCK;
        if (place >= c.period) place = 0;
    }
    if (i < count) convolve_block(&c, taps, tap_count, quick, from + i, place, count - i, output + i);
}

/// The taps of a window of 3 · 3.
enum { USUAL_TAPS = 9 };

/// A run under USUAL_TAPS taps.
APUS_TARGET static void convolve_usual_run(
    const apus_integer_depthwise *d, const widened_element *const *taps, ptrdiff_t from, ptrdiff_t count,
    uint8_t *output) {
    const widened_element *own[USUAL_TAPS];
    APUS_UNROLL for (int tap = 0; tap < USUAL_TAPS; tap++) own[tap] = taps[tap];
    if (is_quick(&d->requantization)) convolve_run(d, own, USUAL_TAPS, 1, from, count, output);
    else convolve_run(d, own, USUAL_TAPS, 0, from, count, output);
}

/// A run under any window.
APUS_TARGET static void convolve_any_run(
    const apus_integer_depthwise *d, const widened_element *const *taps, ptrdiff_t tap_count, ptrdiff_t from,
    ptrdiff_t count, uint8_t *output) {
    convolve_run(d, taps, tap_count, 0, from, count, output);
}

APUS_TARGET static void APUS_NAME(convolve_channels)(const apus_integer_depthwise *d) {
    const apus_window *w = &d->window;
    const depthwise_lines m = depthwise_memory(d);
    widened_element *zeros = m.lines + w->kernel_height * m.line_stride;
    fill(zeros, widened_zero(d->is_signed, d->zero_point), m.line_stride);
    for (ptrdiff_t i = 0; i < w->kernel_height; i++) m.rows[i] = -1;
    const ptrdiff_t tap_count = w->kernel_height * w->kernel_width;
    const ptrdiff_t run_count = d->is_flat ? 1 : w->output_width;
    const ptrdiff_t run_length = d->is_flat ? w->output_width * d->channel_count : d->channel_count;
    for (ptrdiff_t oy = d->first_row; oy < d->last_row; oy++) {
        ptrdiff_t tap = 0;
        for (ptrdiff_t ky = 0; ky < w->kernel_height; ky++) {
            const ptrdiff_t y = oy * w->stride_height - w->padding_top + ky * w->dilation_height;
            const widened_element *line = zeros;
            if (y >= 0 && y < w->input_height) {
                const ptrdiff_t slot = y / w->dilation_height % w->kernel_height;
                widened_element *own = m.lines + slot * m.line_stride;
                if (m.rows[slot] != y) fill_line(d, &m, y, own);
                m.rows[slot] = y;
                line = own;
            }
            for (ptrdiff_t kx = 0; kx < w->kernel_width; kx++) {
                const ptrdiff_t x = kx * w->dilation_width;
                m.taps[tap++] = line + x % w->stride_width * m.phase_stride + x / w->stride_width * m.pitch;
            }
        }
        // Weights that fill the last word are zero.
        for (; tap < m.word_count * APUS_GROUP; tap++) m.taps[tap] = zeros;
        for (ptrdiff_t run = 0; run < run_count; run++) {
            uint8_t *output = d->output + oy * d->output_row_stride + run * d->output_pixel_stride;
            const widened_element *const *taps = (const widened_element *const *)m.taps;
            if (tap_count == USUAL_TAPS) convolve_usual_run(d, taps, run * m.pitch, run_length, output);
            else convolve_any_run(d, taps, tap_count, run * m.pitch, run_length, output);
        }
    }
}

#endif
