// Checks that tensor cores work as tensor.cl says: multiplies two small matrices of whole numbers, which rounding does
// not change.
//
// output[m][n] = Σ over k < 8 · PACKED of (3 · m + k % 5 − 7) · (2 · k − 3 · n + 1), 16 × 8.
// NDRange: [32], local size [32]. Macros: HALF.

static inline float probe_left(int row, int depth) { return 3 * row + depth % 5 - 7; }

static inline float probe_right(int depth, int column) { return 2 * depth - 3 * column + 1; }

static inline uint probe_left_word(int row, int word) {
    return round_to_word(probe_left(row, word * PACKED), probe_left(row, word * PACKED + 1));
}

static inline uint probe_right_word(int word, int column) {
    return round_to_word(probe_right(word * PACKED, column), probe_right(word * PACKED + 1, column));
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void tensor_probe(
    __global float *output, ulong output_position) {
    const int lane = get_local_id(0), g = lane / 4, t = lane % 4;
    const uint a[4] = {
        probe_left_word(g, t), probe_left_word(g + 8, t), probe_left_word(g, t + 4), probe_left_word(g + 8, t + 4)};
    const uint b[2] = {probe_right_word(t, g), probe_right_word(t + 4, g)};
    float c[4] = {0, 0, 0, 0};
    multiply_fragments(c, a, b);
    output += output_position;
    output[g * 8 + 2 * t] = c[0];
    output[g * 8 + 2 * t + 1] = c[1];
    output[(g + 8) * 8 + 2 * t] = c[2];
    output[(g + 8) * 8 + 2 * t + 1] = c[3];
}
