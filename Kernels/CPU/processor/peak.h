#ifndef APUS_PEAK_H
#define APUS_PEAK_H

// Multiply-adds in registers: twelve chains hide the latency of two units. Needs a variant header before it.

#include "../variants/vector.h"

#include <time.h>

enum { CHAINS = 12, TURNS = 100000 };

APUS_TARGET double APUS_NAME(apus_multiply_adds_per_microsecond)(void) {
    vector sums[CHAINS] = {{0}};
    vector factor = {0}, addend = {0};
    factor += 0.5f;
    addend += 0.25f;
    __asm__ volatile("" : "+m"(factor), "+m"(addend));
    double best = 0;
    for (int round = 0; round < 20; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        APUS_UNROLL for (int chain = 0; chain < CHAINS; chain++) __asm__ volatile("" : "+m"(sums[chain]));
        for (int turn = 0; turn < TURNS; turn++)
            APUS_UNROLL for (int chain = 0; chain < CHAINS; chain++) sums[chain] = sums[chain] * factor + addend;
        APUS_UNROLL for (int chain = 0; chain < CHAINS; chain++) __asm__ volatile("" : "+m"(sums[chain]));
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        const double rate = 1e-6 * CHAINS * APUS_LANES * TURNS / seconds;
        best = rate > best ? rate : best;
    }
    return best;
}

#endif
