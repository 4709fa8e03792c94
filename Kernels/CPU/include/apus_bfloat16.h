#ifndef APUS_BFLOAT16_H
#define APUS_BFLOAT16_H

#include "apus_gemm.h"

#include <stdint.h>

#pragma clang assume_nonnull begin

// Products of bfloat16 with sums of float32.
//
// Two numbers that follow one another in the depth share a word of 32 bits, the first in its lower half. A row of an
// odd number of elements ends with a word whose upper half is zero.
//
// The product adds a word to a sum as the processor's instruction does. `vdpbf16ps` of AVX-512 BF16 has two fused
// multiply-adds, first that of the upper halves, then that of the lower:
//
// sum = round(lowerₐ · lower_b + round(upperₐ · upper_b + sum))
//
// It rounds to nearest even in any rounding mode. `BFDOT` of AArch64 adds the exact products first:
//
// sum = odd(sum + odd(lowerₐ · lower_b + upperₐ · upper_b))
//
// odd(x) is x where it is a float32, and otherwise the one of its two neighbours whose last bit is 1. `BFMMLA` does
// this with two words of each of two rows and two columns, one word after the other, where FPCR.EBF is 0, as Linux
// leaves it (Arm Architecture Reference Manual, C7.2); so its bits are those of two `BFDOT`.
//
// `tdpbf16ps` of AMX adds up to 16 words at once (Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 2), in steps of 16 words from the start of a segment, with fused multiply-adds that round to nearest even:
//
// lower = Σ lowerₐ · lower_b, from 0 on; upper = Σ upperₐ · upper_b, from 0 on; sum = sum + (lower + upper)
//
// All of these instructions read denormals as zeros of their sign, make results that are denormal zeros of their sign,
// and raise no exception.

/// The products of an instruction set. In the block of `product`, `rows`, `zeros` and `weights` hold words in place of
/// floats, and `segment_length` counts words; bias, addend and output are floats.
typedef struct {
    const apus_gemm_kernel *product;
    /// The words of a column that are adjacent in the product's panels, as `apus_bfloat16_pack` takes it.
    ptrdiff_t adjacent_words;
    /// Rounds rows of floats to dense rows of words, to nearest even. Denormals become zeros, NaN stays NaN.
    ///
    /// - from: `row_count` rows of `length` elements, `row_stride` elements apart.
    /// - words: row_count × ⌈length / 2⌉.
    void (*round_rows)(
        const float *from, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t length, float *words);
    /// Packs a matrix whose columns are adjacent as `apus_bfloat16_pack` does, while a layer runs.
    ///
    /// - from: `depth` rows of `column_count` elements, `row_stride` elements apart.
    /// - panels: those of one tap with `depth` channels.
    void (*pack_rows)(
        const float *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels);
    /// The same with rows of bfloat16.
    void (*interleave_rows)(
        const uint16_t *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels);
} apus_bfloat16_kernel;

/// The kernel of the processor for an instruction set; NULL where the processor, the system or this build has none.
/// That of AMX asks the system for its registers.
const apus_bfloat16_kernel *_Nullable apus_bfloat16_kernel_for(apus_instructions instructions);

/// The product of an instruction set whose weights alone are words, and whose rows are floats: weights are widened to
/// float32, and all arithmetic is that of float32. `segment_length` counts elements of rows.
const apus_gemm_kernel *_Nullable apus_gemm_of_pairs_for(apus_instructions instructions);

/// A float32 rounded to bfloat16 as `round_rows` does.
uint16_t apus_bfloat16_rounded(float x);

/// Rounds one row of floats, and writes nothing behind it: `round_rows` fills the last word of an odd row with a zero.
static inline void apus_bfloat16_round_row(
    const apus_bfloat16_kernel *rounding, const float *from, ptrdiff_t length, uint16_t *to) {
    const ptrdiff_t even = length - length % 2;
    if (even > 0) rounding->round_rows(from, 1, 0, even, (float *)to);
    if (even < length) to[even] = apus_bfloat16_rounded(from[even]);
}

/// Cuts a factor into panels [panel][tap][⌈channel_count / 2⌉][panel_columns] of words, with zeros beyond the last
/// column and channel. Where `adjacent_words` is 2, a tap is [pair][panel_columns][2], and the last word of an odd
/// number of them lies behind the pairs, [panel_columns].
void apus_bfloat16_pack(
    const apus_gemm_factor *factor, ptrdiff_t panel_columns, ptrdiff_t adjacent_words, float *panels);

#pragma clang assume_nonnull end

#endif
