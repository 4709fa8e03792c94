#ifndef APUS_FLOAT16_H
#define APUS_FLOAT16_H

#include "apus_gemm.h"

#include <stdint.h>

#pragma clang assume_nonnull begin

// Products of floats with weights of float16 (IEEE 754 binary16), which are widened to float32 where they are
// multiplied. All arithmetic is that of float32, and widening is exact, denormals included.
//
// Two weights that follow one another in the depth take a word of 32 bits. A row of a panel has the first weights of
// all its columns, then the second ones; the second ones behind an odd depth are zeros.

/// The product of an instruction set; NULL where it has no conversion of vectors. `weights` of its block are panels of
/// `apus_float16_pack`, and `segment_length` counts elements of rows.
const apus_gemm_kernel *_Nullable apus_gemm_of_halves_for(apus_instructions instructions);

/// The largest finite float16.
#define APUS_FLOAT16_MAXIMUM 65504.0f

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
