#define _GNU_SOURCE
#include "testing.h"

#include "../../Kernels/CPU/activation.h"
#include "apus_bfloat16.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int failure_count = 0;

static char name[128];
static int has_failed;
static uint64_t state;

enum { MAXIMUM_BLOCKS = 64 };
static struct {
    void *start;
    size_t size;
} blocks[MAXIMUM_BLOCKS];
static int block_count;

static void touched_beyond_end(int signal) {
    (void)signal;
    static const char message[] = ": touched memory beyond an end\n";
    if (write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
    _exit(1);
}

void begin_case(const char *instructions, const char *family, uint64_t seed) {
    signal(SIGSEGV, touched_beyond_end);
    snprintf(name, sizeof name, "%s %s, seed %llu", instructions, family, (unsigned long long)seed);
    has_failed = 0;
    while (block_count > 0) {
        block_count--;
        munmap(blocks[block_count].start, blocks[block_count].size);
    }
    seed_random(seed);
}

void fail(const char *format, ...) {
    if (has_failed) return;
    has_failed = 1;
    failure_count++;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

void seed_random(uint64_t seed) { state = seed; }

static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

ptrdiff_t random_between(ptrdiff_t low, ptrdiff_t high) {
    return low + (ptrdiff_t)(next() % (uint64_t)(high - low + 1));
}

int one_in(ptrdiff_t count) { return random_between(1, count) == 1; }

float random_value(int is_whole) {
    return is_whole ? (float)random_between(-8, 8) : (float)(next() >> 40) * 0x1p-23f - 1;
}

apus_activation random_activation(float scale) {
    switch (random_between(0, 9)) {
    case 4: return (apus_activation){.kind = APUS_ACTIVATION_HARD_SIGMOID, .low = 0.2f, .high = 0.5f};
    case 5: return (apus_activation){.kind = APUS_ACTIVATION_HARD_SWISH};
    case 6: return (apus_activation){.kind = APUS_ACTIVATION_SIGMOID};
    case 7: return (apus_activation){.kind = APUS_ACTIVATION_SILU};
    case 8: return (apus_activation){.kind = APUS_ACTIVATION_GELU};
    case 9: return (apus_activation){.kind = APUS_ACTIVATION_GELU_TANH};
    case 1: return (apus_activation){.kind = APUS_ACTIVATION_RELU};
    case 2: return (apus_activation){.kind = APUS_ACTIVATION_CLIP, .low = -scale, .high = 2 * scale};
    case 3: return (apus_activation){.kind = APUS_ACTIVATION_LEAKY_RELU, .low = 0.25f};
    default: return (apus_activation){.kind = APUS_ACTIVATION_NONE};
    }
}

/// Memory that ends at an inaccessible page.
static void *guarded(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    char *start = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || block_count == MAXIMUM_BLOCKS || mprotect(start + whole, page, PROT_NONE)) abort();
    blocks[block_count].start = start;
    blocks[block_count++].size = whole + page;
    return start + whole - size;
}

float *filled(ptrdiff_t count, float value) {
    float *values = guarded((size_t)count * sizeof(float));
    for (ptrdiff_t i = 0; i < count; i++) values[i] = value;
    return values;
}

float *random_values(ptrdiff_t count, int is_whole) {
    float *values = guarded((size_t)count * sizeof(float));
    for (ptrdiff_t i = 0; i < count; i++) values[i] = random_value(is_whole);
    return values;
}

uint16_t *random_bfloat16(ptrdiff_t count, int is_whole) {
    uint16_t *numbers = guarded((size_t)count * sizeof(uint16_t));
    for (ptrdiff_t i = 0; i < count; i++) numbers[i] = apus_bfloat16_rounded(random_value(is_whole));
    return numbers;
}

float *widened_numbers(const uint16_t *numbers, ptrdiff_t count) {
    float *values = guarded((size_t)count * sizeof(float));
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)numbers[i] << 16;
        memcpy(values + i, &bits, sizeof(bits));
    }
    return values;
}

uint16_t *untouched_bfloat16(ptrdiff_t count) {
    uint16_t *numbers = guarded((size_t)count * sizeof(uint16_t));
    for (ptrdiff_t i = 0; i < count; i++) numbers[i] = apus_bfloat16_rounded(UNTOUCHED);
    return numbers;
}

void compare_rounded(const uint16_t *got, const float *expected, ptrdiff_t count, const char *what) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint16_t wanted = apus_bfloat16_rounded(expected[i]);
        const int are_nan = (got[i] & 0x7fff) > 0x7f80 && (wanted & 0x7fff) > 0x7f80;
        if (got[i] != wanted && !are_nan)
            return fail("%s: element %td is %#x in bfloat16, not %#x (%a)", what, i, got[i], wanted, expected[i]);
    }
}

static double unit_interval(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/// The expected value of an activation.
static double activated(double x, apus_activation activation) {
    switch (activation.kind) {
    case APUS_ACTIVATION_RELU: return x < 0 ? 0 : x;
    case APUS_ACTIVATION_CLIP: return x < activation.low ? activation.low : x > activation.high ? activation.high : x;
    case APUS_ACTIVATION_LEAKY_RELU: return x < 0 ? activation.low * x : x;
    case APUS_ACTIVATION_HARD_SIGMOID: return isnan(x) ? x : unit_interval(activation.low * x + activation.high);
    case APUS_ACTIVATION_HARD_SWISH: return isnan(x) ? x : x <= -3 ? 0 : x * unit_interval(x / 6 + 0.5);
    case APUS_ACTIVATION_SIGMOID: return 1 / (1 + exp(-x));
    case APUS_ACTIVATION_SILU: return x / (1 + exp(-x));
    case APUS_ACTIVATION_GELU: return x / 2 * erfc(-x / sqrt(2));
    case APUS_ACTIVATION_GELU_TANH:
        return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    default: return x;
    }
}

expectation activated_sum(double sum, double tolerance, apus_activation activation) {
    const double value = activated(sum, activation);
    // HardSwish rounds x / 6 + 1 / 2 and the product. Other curved activations are a few units off, and none is steeper
    // than 1.5.
    if (activation.kind == APUS_ACTIVATION_HARD_SWISH)
        return (expectation){value, 1.5 * tolerance + 0x1p-22 * fabs(value)};
    if (form_of(activation) != ON_STORED) return (expectation){value, tolerance};
    return (expectation){value, 1.5 * tolerance + 1e-6 * (1 + fabs(value))};
}

expectation *expectations(ptrdiff_t count) {
    expectation *expected = guarded((size_t)count * sizeof(expectation));
    for (ptrdiff_t i = 0; i < count; i++) expected[i] = (expectation){UNTOUCHED, 0};
    return expected;
}

void compare(const float *got, const expectation *expected, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const double value = expected[i].value, tolerance = expected[i].tolerance;
        const int agrees = isnan(value) ? isnan(got[i]) : fabs(got[i] - value) <= tolerance;
        if (!agrees) return fail("element %td is %.9g, not %.9g ± %.2g", i, got[i], value, tolerance);
    }
}

void compare_bits(const float *got, const float *expected, ptrdiff_t count, const char *cut) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const int agrees = memcmp(&got[i], &expected[i], sizeof(float)) == 0 || (isnan(got[i]) && isnan(expected[i]));
        if (!agrees) return fail("element %td is %a when cut into %s, otherwise %a", i, got[i], cut, expected[i]);
    }
}
