#define _GNU_SOURCE
#include "apus_threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

enum {
    /// Turns of the idle loop before a worker sleeps: about 50 µs.
    IDLE_SPINS = 1500,
    /// Turns of the caller's waiting loop before it yields the processor.
    WAIT_SPINS = 4000,
};

/// The index in a `share` when no job is open.
#define CLOSED UINT32_MAX

/// A thread's part of the job's indices. All jobs are cut alike, so that a thread finds in its cache what it wrote in
/// the job before. A thread that has finished its share takes indices from the others' shares.
///
/// The upper half is the job's number, the lower half the next index to claim. An index is claimed by compare and swap,
/// so that a late worker cannot claim an index of the next job for this job's function.
typedef struct {
    _Alignas(64) _Atomic uint64_t claim;
} share;

struct apus_thread_pool {
    /// Indices whose call has returned.
    _Alignas(64) _Atomic uint32_t finished;
    /// Counts the jobs; workers sleep on it.
    _Alignas(64) _Atomic uint32_t epoch;
    _Atomic uint32_t sleepers;
    _Atomic uint32_t stopping;
    _Alignas(64) _Atomic uint32_t count;
    _Atomic(const void *) context;
    _Atomic(apus_worker_function) function;
    _Atomic(apus_work_span *) spans;
    /// One share for each thread, the caller's first.
    share *shares;
    intptr_t worker_count;
    struct worker {
        pthread_t thread;
        apus_thread_pool *pool;
        intptr_t number;
    } *workers;
};

