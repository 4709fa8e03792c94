#include "../target.h"
#include "apus_copy.h"
#include "apus_gemm.h"

/// Packs one tap of a panel. `column_stride` and `channel_stride` are constants of the caller where they are 1.
__attribute__((always_inline)) static inline void pack_tap(
    const float *from, ptrdiff_t channel_count, ptrdiff_t channel_stride, ptrdiff_t count, ptrdiff_t column_stride,
    ptrdiff_t panel_columns, float *panel) {
    for (ptrdiff_t channel = 0; channel < channel_count; channel++, from += channel_stride, panel += panel_columns) {
        for (ptrdiff_t column = 0; column < count; column++) panel[column] = from[column * column_stride];
        for (ptrdiff_t column = count; column < panel_columns; column++) panel[column] = 0;
    }
}

APUS_KERNEL static void pack_adjacent_columns(
    const float *from, ptrdiff_t channel_count, ptrdiff_t channel_stride, ptrdiff_t count, ptrdiff_t panel_columns,
    float *panel) {
    pack_tap(from, channel_count, channel_stride, count, 1, panel_columns, panel);
}

/// Packs one tap whose channels are adjacent.
static void pack_adjacent_channels(
    const float *from, ptrdiff_t channel_count, ptrdiff_t count, ptrdiff_t column_stride, ptrdiff_t panel_columns,
    float *panel) {
    apus_copy_transposed(from, column_stride, count, channel_count, panel, panel_columns);
    for (ptrdiff_t channel = 0; count < panel_columns && channel < channel_count; channel++)
        for (ptrdiff_t column = count; column < panel_columns; column++) panel[channel * panel_columns + column] = 0;
}

void apus_gemm_pack(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels) {
    const apus_gemm_factor f = *factor;
    for (ptrdiff_t first = 0; first < f.column_count; first += panel_columns) {
        const ptrdiff_t left = f.column_count - first;
        const ptrdiff_t count = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t tap = 0; tap < f.tap_count; tap++, panels += f.channel_count * panel_columns) {
            const float *from = f.elements + first * f.column_stride + tap * f.tap_stride;
            if (f.column_stride == 1)
                pack_adjacent_columns(from, f.channel_count, f.channel_stride, count, panel_columns, panels);
            else if (f.channel_stride == 1)
                pack_adjacent_channels(from, f.channel_count, count, f.column_stride, panel_columns, panels);
            else
                pack_tap(from, f.channel_count, f.channel_stride, count, f.column_stride, panel_columns, panels);
        }
    }
}
