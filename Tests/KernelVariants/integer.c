#include "integer_convolution.h"

void test_integer(apus_instructions instructions, uint64_t seed) {
    if (seed % 16 == 3) return test_quantized_rows();
    if (seed % 16 == 11) return test_quantized_numbers();
    switch (seed % 4) {
    case 0: test_integer_product(instructions, seed / 4); break;
    case 1: test_integer_depthwise(instructions, seed / 4); break;
    case 2: test_integer_tiles(instructions, seed / 4); break;
    default: test_integer_sum(instructions); break;
    }
}
