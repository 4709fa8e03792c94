#include "apus_search.h"

#include <string.h>

/// A number that is smaller the better an element is, and of equal elements the earlier: the element's order above its
/// position.
static inline uint64_t rank_of(float x, ptrdiff_t position, int is_largest) {
    // −0 becomes 0, which is equal to it.
    const float element = x + 0.0f;
    uint32_t bits;
    memcpy(&bits, &element, sizeof bits);
    // Negative numbers have larger bits the smaller they are.
    const uint32_t order = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    const uint32_t key = x != x ? UINT32_MAX : is_largest ? ~order : order;
    return (uint64_t)key << 32 | (uint32_t)position;
}

/// Moves the number at `parent` of a heap down to its place; the largest number is the first.
static void sift_down(uint64_t *heap, ptrdiff_t count, ptrdiff_t parent) {
    const uint64_t moved = heap[parent];
    for (ptrdiff_t child = 2 * parent + 1; child < count; child = 2 * parent + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= moved) break;
        heap[parent] = heap[child];
        parent = child;
    }
    heap[parent] = moved;
}

void apus_find_top(
    int is_largest, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t k, uint64_t *scratch,
    float *values, int64_t *positions, ptrdiff_t result_stride) {
    if (k == 0) return;
    for (ptrdiff_t i = 0; i < k; i++) scratch[i] = rank_of(input[i * stride], i, is_largest);
    for (ptrdiff_t i = k / 2; i > 0; i--) sift_down(scratch, k, i - 1);
    for (ptrdiff_t i = k; i < length; i++) {
        const uint64_t rank = rank_of(input[i * stride], i, is_largest);
        if (rank >= scratch[0]) continue;
        scratch[0] = rank;
        sift_down(scratch, k, 0);
    }
    for (ptrdiff_t count = k; count > 0; count--) {
        const ptrdiff_t position = (uint32_t)scratch[0];
        values[(count - 1) * result_stride] = input[position * stride];
        positions[(count - 1) * result_stride] = position;
        scratch[0] = scratch[count - 1];
        sift_down(scratch, count - 1, 0);
    }
}
