#ifndef APUS_INTEGER_KERNELS_H
#define APUS_INTEGER_KERNELS_H

// The kernels of one variant and their table. A variant's source file includes this header last; variant.h says what it
// defines before.

#include "convolution.h"
#include "depthwise.h"
#include "sum.h"
#include "variant.h"
#if APUS_HAS_DOT_INT16
#include "winograd.h"
#endif

#if APUS_GROUP == 2
APUS_INLINE int_vector dot_int16(int_vector sums, int_vector a, int_vector b) { return dot(sums, a, b); }

enum { INTEGER_FACTORS = APUS_INTEGER_DIFFERENCES };
#else
enum { INTEGER_FACTORS = APUS_HAS_SIGNED_BYTES ? APUS_INTEGER_SIGNED_BYTES : APUS_INTEGER_UNSIGNED_BYTES };
#endif

const apus_integer_kernel APUS_NAME(apus_integer) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .group = APUS_GROUP, .block = BLOCK,
    .minimum_paired_words = APUS_MINIMUM_PAIRED_WORDS, .factors = INTEGER_FACTORS,
    .convolve = APUS_NAME(convolve_integers), .convolution_scratch = APUS_NAME(convolution_scratch),
#if APUS_HAS_DOT_INT16
    .convolve_tiles = APUS_NAME(convolve_tiles), .tile_scratch = APUS_NAME(tile_scratch),
#endif
    .convolve_depthwise = APUS_NAME(convolve_channels), .depthwise_scratch = APUS_NAME(depthwise_scratch),
    .add = APUS_NAME(add_integers)};

#endif
