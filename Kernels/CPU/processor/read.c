#include "apus_processor.h"

typedef uint64_t lanes __attribute__((vector_size(32)));

uint64_t apus_processor_read(const void *start, intptr_t byte_count) {
    lanes sums[4] = {{0}};
    for (const lanes *from = start, *end = from + byte_count / 32; from < end; from += 4)
        for (int chain = 0; chain < 4; chain++) {
            lanes value;
            __builtin_memcpy(&value, from + chain, sizeof value);
            sums[chain] += value;
        }
    const lanes sum = sums[0] + sums[1] + sums[2] + sums[3];
    return sum[0] + sum[1] + sum[2] + sum[3];
}
