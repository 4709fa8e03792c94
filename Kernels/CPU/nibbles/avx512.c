#if defined(__x86_64__)
#include "../variants/avx512.h"

// 10 · 2 sums, the weights, scales and offsets of 2 columns, and the table take 29 of 32 registers.
#define APUS_TILE_ROWS 10
#define APUS_HAS_TABLE 1
#include "nibble_tile.h"

// The instruction ignores all but the lowest 4 bits of a word.
APUS_INLINE vector nibbles_of(word_vector words) {
    const __m512 table = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return (vector)_mm512_permutexvar_ps((__m512i)words, table);
}
#endif
