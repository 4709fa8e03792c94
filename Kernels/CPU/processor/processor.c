#define _GNU_SOURCE
#include "../instruction_sets.h"
#include "apus_processor.h"
#include "tiles.h"

#include <sched.h>
#include <unistd.h>

double apus_multiply_adds_per_microsecond_baseline(void);
double apus_multiply_adds_per_microsecond_avx2(void);
double apus_multiply_adds_per_microsecond_avx512(void);
double apus_multiply_adds_per_microsecond_neon(void);

double apus_processor_multiply_adds_per_microsecond(apus_instructions instructions) {
    if (!apus_processor_supports(instructions)) return 0;
    return APUS_FOR_INSTRUCTIONS(
        instructions, apus_multiply_adds_per_microsecond_baseline(), apus_multiply_adds_per_microsecond_avx2(),
        apus_multiply_adds_per_microsecond_avx512(), apus_multiply_adds_per_microsecond_neon());
}

int apus_processor_supports(apus_instructions instructions) {
    switch (instructions) {
    case APUS_INSTRUCTIONS_BASELINE: return 1;
#if defined(__x86_64__)
    case APUS_INSTRUCTIONS_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case APUS_INSTRUCTIONS_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case APUS_INSTRUCTIONS_AMX:
        return apus_processor_supports(APUS_INSTRUCTIONS_AVX512) && __builtin_cpu_supports("avx512bf16") &&
               processor_has_tiles();
#elif defined(__aarch64__)
    case APUS_INSTRUCTIONS_NEON: return 1;
#endif
    default: return 0;
    }
}

int apus_processor_is_of_intel(void) {
#if defined(__x86_64__)
    return __builtin_cpu_is("intel") != 0;
#else
    return 0;
#endif
}

intptr_t apus_second_level_cache_byte_count(void) {
    const long count = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return count > 0 ? count : 0;
}

intptr_t apus_available_processor_count(void) {
    cpu_set_t set;
    const int is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    const int count = is_known ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count;
}
