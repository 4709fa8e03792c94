#ifndef APUS_PROCESSOR_H
#define APUS_PROCESSOR_H

#include <stdint.h>

/// Floating-point vector instructions.
typedef enum {
    /// The instructions that every processor of the architecture has.
    APUS_INSTRUCTIONS_BASELINE,
    /// AVX2 and FMA.
    APUS_INSTRUCTIONS_AVX2,
    /// AVX-512 F, BW, DQ and VL.
    APUS_INSTRUCTIONS_AVX512,
    /// AVX-512 BF16 and AMX-BF16 beside those of AVX-512. Products of bfloat16 alone differ from those of AVX-512.
    APUS_INSTRUCTIONS_AMX,
    APUS_INSTRUCTIONS_NEON,
} apus_instructions;

/// Whether the processor and the operating system support the instructions.
int apus_processor_supports(apus_instructions instructions);

/// Asks the system to let this process use the tile registers of AMX, which it then may until it ends; whether it may.
/// A processor without them has none to give.
int apus_processor_request_tiles(void);

/// Whether Intel made the processor.
int apus_processor_is_of_intel(void);

/// Measures the multiply-adds in registers that one core makes in a microsecond; 0 when this build or the processor
/// lacks the instructions. Takes some milliseconds.
double apus_processor_multiply_adds_per_microsecond(apus_instructions instructions);

/// Bytes of a core's second-level cache; 0 when the system does not say.
intptr_t apus_second_level_cache_byte_count(void);

/// The number of processors that the calling thread may run on; at least 1.
intptr_t apus_available_processor_count(void);

/// Reads all bytes in order as fast as one core can, and returns the sum of their 64-bit words. `byte_count` is a
/// multiple of 128, `start` aligned to 32 bytes.
uint64_t apus_processor_read(const void *_Nonnull start, intptr_t byte_count);

#endif
