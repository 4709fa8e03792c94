#ifndef APUS_VARIANT_EMULATED_FP16_H
#define APUS_VARIANT_EMULATED_FP16_H

// AVX2, whose processors convert float16 but do not multiply it. For tests of what is computed in float16 elsewhere.
#define APUS_VARIANT emulated_fp16
#include "avx2.h"

#endif
