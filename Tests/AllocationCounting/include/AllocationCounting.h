#ifndef APUS_ALLOCATION_COUNTING_H
#define APUS_ALLOCATION_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A count of the blocks and bytes that some threads took from the heap.
///
/// This target replaces the C library's allocation functions in the program into which it is linked. They count the
/// calls of the whole process, and pass every call on.
typedef struct apus_allocation_count apus_allocation_count;

/// Whether allocations are counted; a sanitizer that replaces the functions itself prevents that.
bool apus_allocations_are_counted(void);

/// Makes a count of 0 without attached threads.
apus_allocation_count *_Nonnull apus_allocation_count_create(void);

/// Frees a count; no thread may be attached to it.
void apus_allocation_count_destroy(apus_allocation_count *_Nonnull count);

/// Attaches the calling thread: its later allocations are added to `count`, or to no count when it is NULL.
void apus_allocation_count_attach(apus_allocation_count *_Nullable count);

/// The number of blocks that the attached threads took: malloc, calloc, realloc, posix_memalign, aligned_alloc,
/// memalign.
intptr_t apus_allocation_count_taken(const apus_allocation_count *_Nonnull count);

/// The number of blocks that the attached threads freed.
intptr_t apus_allocation_count_freed(const apus_allocation_count *_Nonnull count);

/// The size in bytes of the first block counted; 0 when there is none.
size_t apus_allocation_count_first_size(const apus_allocation_count *_Nonnull count);

/// The bytes of the blocks that the attached threads took, minus those that they freed.
intptr_t apus_allocation_count_held(const apus_allocation_count *_Nonnull count);

/// The maximum bytes held at any time.
intptr_t apus_allocation_count_peak_held(const apus_allocation_count *_Nonnull count);

#endif
