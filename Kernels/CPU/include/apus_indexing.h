#ifndef APUS_INDEXING_H
#define APUS_INDEXING_H

#include <stddef.h>
#include <stdint.h>

enum { APUS_INDEXING_MAXIMUM_RANK = 8 };

/// Runs of adjacent elements of a tensor that indices name, one for each place. Strides and lengths are in elements.
///
/// The run of the place with the coordinates i₀, i₁ … begins at element
/// Σ iₐ · base_strides[a] + Σ n_c · coordinate_strides[c], where n_c is element Σ iₐ · index_strides[a] + c of the
/// indices. A negative n_c counts from the end of its axis, which has coordinate_extents[c] elements.
typedef struct {
    ptrdiff_t rank;
    ptrdiff_t extents[APUS_INDEXING_MAXIMUM_RANK];
    ptrdiff_t base_strides[APUS_INDEXING_MAXIMUM_RANK];
    ptrdiff_t index_strides[APUS_INDEXING_MAXIMUM_RANK];
    ptrdiff_t coordinate_count;
    ptrdiff_t coordinate_extents[APUS_INDEXING_MAXIMUM_RANK];
    ptrdiff_t coordinate_strides[APUS_INDEXING_MAXIMUM_RANK];
    ptrdiff_t run_length;
} apus_indexed_runs;

/// The indices of ``apus_indexed_runs``: int64 where `is_wide`, int32 otherwise.
typedef struct {
    const void *elements;
    int is_wide;
} apus_indices;

/// An index outside its axis.
typedef struct {
    int is_found;
    int64_t index;
    ptrdiff_t extent;
} apus_index_fault;

/// output = the runs of `tensor` for places [first, last), one after another. Ends at the first index outside its axis.
/// Elements have 1, 2, 4 or 8 bytes.
apus_index_fault apus_gather_runs(
    const apus_indexed_runs *runs, apus_indices indices, const void *tensor, ptrdiff_t element_byte_count,
    ptrdiff_t first, ptrdiff_t last, void *output);

/// How the new element is made from the old element and the update: the update, the larger or the smaller of both. The
/// larger and the smaller are NaN where one of the two is NaN.
typedef enum { APUS_SCATTER_REPLACE, APUS_SCATTER_MAX, APUS_SCATTER_MIN } apus_scatter_mode;

/// Writes the runs of `updates`, one after another, to the runs of `tensor` for all places, in their order. Ends at the
/// first index outside its axis. Modes other than APUS_SCATTER_REPLACE take float32.
apus_index_fault apus_scatter_runs(
    const apus_indexed_runs *runs, apus_indices indices, const void *updates, ptrdiff_t element_byte_count,
    apus_scatter_mode mode, void *tensor);

#endif
