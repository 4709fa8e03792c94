// Products of rows with weights of 4 bits, which are widened in registers.
//
// output[m][n] = activation(Σ over k of input[m][k] · (weights[k][n] · scales[g][n] + offsets[g][n]) + bias[n] +
// addend[m][n]), g = k / (8 · group_words).
//
// Word w of a column holds the weights of k from 8 · w on, the first in its lowest bits: words [DIVIDE_UP(depth, 8)]
// [pitch]. Then scales [groups][pitch] and offsets likewise. Input, addend and output are dense.
//
// A work-item computes ROWS rows of COLUMNS columns, COLUMN_ITEMS apart, from every DEPTH_ITEMS-th run of ITEM_WORDS
// words. The rows of the input pass through local memory, from which all work-items read the same numbers; each weight
// is read once by a group. At last the sums of a group's DEPTH_ITEMS parts are added, in ascending order.
//
// NDRange: [columns / COLUMNS rounded up to COLUMN_ITEMS, DEPTH_ITEMS, rows / ROWS rounded up], local size
// [COLUMN_ITEMS, DEPTH_ITEMS, 1].
// Macros: ROWS; COLUMNS; COLUMN_ITEMS; DEPTH_ITEMS; ITEM_WORDS; ACTIVATION.

#define THREADS (COLUMN_ITEMS * DEPTH_ITEMS)
#define PIECE_WORDS (DEPTH_ITEMS * ITEM_WORDS)
#define PIECE (8 * PIECE_WORDS)
#define INPUT_COUNT (ROWS * PIECE)
#define SUM_COUNT (DEPTH_ITEMS * ROWS * COLUMN_ITEMS)

__kernel __attribute__((reqd_work_group_size(COLUMN_ITEMS, DEPTH_ITEMS, 1))) void nibble_product(
    __global const float *input, ulong input_position, __global const uint *weights, ulong weights_position,
    __global const float *scales, ulong scales_position, __global const float *bias, ulong bias_position,
    __global const float *addend, ulong addend_position, __global float *output, ulong output_position, int rows,
    int columns, int depth, int pitch, int group_words, int groups, int has_addend, float low, float high) {
    __local float memory[INPUT_COUNT > SUM_COUNT ? INPUT_COUNT : SUM_COUNT] __attribute__((aligned(16)));
    const int x = get_local_id(0), part = get_local_id(1), thread = part * COLUMN_ITEMS + x;
    const int first_row = get_group_id(2) * ROWS, first_column = get_group_id(0) * COLUMN_ITEMS * COLUMNS;
    const int words = DIVIDE_UP(depth, 8);
    input += input_position + (long)first_row * depth;
    weights += weights_position + first_column + x;
    scales += scales_position + first_column + x;
    // Columns beyond the last are padding, and those beyond that are not read.
    int is_read[COLUMNS];
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) is_read[j] = first_column + x + j * COLUMN_ITEMS < pitch;
    float sums[ROWS][COLUMNS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) sums[r][j] = 0;
    }
    for (int first_word = 0; first_word < words; first_word += PIECE_WORDS) {
        for (int i = thread; i < INPUT_COUNT; i += THREADS) {
            const int row = i / PIECE, k = 8 * first_word + i % PIECE;
            memory[i] = first_row + row < rows && k < depth ? input[(long)row * depth + k] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int w = 0; w < ITEM_WORDS; w++) {
            const int place = part * ITEM_WORDS + w, word = first_word + place;
            if (word >= words) break;
            float numbers[COLUMNS][8];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                uint bits = 0;
                float scale = 0, offset = 0;
                if (is_read[j]) {
                    bits = weights[(size_t)word * pitch + j * COLUMN_ITEMS];
                    __global const float *group = scales + (size_t)(word / group_words) * pitch + j * COLUMN_ITEMS;
                    scale = group[0];
                    offset = group[(size_t)groups * pitch];
                }
#pragma unroll
                for (int k = 0; k < 8; k++) numbers[j][k] = MULTIPLY_ADD((float)(bits >> 4 * k & 15), scale, offset);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                float elements[8];
                vstore4(*(__local const float4 *)(memory + r * PIECE + 8 * place), 0, elements);
                vstore4(*(__local const float4 *)(memory + r * PIECE + 8 * place + 4), 1, elements);
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                    for (int k = 0; k < 8; k++)
                        sums[r][j] = MULTIPLY_ADD(elements[k], numbers[j][k], sums[r][j]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) memory[(part * ROWS + r) * COLUMN_ITEMS + x] = sums[r][j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = thread; i < ROWS * COLUMN_ITEMS; i += THREADS) {
            const int row = first_row + i / COLUMN_ITEMS;
            const int column = first_column + j * COLUMN_ITEMS + i % COLUMN_ITEMS;
            if (row >= rows || column >= columns) continue;
            float sum = memory[i];
            for (int other = 1; other < DEPTH_ITEMS; other++) sum += memory[other * ROWS * COLUMN_ITEMS + i];
            sum += bias[bias_position + column];
            const long place = (long)row * columns + column;
            if (has_addend) sum += addend[addend_position + place];
            output[output_position + place] = activate1(sum, ACTIVATION, low, high);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
