#ifndef APUS_INTEGER_VARIANT_H
#define APUS_INTEGER_VARIANT_H

// The contract of a variant of the integer kernels.
//
// A source file NAME.c of a variant includes a variant header (variants/vector.h says what that defines), defines the
// macros below, includes this header, defines the functions that are declared below, and includes kernels.h, which
// defines the table `apus_integer_NAME`.
//
// Kernels multiply words. A word has 32 bits and holds APUS_GROUP adjacent elements of the depth: 2 of 16 bits, or 4 of
// 8 bits. A vector has APUS_LANES words, or the 32-bit sums of as many columns.
//
// Every variant defines
//
// - APUS_GROUP: 2 or 4;
// - APUS_PANEL_VECTORS: the vectors of columns in a panel of weights, 2 or 4;
// - APUS_TILE_ROWS: the maximum rows of a register tile, at most 12;
// - APUS_NARROW_TILE_ROWS: the maximum rows of a register tile of at most two vectors of columns, at least
//   APUS_TILE_ROWS and at most 12;
// - APUS_HAS_SIGNED_BYTES, where APUS_GROUP is 4: 1 where `dot` multiplies signed bytes of the input, 0 for unsigned
//   bytes.
//
// A variant may define
//
// - APUS_HAS_DOT_INT16 as 1, where APUS_GROUP is 4 and it has `dot_int16`;
// - APUS_HAS_ROUNDING as 1, where it has `round_scaled` and `round_small`;
// - APUS_HAS_PACKING as 1, where it has `store_scaled` and `store_interleaved_scaled`;
// - APUS_HAS_BYTE_MASKS as 1, where it has `load_first_bytes`;
// - APUS_MINIMUM_PAIRED_WORDS, where APUS_GROUP is 2: runs of at least this many words are multiplied in pairs of words
//   (paired_words.h), for which it has `multiply_word_pair`, `load_first_words` and APUS_PAIRED_TILE_ROWS, the maximum
//   rows of their register tiles, at most 12.
//
// Some files of this folder share a name with a file of another folder, pooling.c for instance: they do for integers
// what that folder does for float32.

#include "../variants/vector.h"
#include "apus_integer.h"

#include <stdint.h>

#if !defined(APUS_GROUP) || !defined(APUS_PANEL_VECTORS) || !defined(APUS_TILE_ROWS) || !defined(APUS_NARROW_TILE_ROWS)
#error "define APUS_GROUP, APUS_PANEL_VECTORS, APUS_TILE_ROWS and APUS_NARROW_TILE_ROWS before variant.h is included"
#endif
#if APUS_GROUP == 4 && !defined(APUS_HAS_SIGNED_BYTES)
#error "define APUS_HAS_SIGNED_BYTES before variant.h is included, since APUS_GROUP is 4"
#endif
#if APUS_GROUP == 2
#define APUS_HAS_DOT_INT16 1
#elif !defined(APUS_HAS_DOT_INT16)
#define APUS_HAS_DOT_INT16 0
#endif
#ifndef APUS_HAS_ROUNDING
#define APUS_HAS_ROUNDING 0
#endif
#ifndef APUS_HAS_PACKING
#define APUS_HAS_PACKING 0
#endif
#ifndef APUS_HAS_BYTE_MASKS
#define APUS_HAS_BYTE_MASKS 0
#endif
#ifndef APUS_MINIMUM_PAIRED_WORDS
#define APUS_MINIMUM_PAIRED_WORDS 0
#define APUS_PAIRED_TILE_ROWS APUS_TILE_ROWS
#elif !defined(APUS_PAIRED_TILE_ROWS)
#error "define APUS_PAIRED_TILE_ROWS before variant.h is included, since APUS_MINIMUM_PAIRED_WORDS is defined"
#endif

enum {
    PANEL_COLUMNS = APUS_PANEL_VECTORS * APUS_LANES,
    /// Elements that a depthwise convolution computes together.
    BLOCK = APUS_GROUP * APUS_LANES,
    /// Words of a cache line.
    CACHE_LINE = 16,
    /// Cache lines that hold one word of each column of a panel.
    PANEL_LINES = (PANEL_COLUMNS + CACHE_LINE - 1) / CACHE_LINE,
};

