#ifndef APUS_PROCESSOR_H
#define APUS_PROCESSOR_H

#include <stdint.h>

/// The widest floating-point instructions that the processor and the operating system support.
typedef enum {
    APUS_INSTRUCTIONS_BASELINE,
    /// AVX2 and FMA.
    APUS_INSTRUCTIONS_AVX2,
    /// AVX-512 F, BW, DQ and VL.
    APUS_INSTRUCTIONS_AVX512,
    APUS_INSTRUCTIONS_NEON,
} apus_instructions;

apus_instructions apus_processor_instructions(void);

/// How many processors the calling thread may run on; at least 1.
intptr_t apus_available_processor_count(void);

#endif
