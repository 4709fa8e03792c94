#define _GNU_SOURCE
#include "apus_processor.h"

#include <sched.h>
#include <unistd.h>

apus_instructions apus_processor_instructions(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return APUS_INSTRUCTIONS_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return APUS_INSTRUCTIONS_AVX2;
    return APUS_INSTRUCTIONS_BASELINE;
#elif defined(__aarch64__)
    return APUS_INSTRUCTIONS_NEON;
#else
    return APUS_INSTRUCTIONS_BASELINE;
#endif
}

intptr_t apus_available_processor_count(void) {
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count;
}