static void sleep_on(_Atomic uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void wake_all(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The first index of a thread's share; `count` when `number` is `thread_count`.
static uint32_t share_start(uint32_t count, intptr_t number, intptr_t thread_count) {
    return (uint32_t)((uint64_t)count * (uint64_t)number / (uint64_t)thread_count);
}

/// Runs the remaining pieces of the share of thread `owner`, on thread `number`, and returns how many these are.
static uint32_t work_on_share(apus_thread_pool *pool, intptr_t owner, intptr_t number) {
    const intptr_t thread_count = pool->worker_count + 1;
    _Atomic uint64_t *claim_word = &pool->shares[owner].claim;
    uint64_t claim = atomic_load_explicit(claim_word, memory_order_acquire);
    for (uint32_t finished = 0;;) {
        const uint32_t index = (uint32_t)claim;
        const uint32_t count = atomic_load_explicit(&pool->count, memory_order_relaxed);
        if (index == CLOSED || index >= share_start(count, owner + 1, thread_count)) return finished;
        if (!atomic_compare_exchange_weak_explicit(
                claim_word, &claim, claim + 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        const apus_worker_function function = atomic_load_explicit(&pool->function, memory_order_relaxed);
        apus_work_span *spans = atomic_load_explicit(&pool->spans, memory_order_relaxed);
        if (spans && spans[number].piece_count++ == 0) spans[number].start = now();
        function(atomic_load_explicit(&pool->context, memory_order_relaxed), (intptr_t)index, number);
        // Before the piece counts as finished, after which the caller may read the span.
        if (spans) spans[number].end = now();
        finished++;
        claim = atomic_load_explicit(claim_word, memory_order_acquire);
    }
}

/// Runs pieces of the open job until none is left, first those of the thread's own share. They are counted together at
/// the end, since threads that write to one cache line wait for each other.
static void work(apus_thread_pool *pool, intptr_t number) {
    const intptr_t thread_count = pool->worker_count + 1;
    uint32_t finished = 0;
    for (intptr_t turn = 0; turn < thread_count; turn++)
        finished += work_on_share(pool, (number + turn) % thread_count, number);
    if (finished > 0) atomic_fetch_add_explicit(&pool->finished, finished, memory_order_release);
}

static void *worker_main(void *argument) {
    struct worker *self = argument;
    apus_thread_pool *pool = self->pool;
    uint32_t seen = 0;
    while (!atomic_load_explicit(&pool->stopping, memory_order_acquire)) {
        uint32_t epoch = atomic_load_explicit(&pool->epoch, memory_order_acquire);
        for (int spin = 0; epoch == seen && spin < IDLE_SPINS; spin++) {
            RELAX();
            epoch = atomic_load_explicit(&pool->epoch, memory_order_acquire);
        }
        if (epoch == seen) {
            atomic_fetch_add(&pool->sleepers, 1);
            if (atomic_load(&pool->epoch) == seen) sleep_on(&pool->epoch, seen);
            atomic_fetch_sub(&pool->sleepers, 1);
            continue;
        }
        seen = epoch;
        work(pool, self->number);
    }
    return NULL;
}

apus_thread_pool *apus_thread_pool_create(intptr_t thread_count) {
    apus_thread_pool *pool = aligned_alloc(64, (sizeof(apus_thread_pool) + 63) / 64 * 64);
    if (!pool) return NULL;
    *pool = (apus_thread_pool){.worker_count = 0};
    pool->workers = calloc((size_t)(thread_count > 1 ? thread_count - 1 : 1), sizeof(struct worker));
    pool->shares = aligned_alloc(64, (size_t)thread_count * sizeof(share));
    if (!pool->workers || !pool->shares) {
        apus_thread_pool_destroy(pool);
        return NULL;
    }
    for (intptr_t number = 0; number < thread_count; number++)
        atomic_init(&pool->shares[number].claim, (uint64_t)CLOSED);
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    for (intptr_t number = 1; number < thread_count; number++) {
        struct worker *worker = &pool->workers[number - 1];
        *worker = (struct worker){.pool = pool, .number = number};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) break;
        pthread_setname_np(worker->thread, "apus-worker");
        pool->worker_count = number;
    }
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    if (pool->worker_count != thread_count - 1) {
        apus_thread_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void apus_thread_pool_destroy(apus_thread_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->stopping, 1);
    atomic_fetch_add(&pool->epoch, 1);
    wake_all(&pool->epoch);
    for (intptr_t index = 0; index < pool->worker_count; index++) pthread_join(pool->workers[index].thread, NULL);
    free(pool->workers);
    free(pool->shares);
    free(pool);
}

static void run_batch(
    apus_thread_pool *pool, uint32_t count, const void *context, apus_worker_function function,
    apus_work_span *spans) {
    atomic_store_explicit(&pool->count, count, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->function, function, memory_order_relaxed);
    atomic_store_explicit(&pool->spans, spans, memory_order_relaxed);
    atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
    const intptr_t thread_count = pool->worker_count + 1;
    const uint64_t job = (atomic_load_explicit(&pool->shares[0].claim, memory_order_relaxed) >> 32) + 1;
    for (intptr_t number = 0; number < thread_count; number++) {
        const uint64_t claim = job << 32 | share_start(count, number, thread_count);
        atomic_store_explicit(&pool->shares[number].claim, claim, memory_order_release);
    }
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleepers) > 0) wake_all(&pool->epoch);
    work(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->finished, memory_order_acquire) != count; spin++) {
        if (spin < WAIT_SPINS)
            RELAX();
        else
            sched_yield();
    }
    // Shares are closed before the next job writes its count, so that no worker compares this job's index with that
    // count.
    for (intptr_t number = 0; number < thread_count; number++)
        atomic_store_explicit(&pool->shares[number].claim, job << 32 | CLOSED, memory_order_release);
}

void apus_thread_pool_run(
    apus_thread_pool *pool, intptr_t count, const void *context, apus_worker_function function,
    apus_work_span *spans) {
    if (spans)
        for (intptr_t number = 0; number <= pool->worker_count; number++) spans[number].piece_count = 0;
    if (count <= 1 || count >= (intptr_t)CLOSED || pool->worker_count == 0) {
        if (spans) spans[0].start = now();
        for (intptr_t index = 0; index < count; index++) function(context, index, 0);
        if (spans) {
            spans[0].end = now();
            spans[0].piece_count = count;
        }
        return;
    }
    run_batch(pool, (uint32_t)count, context, function, spans);
}
