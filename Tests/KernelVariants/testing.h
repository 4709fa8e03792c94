// The shared parts of the tests of all kernel families: random numbers, guarded memory, and comparison.

#include "apus_activation.h"
#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

/// One random case of a family, drawn from its seed, for the kernels of an instruction set.
void test_gemm(apus_instructions instructions, uint64_t seed);
void test_bfloat16(apus_instructions instructions, uint64_t seed);
void test_modelled_tiles(apus_instructions instructions, uint64_t seed);
void test_bfloat16_weights(apus_instructions instructions, uint64_t seed);
void test_float16_weights(apus_instructions instructions, uint64_t seed);
void test_float16(apus_instructions instructions, uint64_t seed);
void test_emulated_float16(apus_instructions instructions, uint64_t seed);
void test_float16_rounding(apus_instructions instructions, uint64_t seed);
void test_winograd(apus_instructions instructions, uint64_t seed);
void test_depthwise(apus_instructions instructions, uint64_t seed);
void test_integer(apus_instructions instructions, uint64_t seed);
void test_nibbles(apus_instructions instructions, uint64_t seed);
void test_resampling_rows(apus_instructions instructions, uint64_t seed);
void test_resampling_columns(apus_instructions instructions, uint64_t seed);

/// Starts a case: its memory is released, and messages begin with the name.
void begin_case(const char *instructions, const char *family, uint64_t seed);

/// Reports a failure of the current case. Only the first failure of a case is reported and counted.
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The number of cases that failed so far.
extern int failure_count;

/// Restarts the random numbers (SplitMix64, https://prng.di.unimi.it/splitmix64.c).
void seed_random(uint64_t seed);
ptrdiff_t random_between(ptrdiff_t low, ptrdiff_t high);
/// True once in `count`.
int one_in(ptrdiff_t count);
/// A whole number from −8 to 8, or a fraction from −1 to 1.
float random_value(int is_whole);
/// A random activation, with limits of the magnitude of `scale`.
apus_activation random_activation(float scale);

/// The value of elements that a kernel must not change.
#define UNTOUCHED 12345.0f

/// Floats that end at an inaccessible page, so that an access after them fails. `begin_case` releases them.
float *filled(ptrdiff_t count, float value);
float *random_values(ptrdiff_t count, int is_whole);

/// Random numbers in bfloat16 in guarded memory, and the floats that they stand for.
uint16_t *random_bfloat16(ptrdiff_t count, int is_whole);
float *widened_numbers(const uint16_t *numbers, ptrdiff_t count);
/// Memory for `count` results in bfloat16, each UNTOUCHED rounded.
uint16_t *untouched_bfloat16(ptrdiff_t count);
/// Compares bits with floats rounded to bfloat16; a NaN may have any bits of a NaN.
void compare_rounded(const uint16_t *got, const float *expected, ptrdiff_t count, const char *what);

/// The expected value of an element and the tolerance; UNTOUCHED where nothing may be written.
typedef struct {
    double value, tolerance;
} expectation;

/// What a sum that is off by `tolerance` at most is after an activation.
expectation activated_sum(double sum, double tolerance, apus_activation activation);

expectation *expectations(ptrdiff_t count);
/// Compares elements with expectations; where NaN is expected, NaN is required.
void compare(const float *got, const expectation *expected, ptrdiff_t count);
/// Compares bits; a NaN may have any bits of a NaN.
void compare_bits(const float *got, const float *expected, ptrdiff_t count, const char *cut);
