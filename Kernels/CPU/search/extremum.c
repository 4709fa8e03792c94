#include "apus_search.h"
#include "../target.h"

#include <math.h>

enum {
    /// Adjacent results that are searched together.
    BLOCK = 32,
};

/// Searches `count` ≤ BLOCK adjacent columns side by side; `sign` is −1 for the smallest elements.
static inline __attribute__((always_inline)) void search(
    float sign, int takes_last, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count, float *best,
    int32_t *positions) {
    for (ptrdiff_t i = 0; i < count; i++) {
        best[i] = sign * input[i];
        positions[i] = 0;
    }
    for (ptrdiff_t k = 1; k < length; k++)
        for (ptrdiff_t i = 0; i < count; i++) {
            const float x = sign * input[k * stride + i];
            const int is_better = (x > best[i]) | (best[i] != best[i]) | (takes_last & (x == best[i]));
            best[i] = is_better ? x : best[i];
            positions[i] = is_better ? (int32_t)k : positions[i];
        }
}

/// Whether an element at `position` replaces the best one so far, which may lie behind it.
static inline int replaces(float x, int64_t position, float best, int64_t best_position, int takes_last) {
    const int is_later = position > best_position;
    if (best != best) return x == x || is_later;
    return x > best || (x == best && is_later == takes_last);
}

APUS_KERNEL void apus_find_extremum(
    int is_maximum, int takes_last, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count,
    int64_t *positions) {
    const float sign = is_maximum ? 1 : -1;
    float best[BLOCK];
    int32_t places[BLOCK];
    if (count == 1 && stride == 1 && length >= 2 * BLOCK) {
        // Adjacent elements are searched as rows of BLOCK columns, then the columns' results and the rest.
        search(sign, takes_last, input, BLOCK, length / BLOCK, BLOCK, best, places);
        float x = best[0];
        int64_t position = (int64_t)places[0] * BLOCK;
        for (ptrdiff_t i = 1; i < BLOCK; i++) {
            const int64_t place = (int64_t)places[i] * BLOCK + i;
            if (!replaces(best[i], place, x, position, takes_last)) continue;
            x = best[i];
            position = place;
        }
        for (ptrdiff_t k = length / BLOCK * BLOCK; k < length; k++) {
            if (!replaces(sign * input[k], k, x, position, takes_last)) continue;
            x = sign * input[k];
            position = k;
        }
        *positions = position;
        return;
    }
    for (ptrdiff_t first = 0; first < count; first += BLOCK) {
        const ptrdiff_t part = count - first < BLOCK ? count - first : BLOCK;
        search(sign, takes_last, input + first, stride, length, part, best, places);
        for (ptrdiff_t i = 0; i < part; i++) positions[first + i] = places[i];
    }
}
