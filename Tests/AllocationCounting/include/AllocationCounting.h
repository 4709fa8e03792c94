#ifndef APUS_ALLOCATION_COUNTING_H
#define APUS_ALLOCATION_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How many blocks of memory, and how many bytes, some threads took from the heap.
///
/// This target replaces the C library's allocation functions in the program that it is linked into; everything in the
/// process passes through them, and they pass every call on.
typedef struct apus_allocation_count apus_allocation_count;

/// Whether allocations are counted: not where a sanitizer has replaced the functions itself.
bool apus_allocations_are_counted(void);

/// Makes a count of 0 that no thread is attached to.
apus_allocation_count *_Nonnull apus_allocation_count_create(void);

/// Frees a count that no thread is attached to any more.
void apus_allocation_count_destroy(apus_allocation_count *_Nonnull count);

/// From now on the calling thread's allocations are added to `count`, or to none when it is NULL.
void apus_allocation_count_attach(apus_allocation_count *_Nullable count);

/// How many blocks the attached threads took: malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign.
intptr_t apus_allocation_count_taken(const apus_allocation_count *_Nonnull count);

/// How many blocks the attached threads freed.
intptr_t apus_allocation_count_freed(const apus_allocation_count *_Nonnull count);

/// The size in bytes of the first block counted; 0 when there is none.
size_t apus_allocation_count_first_size(const apus_allocation_count *_Nonnull count);

/// The bytes of the blocks that the attached threads took, less those that they freed.
intptr_t apus_allocation_count_held(const apus_allocation_count *_Nonnull count);

/// The most bytes held at any time.
intptr_t apus_allocation_count_most_held(const apus_allocation_count *_Nonnull count);

#endif
