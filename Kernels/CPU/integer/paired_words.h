// Products of two words at a time by Winograd's inner product; included by kernels.h.
//
// For words a, b of a row and p, q of a column, of APUS_GROUP elements each: (a + q) · (b + p) = a · p + b · q + a · b + p · q.
// One product instead of two; Σ a · b is found once for a row, and Σ p · q once for a column. Elements are such that their
// sums fit in 16 bits; those of products may wrap.

/// The words of a run that are multiplied in pairs with as many others: word k with the k-th after them.
APUS_INLINE ptrdiff_t paired_words(ptrdiff_t words) {
    return APUS_LEAST_PAIRED_WORDS > 0 && words >= APUS_LEAST_PAIRED_WORDS ? words / 2 : 0;
}

#if APUS_LEAST_PAIRED_WORDS > 0
/// Σ a · b over the first `count` words of a run and as many after them.
APUS_INLINE uint32_t pair_products(const uint8_t *run, ptrdiff_t count) {
    const uint8_t *a = run, *b = run + count * (ptrdiff_t)sizeof(int32_t);
    int_vector sums = {0}, words, others;
    for (; count >= APUS_LANES; count -= APUS_LANES, a += sizeof words, b += sizeof words) {
        memcpy(&words, a, sizeof words);
        memcpy(&others, b, sizeof others);
        sums = dot(sums, words, others);
    }
    if (count > 0) sums = dot(sums, load_first_words(a, count), load_first_words(b, count));
    return __builtin_reduce_add((wrapping)sums);
}

/// Adds the products of the first `count` words of runs, which lie `offsets` bytes apart, and of as many after them with those
/// of columns. `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_paired_words(
    const uint8_t *run, const ptrdiff_t *offsets, const int32_t *weights, ptrdiff_t count, const int32_t *upcoming,
    const int rows, const int vectors, int_vector (*sums)[APUS_PANEL_VECTORS]) {
    const ptrdiff_t other_weights = count * PANEL_COLUMNS;
    const uint8_t *other_run = run + count * (ptrdiff_t)sizeof(int32_t);
#pragma clang loop unroll_count(2)
    for (ptrdiff_t k = 0; k < count; k++, weights += PANEL_COLUMNS, upcoming += 2 * CACHE_LINE) {
        // A single row reads on without a pause.
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
            multiply_pair(run + place, other_run + place, p, q, vectors, sums[r]);
        }
    }
}
#endif
