#ifndef APUS_VARIANT_AVX512_FP16_H
#define APUS_VARIANT_AVX512_FP16_H

// AVX-512 with arithmetic of float16.
#define APUS_VARIANT avx512_fp16
#define APUS_TARGET __attribute__((target("arch=x86-64-v4,avx512fp16"), min_vector_width(512)))
#include "avx512.h"

#endif
