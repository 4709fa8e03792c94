#ifndef APUS_PAIRED_WORDS_H
#define APUS_PAIRED_WORDS_H

// Products of two words at a time by Winograd's inner product. Needs the functions of variant.h.
//
// For words a, b of a row and p, q of a column: (a + q) · (b + p) = a · p + b · q + a · b + p · q, where a product of
// words is the sum over their APUS_GROUP elements. That is one product instead of two: the kernel takes the row's pair
// products Σ a · b from its sums, and the bias has the column's Σ p · q taken out (`apus_pack_integers`). Sums of two
// elements fit in 16 bits; sums of products may wrap.

#include "variant.h"

#include <string.h>

/// The words of a run that are multiplied in pairs: word k with word `paired_words` + k.
APUS_INLINE ptrdiff_t paired_words(ptrdiff_t words) {
    return APUS_MINIMUM_PAIRED_WORDS > 0 && words >= APUS_MINIMUM_PAIRED_WORDS ? words / 2 : 0;
}

#if APUS_MINIMUM_PAIRED_WORDS > 0
/// Σ a · b over the first `count` words of a run and the `count` words behind them.
APUS_INLINE uint32_t pair_products(const uint8_t *run, ptrdiff_t count) {
    const uint8_t *a = run, *b = run + count * (ptrdiff_t)sizeof(int32_t);
    int_vector sums = {0}, words, others;
    for (; count >= APUS_LANES; count -= APUS_LANES, a += sizeof words, b += sizeof words) {
        memcpy(&words, a, sizeof words);
        memcpy(&others, b, sizeof others);
        sums = dot(sums, words, others);
    }
    if (count > 0) sums = dot(sums, load_first_words(a, count), load_first_words(b, count));
    return __builtin_reduce_add((uint_vector)sums);
}

/// Adds the products of columns with the first 2 · `count` words of runs, which begin `offsets` bytes behind `run`.
/// `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_paired_words(
    const uint8_t *run, const ptrdiff_t *offsets, const int32_t *weights, ptrdiff_t count, const int32_t *upcoming,
    const int rows, const int vectors, int_vector (*sums)[APUS_PANEL_VECTORS]) {
    const ptrdiff_t other_weights = count * PANEL_COLUMNS;
    const uint8_t *other_run = run + count * (ptrdiff_t)sizeof(int32_t);
#pragma clang loop unroll_count(2)
    for (ptrdiff_t k = 0; k < count; k++, weights += PANEL_COLUMNS, upcoming += 2 * CACHE_LINE) {
        // A single row reads its weights in one stream, which needs no prefetching.
        if (rows > 1) {
            __builtin_prefetch(upcoming, 0, 2);
            __builtin_prefetch(upcoming + CACHE_LINE, 0, 2);
        }
        int_vector p[APUS_PANEL_VECTORS], q[APUS_PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < vectors; v++) {
            p[v] = load_integers(weights + v * APUS_LANES);
            q[v] = load_integers(weights + other_weights + v * APUS_LANES);
        }
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            const ptrdiff_t place = k * (ptrdiff_t)sizeof(int32_t) + offsets[r];
            multiply_word_pair(run + place, other_run + place, p, q, vectors, sums[r]);
        }
    }
}
#endif

#endif
