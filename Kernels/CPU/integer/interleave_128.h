// Pairs of 16-bit integers in vectors of 128 bits, whose elements stay in order.

typedef int16_t halves __attribute__((vector_size(16)));

/// words[0…1] = pairs of elements of two taps.
APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, int_vector *words) {
    halves a, b;
    memcpy(&a, taps[0] + from, sizeof a);
    memcpy(&b, taps[1] + from, sizeof b);
    words[0] = (int_vector)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    words[1] = (int_vector)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// The same with 0 in place of the second.
APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, int_vector *words) {
    halves a;
    const halves zero = {0};
    memcpy(&a, tap + from, sizeof a);
    words[0] = (int_vector)__builtin_shufflevector(a, zero, 0, 8, 1, 9, 2, 10, 3, 11);
    words[1] = (int_vector)__builtin_shufflevector(a, zero, 4, 12, 5, 13, 6, 14, 7, 15);
}

APUS_INLINE void order_lanes(int_vector *x) { (void)x; }
