#include "apus_sampling.h"
#include "../target.h"

APUS_KERNEL void apus_roi_align(
    const float *pixels, ptrdiff_t row_stride, ptrdiff_t pixel_stride, ptrdiff_t channel_count,
    const apus_roi_axis *rows, const apus_roi_axis *columns, float *output) {
    const ptrdiff_t sample_count = rows->per_cell * columns->per_cell;
    const float share = sample_count > 0 ? 1 / (float)sample_count : 0;
    for (ptrdiff_t i = 0; i < rows->cell_count; i++)
        for (ptrdiff_t j = 0; j < columns->cell_count; j++, output += channel_count) {
            for (ptrdiff_t c = 0; c < channel_count; c++) output[c] = 0;
            for (ptrdiff_t n = 0; n < sample_count; n++) {
                const apus_roi_sample row = rows->samples[i * rows->per_cell + n / columns->per_cell];
                const apus_roi_sample column = columns->samples[j * columns->per_cell + n % columns->per_cell];
                if (row.is_outside || column.is_outside) continue;
                const float *top = pixels + row.first * row_stride, *bottom = pixels + row.second * row_stride;
                const float *a = top + column.first * pixel_stride, *b = top + column.second * pixel_stride;
                const float *d = bottom + column.first * pixel_stride, *e = bottom + column.second * pixel_stride;
                const float v = row.fraction, u = column.fraction;
                const float p = (1 - v) * (1 - u) * share, q = (1 - v) * u * share;
                const float r = v * (1 - u) * share, s = v * u * share;
                for (ptrdiff_t c = 0; c < channel_count; c++)
                    output[c] += p * a[c] + q * b[c] + r * d[c] + s * e[c];
            }
        }
}
