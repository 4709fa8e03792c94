#include "AllocationCounting.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

// Additional names under which the C library exports its own functions.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

struct apus_allocation_count {
    _Atomic intptr_t taken;
    _Atomic intptr_t freed;
    _Atomic size_t first_size;
    _Atomic intptr_t held;
    _Atomic intptr_t peak_held;
};

static _Thread_local apus_allocation_count *attached;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#ifndef IS_SANITIZED
bool apus_allocations_are_counted(void) { return true; }

static void count_held(intptr_t difference) {
    const intptr_t held = atomic_fetch_add(&attached->held, difference) + difference;
    intptr_t most = atomic_load(&attached->peak_held);
    while (held > most && !atomic_compare_exchange_weak(&attached->peak_held, &most, held)) {}
}

/// Counts a block that was requested with `size` bytes, and returns it.
static void *count_taken(void *block, size_t size) {
    if (!attached) return block;
    size_t none = 0;
    atomic_compare_exchange_strong(&attached->first_size, &none, size);
    atomic_fetch_add(&attached->taken, 1);
    if (block) count_held((intptr_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t size) {
    return count_taken(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size) {
    return count_taken(__libc_calloc(count, size), count * size);
}

void *realloc(void *block, size_t size) {
    const intptr_t before = attached && block ? (intptr_t)malloc_usable_size(block) : 0;
    void *const result = __libc_realloc(block, size);
    if (result && before) count_held(-before);
    return count_taken(result, size);
}

void *memalign(size_t alignment, size_t size) {
    return count_taken(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return count_taken(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    const int before = errno;
    void *const result = count_taken(__libc_memalign(alignment, size), size);
    errno = before;
    if (!result) return ENOMEM;
    *block = result;
    return 0;
}

void free(void *block) {
    if (attached && block) {
        atomic_fetch_add(&attached->freed, 1);
        count_held(-(intptr_t)malloc_usable_size(block));
    }
    __libc_free(block);
}

#else
// A sanitizer replaces the allocation functions by its own.
bool apus_allocations_are_counted(void) { return false; }
#endif

apus_allocation_count *apus_allocation_count_create(void) {
    return __libc_calloc(1, sizeof(apus_allocation_count));
}

void apus_allocation_count_destroy(apus_allocation_count *count) { __libc_free(count); }

void apus_allocation_count_attach(apus_allocation_count *count) { attached = count; }

intptr_t apus_allocation_count_taken(const apus_allocation_count *count) { return atomic_load(&count->taken); }

intptr_t apus_allocation_count_freed(const apus_allocation_count *count) { return atomic_load(&count->freed); }

size_t apus_allocation_count_first_size(const apus_allocation_count *count) {
    return atomic_load(&count->first_size);
}

intptr_t apus_allocation_count_held(const apus_allocation_count *count) { return atomic_load(&count->held); }

intptr_t apus_allocation_count_peak_held(const apus_allocation_count *count) { return atomic_load(&count->peak_held); }
