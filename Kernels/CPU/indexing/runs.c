#include "apus_indexing.h"

#include <math.h>
#include <string.h>

/// The number of places that are located at a time.
enum { BLOCK = 256 };

static int64_t index_at(apus_indices indices, ptrdiff_t place) {
    return indices.is_wide ? ((const int64_t *)indices.elements)[place] : ((const int32_t *)indices.elements)[place];
}

/// Writes the starts of the runs of places [first, first + count), and returns their number, which is less than `count`
/// after an index outside its axis.
static ptrdiff_t locate(
    const apus_indexed_runs *runs, apus_indices indices, ptrdiff_t first, ptrdiff_t count, ptrdiff_t *starts,
    apus_index_fault *fault) {
    const ptrdiff_t inner = runs->rank - 1;
    const ptrdiff_t base_step = runs->base_strides[inner], index_step = runs->index_strides[inner];
    ptrdiff_t done = 0;
    while (done < count) {
        ptrdiff_t base = 0, place = 0, rest = first + done;
        const ptrdiff_t column = rest % runs->extents[inner];
        for (ptrdiff_t axis = inner; axis >= 0; axis--) {
            const ptrdiff_t coordinate = rest % runs->extents[axis];
            rest /= runs->extents[axis];
            base += coordinate * runs->base_strides[axis];
            place += coordinate * runs->index_strides[axis];
        }
        const ptrdiff_t left = runs->extents[inner] - column;
        const ptrdiff_t row_count = left < count - done ? left : count - done;
        for (ptrdiff_t i = 0; i < row_count; i++, base += base_step, place += index_step, done++) {
            ptrdiff_t start = base;
            for (ptrdiff_t c = 0; c < runs->coordinate_count; c++) {
                const ptrdiff_t extent = runs->coordinate_extents[c];
                int64_t index = index_at(indices, place + c);
                if (index < -(int64_t)extent || index >= extent) {
                    *fault = (apus_index_fault){1, index, extent};
                    return done;
                }
                if (index < 0) index += extent;
                start += (ptrdiff_t)index * runs->coordinate_strides[c];
            }
            starts[done] = start;
        }
    }
    return done;
}

#define GATHER(type)                                                                                          \
    for (ptrdiff_t i = 0; i < count; i++) ((type *)output)[place - first + i] = ((const type *)tensor)[starts[i]]; \
    break

apus_index_fault apus_gather_runs(
    const apus_indexed_runs *runs, apus_indices indices, const void *tensor, ptrdiff_t element_byte_count,
    ptrdiff_t first, ptrdiff_t last, void *output) {
    apus_index_fault fault = {0, 0, 0};
    ptrdiff_t starts[BLOCK];
    const ptrdiff_t run_byte_count = runs->run_length * element_byte_count;
    for (ptrdiff_t place = first; place < last && !fault.is_found; place += BLOCK) {
        const ptrdiff_t wanted = last - place < BLOCK ? last - place : BLOCK;
        const ptrdiff_t count = locate(runs, indices, place, wanted, starts, &fault);
        switch (runs->run_length == 1 ? element_byte_count : 0) {
        case 1: GATHER(uint8_t);
        case 2: GATHER(uint16_t);
        case 4: GATHER(uint32_t);
        case 8: GATHER(uint64_t);
        default:
            for (ptrdiff_t i = 0; i < count; i++)
                memcpy(
                    (char *)output + (place - first + i) * run_byte_count,
                    (const char *)tensor + starts[i] * element_byte_count, (size_t)run_byte_count);
        }
    }
    return fault;
}

static float combined(apus_scatter_mode mode, float old, float update) {
    if (isnan(old)) return old;
    return (mode == APUS_SCATTER_MAX ? old > update : old < update) ? old : update;
}

apus_index_fault apus_scatter_runs(
    const apus_indexed_runs *runs, apus_indices indices, const void *updates, ptrdiff_t element_byte_count,
    apus_scatter_mode mode, void *tensor) {
    apus_index_fault fault = {0, 0, 0};
    ptrdiff_t starts[BLOCK];
    ptrdiff_t total = 1;
    for (ptrdiff_t axis = 0; axis < runs->rank; axis++) total *= runs->extents[axis];
    const ptrdiff_t run_byte_count = runs->run_length * element_byte_count;
    for (ptrdiff_t place = 0; place < total && !fault.is_found; place += BLOCK) {
        const ptrdiff_t wanted = total - place < BLOCK ? total - place : BLOCK;
        const ptrdiff_t count = locate(runs, indices, place, wanted, starts, &fault);
        for (ptrdiff_t i = 0; i < count; i++) {
            if (mode == APUS_SCATTER_REPLACE) {
                memcpy(
                    (char *)tensor + starts[i] * element_byte_count,
                    (const char *)updates + (place + i) * run_byte_count, (size_t)run_byte_count);
                continue;
            }
            const float *update = (const float *)updates + (place + i) * runs->run_length;
            float *run = (float *)tensor + starts[i];
            for (ptrdiff_t j = 0; j < runs->run_length; j++) run[j] = combined(mode, run[j], update[j]);
        }
    }
    return fault;
}
