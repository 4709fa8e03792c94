#ifndef APUS_THREADS_H
#define APUS_THREADS_H

#include <stdint.h>

/// A pool of threads that runs the pieces of one job at a time.
///
/// Workers spin for some tens of microseconds after a job and then sleep on a futex. One thread at a time may call
/// `run`; that thread takes part in the work.
typedef struct apus_thread_pool apus_thread_pool;

/// One piece of a job: the job's context, the piece's index, the number of the thread (0 is the caller).
typedef void (*_Nonnull apus_worker_function)(const void *_Nonnull context, intptr_t index, intptr_t worker);

/// Makes a pool of `thread_count` threads, the caller included. NULL when the system refuses; `thread_count` ≥ 1.
apus_thread_pool *_Nullable apus_thread_pool_create(intptr_t thread_count);

/// Ends the threads and frees the pool. No job may be running.
void apus_thread_pool_destroy(apus_thread_pool *_Nullable pool);

/// The time that a thread worked on a job, in nanoseconds of CLOCK_MONOTONIC, and the number of pieces it ran. The
/// times mean nothing when it ran none.
typedef struct {
    int64_t start, end, piece_count;
    int64_t unused[5];
} apus_work_span;

/// Calls `function` once for every index in [0, count) and returns when all calls have returned. `spans` has an entry
/// for each thread; NULL records nothing.
void apus_thread_pool_run(
    apus_thread_pool *_Nonnull pool, intptr_t count, const void *_Nonnull context, apus_worker_function function,
    apus_work_span *_Nullable spans);

#endif
