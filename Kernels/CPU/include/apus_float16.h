#ifndef APUS_FLOAT16_H
#define APUS_FLOAT16_H

#include "apus_gemm.h"

#include <stdint.h>

#pragma clang assume_nonnull begin

// Products with numbers of float16 (IEEE 754 binary16). Two numbers that follow one another in the depth take a word of
// 32 bits. A row of a panel of weights has the first weights of all its columns, then the second ones; the second ones
// behind an odd depth are zeros.
//
// Where weights alone are float16, they are widened to float32 where they are multiplied. All arithmetic is that of
// float32, and widening is exact, denormals included.
//
// Where rows are float16, too, the product adds in float16 by the processor's fused multiply-add, `FMLA` of AArch64 or
// `vfmadd231ph` of AVX-512 FP16. Every APUS_FLOAT16_CHAIN words of a row, counted from the beginning of a chain of
// APUS_GEMM_CHAIN through its segments, give such a sum, which is widened and added to one of float32:
//
// chain = round16(row[k] · weight[k] + chain), from 0
// sum = round32(sum + chain), from the bias
//
// Both round to nearest even, and denormals are numbers like others. NaN and infinities give what IEEE 754 says. A
// number from ±65520 on is infinite once it is rounded, and so is a sum in float16 that gets there at any of its
// products, even where further ones would bring it back. 32 products of magnitudes below 2000 never do.
//
// An operand is off by 2⁻¹¹ of itself, and a chain of n products by at most n · 2⁻¹¹ · Σ |row[k] · weight[k]|. Where
// signs are random, that of n steps grows with √n: of 576 products of normally distributed numbers, the root mean
// square of errors is 0.03 % of that of the sums from the operands alone, 0.07 % with chains of 16, 0.09 % of 32,
// 0.13 % of 64 and 0.35 % in one chain; operands of bfloat16 give 0.24 %.

/// The largest finite float16.
#define APUS_FLOAT16_MAXIMUM 65504.0f

enum {
    /// The maximum number of words whose products are added in float16: 32 products.
    APUS_FLOAT16_CHAIN = 16,
};

/// The product of floats with weights of float16; NULL where the instruction set has no conversion of vectors.
/// `weights` of its block are panels of `apus_float16_pack`, and `segment_length` counts elements of rows.
const apus_gemm_kernel *_Nullable apus_gemm_of_halves_for(apus_instructions instructions);

/// The products of rows and weights of float16. In the block of `product`, `rows`, `zeros` and `weights` hold words in
/// place of floats, and `segment_length` counts words; bias, addend and output are floats.
typedef struct {
    const apus_gemm_kernel *product;
    /// Rounds rows of floats to dense rows of words, to nearest even. Behind an odd length is a zero.
    ///
    /// - from: `row_count` rows of `length` elements, `row_stride` elements apart.
    /// - words: row_count × ⌈length / 2⌉.
    void (*round_rows)(
        const float *from, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t length, float *words);
} apus_float16_kernel;

/// The kernel of the processor for an instruction set; NULL where the processor, the system or this build has none.
const apus_float16_kernel *_Nullable apus_float16_kernel_for(apus_instructions instructions);

/// The same products in arithmetic of float32, with the same bits, for tests on processors of x86-64 that have AVX2 but
/// no arithmetic of float16. Slow. NULL on others.
const apus_float16_kernel *_Nullable apus_float16_emulation(void);

/// A float32 rounded to float16, to nearest even. Numbers that round to more than the maximum become infinities.
uint16_t apus_float16_rounded(float x);

/// A float16 as a float32.
float apus_float16_widened(uint16_t bits);

/// Cuts a factor into panels [panel][tap][⌈channel_count / 2⌉][2][panel_columns] of float16, with zeros beyond the last
/// column and channel.
///
/// - Returns: Whether each finite weight stays finite.
int apus_float16_pack(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels);

#pragma clang assume_nonnull end

#endif