/// An element of the input as `dot` multiplies it: a byte, or the difference from the zero point in 16 bits.
#if APUS_GROUP == 4
typedef uint8_t widened_element;
#else
typedef int16_t widened_element;
#endif

typedef int_vector unaligned_int_vector __attribute__((aligned(4)));
/// Sums modulo 2³².
typedef uint32_t uint_vector __attribute__((vector_size(4 * APUS_LANES)));
typedef int16_t int16_vector __attribute__((vector_size(4 * APUS_LANES)));
/// A byte for each element of an `int16_vector`.
typedef uint8_t uint8_half_vector __attribute__((vector_size(2 * APUS_LANES)));
/// A byte for each lane of a vector.
typedef uint8_t uint8_quarter_vector __attribute__((vector_size(APUS_LANES)));
typedef int8_t int8_quarter_vector __attribute__((vector_size(APUS_LANES)));

enum { INT16_LANES = 2 * APUS_LANES };

APUS_INLINE int_vector load_integers(const int32_t *from) { return *(const unaligned_int_vector *)from; }

// Every variant has these functions.

/// round(x · multiplier / 2³¹), halves up.
APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier);

/// sums + Σ a · b over the APUS_GROUP elements of each lane, modulo 2³². Elements of `a` are widened elements of the
/// input, those of `b` are signed weights.
APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b);

/// The words of BLOCK adjacent elements from element `from` of each of APUS_GROUP taps: word i holds element i of every
/// tap. Their order in words[0] to words[APUS_GROUP − 1] is that of the places of `apus_integer_depthwise`.
APUS_INLINE void interleave(const widened_element *const *taps, ptrdiff_t from, int_vector *words);

/// The same with zeros in place of all taps but the first.
APUS_INLINE void interleave_one(const widened_element *tap, ptrdiff_t from, int_vector *words);

#if APUS_GROUP == 4
/// to[i] = from[i] ^ bits
APUS_INLINE void flip_bits(const uint8_t *from, uint8_t bits, ptrdiff_t count, uint8_t *to);
#endif

// Some variants have these functions.

#if APUS_HAS_DOT_INT16
/// sums + Σ a · b over the two 16-bit elements of each lane, modulo 2³².
APUS_INLINE int_vector dot_int16(int_vector sums, int_vector a, int_vector b);
#endif

/// round(x), halves to the even integer. Beyond ±65536 the result is some integer beyond every 8-bit range on the same
/// side.
APUS_INLINE int_vector round_scaled(vector x);

/// Rounds as `round_scaled` does numbers whose rounded values fit in 32 bits.
APUS_INLINE int_vector round_small(vector x);

/// Stores min(max(scaled + r.zero_point, r.low), r.high) as bytes, for the first `count` elements of adjacent vectors.
/// The number of vectors, `vectors` ≤ 4, is a constant of the caller.
APUS_INLINE void store_scaled(
    uint8_t *to, const int_vector *scaled, const int vectors, const apus_requantization *r, ptrdiff_t count);

/// Stores as `store_scaled` does the APUS_GROUP vectors of a block, whose elements lie in the order of `interleave`.
APUS_INLINE void store_interleaved_scaled(
    uint8_t *to, const int_vector *scaled, const apus_requantization *r, ptrdiff_t count);

/// The first `count` bytes, fewer than INT16_LANES.
APUS_INLINE uint8_half_vector load_first_bytes(const uint8_t *from, ptrdiff_t count);

#if APUS_MINIMUM_PAIRED_WORDS > 0
/// sums[v] += (a + q[v]) · (b + p[v]) for one or two vectors, where `a` and `b` point to one word each.
APUS_INLINE void multiply_word_pair(
    const uint8_t *a, const uint8_t *b, const int_vector *p, const int_vector *q, const int vectors, int_vector *sums);

/// The first `count` words, fewer than APUS_LANES, and then zeros.
APUS_INLINE int_vector load_first_words(const uint8_t *from, ptrdiff_t count);
#endif

#endif
