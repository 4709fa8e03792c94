#include "../instruction_sets.h"
#include "apus_nibbles.h"

extern const apus_nibble_kernel apus_nibble_avx2;
extern const apus_nibble_kernel apus_nibble_avx512;
extern const apus_nibble_kernel apus_nibble_neon;

const apus_nibble_kernel *apus_nibble_kernel_for(apus_instructions instructions) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_nibble_baseline, &apus_nibble_avx2, &apus_nibble_avx512, &apus_nibble_neon);
}

void apus_pack_nibbles(
    const uint8_t *columns, ptrdiff_t column_stride, ptrdiff_t column_count, ptrdiff_t depth, ptrdiff_t panel_columns,
    uint32_t *panels) {
    enum { BYTES_OF_A_WORD = APUS_NIBBLES_OF_A_WORD / 2 };
    const ptrdiff_t words = apus_nibble_words(depth), byte_count = (depth + 1) / 2;
    for (ptrdiff_t first = 0; first < column_count; first += panel_columns, panels += words * panel_columns) {
        for (ptrdiff_t place = 0; place < panel_columns; place++) {
            const ptrdiff_t column = first + place;
            for (ptrdiff_t word = 0; word < words; word++) {
                uint32_t bits = 0;
                for (ptrdiff_t i = 0; i < BYTES_OF_A_WORD && column < column_count; i++) {
                    const ptrdiff_t byte = word * BYTES_OF_A_WORD + i;
                    if (byte < byte_count) bits |= (uint32_t)columns[column * column_stride + byte] << (8 * i);
                }
                panels[word * panel_columns + place] = bits;
            }
        }
    }
}
