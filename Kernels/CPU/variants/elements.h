#ifndef APUS_ELEMENTS_H
#define APUS_ELEMENTS_H

// The elements of the values that a family of kernels reads and writes, while it computes in float32. Needs a variant
// header before it, and optionally APUS_ELEMENTS_ARE_BFLOAT16 as 1, where these values are bfloat16 and the variant
// loads and stores them.

#include "vector.h"

#ifndef APUS_ELEMENTS_ARE_BFLOAT16
#define APUS_ELEMENTS_ARE_BFLOAT16 0
#endif

#if APUS_ELEMENTS_ARE_BFLOAT16
typedef uint16_t element;

APUS_INLINE vector load_elements(const element *from) { return load_bfloat16(from); }

APUS_INLINE void store_elements(element *to, vector x) { store_bfloat16(to, x); }

APUS_INLINE vector load_first_elements(const element *from, ptrdiff_t count) {
    return load_first_bfloat16(from, count);
}

APUS_INLINE void store_first_elements(element *to, vector x, ptrdiff_t count) { store_first_bfloat16(to, x, count); }
#else
typedef float element;

APUS_INLINE vector load_elements(const element *from) { return load(from); }

APUS_INLINE void store_elements(element *to, vector x) { store(to, x); }

APUS_INLINE vector load_first_elements(const element *from, ptrdiff_t count) { return load_first(from, count); }

APUS_INLINE void store_first_elements(element *to, vector x, ptrdiff_t count) { store_first(to, x, count); }
#endif

#endif
