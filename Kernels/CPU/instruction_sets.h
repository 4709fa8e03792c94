#ifndef APUS_INSTRUCTION_SETS_H
#define APUS_INSTRUCTION_SETS_H

#include "apus_processor.h"

/// The value for an instruction set; 0 for sets of other architectures, whose values are not compiled. AMX has the
/// values of AVX-512.
#if defined(__x86_64__)
#define APUS_FOR_INSTRUCTIONS(instructions, baseline, avx2, avx512, neon) \
    ((instructions) == APUS_INSTRUCTIONS_BASELINE ? (baseline)            \
     : (instructions) == APUS_INSTRUCTIONS_AVX2   ? (avx2)                \
     : (instructions) == APUS_INSTRUCTIONS_AVX512 ? (avx512)              \
     : (instructions) == APUS_INSTRUCTIONS_AMX    ? (avx512)              \
                                                  : 0)
#elif defined(__aarch64__)
#define APUS_FOR_INSTRUCTIONS(instructions, baseline, avx2, avx512, neon) \
    ((instructions) == APUS_INSTRUCTIONS_BASELINE ? (baseline)            \
     : (instructions) == APUS_INSTRUCTIONS_NEON   ? (neon)                \
                                                  : 0)
#else
#define APUS_FOR_INSTRUCTIONS(instructions, baseline, avx2, avx512, neon) \
    ((instructions) == APUS_INSTRUCTIONS_BASELINE ? (baseline) : 0)
#endif

#endif
