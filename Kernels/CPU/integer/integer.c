#include "../instruction_sets.h"
#include "apus_integer.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

extern const apus_integer_kernel apus_integer_avx2;
extern const apus_integer_kernel apus_integer_avx512;
extern const apus_integer_kernel apus_integer_vnni;
extern const apus_integer_kernel apus_integer_neon;
extern const apus_integer_kernel apus_integer_dotprod;

#if defined(__aarch64__)
static int has_dot_products(void) { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
#endif

const apus_integer_kernel *apus_integer_kernel_for(apus_instructions instructions, int multiplies_bytes) {
    (void)multiplies_bytes;
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_integer_baseline, &apus_integer_avx2,
        multiplies_bytes && __builtin_cpu_supports("avx512vnni") ? &apus_integer_vnni : &apus_integer_avx512,
        multiplies_bytes && has_dot_products() ? &apus_integer_dotprod : &apus_integer_neon);
}

int32_t apus_integer_zero(apus_integer_factors factors, int is_signed, int32_t zero_point) {
    switch (factors) {
    case APUS_INTEGER_DIFFERENCES: return 0;
    case APUS_INTEGER_UNSIGNED_BYTES: return is_signed ? zero_point + 128 : zero_point;
    case APUS_INTEGER_SIGNED_BYTES: return is_signed ? zero_point : zero_point - 128;
    }
}
