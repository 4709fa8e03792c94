// Attention on tensor cores, after tensor.cl. Formula, arguments and strides are those of attention.cl.
//
// Each of WARPS warps holds 16 queries of one head in registers, as left fragments; the group walks over keys and
// values, TILE_K at a time, as words in local memory. Scores are sums of fragments, from which a lane makes the left
// fragments of the second product without moving them: of row g it has the scores of keys 2t and 2t + 1. With HALF
// these two are a word. Otherwise they are words t and t + 4, and the values of a fragment are read in this order, too.
//
// Rows in local memory are an odd multiple of four words, so that eight of them, 16 bytes of each, lie in all banks.
//
// NDRange: [images · heads · 32 · WARPS, ⌈rows / (16 · WARPS)⌉], local size [32 · WARPS, 1, 1].
// Macros: WARPS; TILE_K, a multiple of 16; SIZE and VALUE_SIZE, the columns of queries and of values; BIAS; HALF;
// VECTOR, 4 where the columns, positions and strides of queries, keys and values are multiples of 4, otherwise 1.
// Reference: https://arxiv.org/abs/2307.08691

#define THREADS (32 * WARPS)
#define QUERIES (16 * WARPS)
// Words along the depth of the scores: whole fragments of eight.
#define WORDS (DIVIDE_UP(SIZE, 8 * PACKED) * 8)
#define KEY_PITCH (WORDS + 4)
#define COLUMNS (DIVIDE_UP(VALUE_SIZE, 16) * 16)
#define VALUE_PITCH (COLUMNS / PACKED + 4)
#define SCORE_TILES (TILE_K / 8)
#define VALUE_TILES (COLUMNS / 8)
#define VALUES (TILE_K * KEY_PITCH)

// Four adjacent elements of a row of `size`; those beyond it are 0.
static inline float4 load_four(__global const float *row, int column, int size) {
#if VECTOR == 4
    return column < size ? *(__global const float4 *)(row + column) : (float4)0;
#else
    float4 four = (float4)0;
    if (column < size) four.s0 = row[column];
    if (column + 1 < size) four.s1 = row[column + 1];
    if (column + 2 < size) four.s2 = row[column + 2];
    if (column + 3 < size) four.s3 = row[column + 3];
    return four;
#endif
}

// Writes TILE_K rows of `columns` elements as words; rows beyond `count` and columns beyond `size` are 0.
static inline void load_rows(
    __local uint *to, int pitch, int columns, __global const float *from, int row_stride, int count, int size) {
    for (int i = get_local_id(0); i < TILE_K * (columns / 4); i += THREADS) {
        const int row = i / (columns / 4), column = i % (columns / 4) * 4;
        const float4 four = row < count ? load_four(from + (long)row * row_stride, column, size) : (float4)0;
        __local uint *place = to + row * pitch + column / PACKED;
#ifdef HALF
        place[0] = round_to_word(four.s0, four.s1);
        place[1] = round_to_word(four.s2, four.s3);
#else
        place[0] = round_to_word(four.s0, 0);
        place[1] = round_to_word(four.s1, 0);
        place[2] = round_to_word(four.s2, 0);
        place[3] = round_to_word(four.s3, 0);
#endif
    }
}

// The word of a query at a place of the depth.
static inline uint query_word(__global const float *row, int word, int is_inside) {
    const int column = word * PACKED;
    const float first = is_inside && column < SIZE ? row[column] : 0;
#ifdef HALF
    return round_to_word(first, is_inside && column + 1 < SIZE ? row[column + 1] : 0);
#else
    return round_to_word(first, 0);
#endif
}

// The greatest of the values that the four lanes of a row have, and their sum.
static inline float maximum_of_row(float value) {
    value = fmax(value, exchange(value, 1));
    return fmax(value, exchange(value, 2));
}

static inline float sum_of_row(float value) {
    value += exchange(value, 1);
    return value + exchange(value, 2);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void tensor_attention(
    __global const float *query, ulong query_position, __global const float *key, ulong key_position,
    __global const float *value, ulong value_position, __global const float *bias, ulong bias_position,
    __global float *output, ulong output_position, int heads, int rows, int keys, float scale, long query_image_stride,
    int query_head_stride, int query_row_stride, long key_image_stride, int key_head_stride, int key_row_stride,
    long value_image_stride, int value_head_stride, int value_row_stride, int bias_images, long bias_image_stride,
    int bias_head_stride, int bias_row_stride, int bias_key_stride, long output_image_stride, int output_head_stride,
    int output_row_stride) {
    __local uint memory[TILE_K * (KEY_PITCH + VALUE_PITCH)] __attribute__((aligned(128)));
    const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
    const int head = get_group_id(0) % heads;
    const int row = get_group_id(1) * QUERIES + get_local_id(0) / 32 * 16 + g;
    const long image = get_group_id(0) / heads;
    query += query_position + image * query_image_stride + (long)head * query_head_stride;
    key += key_position + image * key_image_stride + (long)head * key_head_stride;
    value += value_position + image * value_image_stride + (long)head * value_head_stride;
#ifdef BIAS
    bias += bias_position + image % bias_images * bias_image_stride + (long)head * bias_head_stride;
#endif
    output += output_position + image * output_image_stride + (long)head * output_head_stride;

    uint left[WORDS / 8][4];
#pragma unroll
    for (int k = 0; k < WORDS / 8; k++) {
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const int from = row + w % 2 * 8;
            left[k][w] = query_word(
                query + (long)from * query_row_stride, 8 * k + t + w / 2 * 4, from < rows);
        }
    }
    float sums[VALUE_TILES][4], maxima[2] = {-INFINITY, -INFINITY}, totals[2] = {0, 0};
#pragma unroll
    for (int n = 0; n < VALUE_TILES; n++) {
#pragma unroll
        for (int i = 0; i < 4; i++) sums[n][i] = 0;
    }
    // The row of its matrix whose address a lane gives.
    const uint keys_at = (uint)(size_t)memory + 4 * ((lane / 16 * 8 + lane % 8) * KEY_PITCH + lane / 8 % 2 * 4);
#ifdef HALF
    const uint values_at =
        (uint)(size_t)(memory + VALUES) + 4 * ((lane / 8 % 2 * 8 + lane % 8) * VALUE_PITCH + lane / 16 * 4);
#endif
    for (int first = 0; first < keys; first += TILE_K) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_rows(
            memory, KEY_PITCH, WORDS * PACKED, key + (long)first * key_row_stride, key_row_stride, keys - first, SIZE);
        load_rows(
            memory + VALUES, VALUE_PITCH, COLUMNS, value + (long)first * value_row_stride, value_row_stride,
            keys - first, VALUE_SIZE);
        barrier(CLK_LOCAL_MEM_FENCE);

        float scores[SCORE_TILES][4];
#pragma unroll
        for (int j = 0; j < SCORE_TILES; j += 2) {
#pragma unroll
            for (int i = 0; i < 4; i++) scores[j][i] = scores[j + 1][i] = 0;
#pragma unroll
            for (int k = 0; k < WORDS / 8; k++) {
                uint right[4];
                load_matrices(right, keys_at + 4 * (j * 8 * KEY_PITCH + 8 * k));
                multiply_fragments(scores[j], left[k], right);
                multiply_fragments(scores[j + 1], left[k], right + 2);
            }
        }
        float factors[2];
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float largest = -INFINITY;
#pragma unroll
            for (int j = 0; j < SCORE_TILES; j++) {
#pragma unroll
                for (int i = 2 * r; i < 2 * r + 2; i++) {
                    const int column = first + 8 * j + 2 * t + i % 2;
                    float score = scores[j][i] * scale;
#ifdef BIAS
                    const int of = row + 8 * r;
                    if (of < rows && column < keys)
                        score += bias[(long)of * bias_row_stride + (long)column * bias_key_stride];
#endif
                    scores[j][i] = column < keys ? score : -INFINITY;
                    largest = fmax(largest, scores[j][i]);
                }
            }
            largest = fmax(maxima[r], maximum_of_row(largest));
            // Where every score so far is −∞, so are the sums 0.
            const float shift = largest == -INFINITY ? 0 : largest * M_LOG2E_F;
            factors[r] = power_of_2(MULTIPLY_ADD(maxima[r], M_LOG2E_F, -shift));
            maxima[r] = largest;
            totals[r] *= factors[r];
#pragma unroll
            for (int j = 0; j < SCORE_TILES; j++) {
#pragma unroll
                for (int i = 2 * r; i < 2 * r + 2; i++) {
                    scores[j][i] = power_of_2(MULTIPLY_ADD(scores[j][i], M_LOG2E_F, -shift));
                    totals[r] += scores[j][i];
                }
            }
        }
#pragma unroll
        for (int n = 0; n < VALUE_TILES; n++) {
#pragma unroll
            for (int i = 0; i < 4; i++) sums[n][i] *= factors[i / 2];
        }
#pragma unroll
        for (int k = 0; k < TILE_K / (8 * PACKED); k++) {
#ifdef HALF
            const uint weights[4] = {
                round_to_word(scores[2 * k][0], scores[2 * k][1]), round_to_word(scores[2 * k][2], scores[2 * k][3]),
                round_to_word(scores[2 * k + 1][0], scores[2 * k + 1][1]),
                round_to_word(scores[2 * k + 1][2], scores[2 * k + 1][3])};
#pragma unroll
            for (int n = 0; n < VALUE_TILES; n += 2) {
                uint right[4];
                load_transposed_matrices(right, values_at + 4 * (k * 16 * VALUE_PITCH + n * 4));
                multiply_fragments(sums[n], weights, right);
                multiply_fragments(sums[n + 1], weights, right + 2);
            }
#else
            const uint weights[4] = {
                round_to_word(scores[k][0], 0), round_to_word(scores[k][2], 0), round_to_word(scores[k][1], 0),
                round_to_word(scores[k][3], 0)};
            __local const uint *from = memory + VALUES + (8 * k + 2 * t) * VALUE_PITCH + g;
#pragma unroll
            for (int n = 0; n < VALUE_TILES; n++) {
                const uint right[2] = {from[8 * n], from[VALUE_PITCH + 8 * n]};
                multiply_fragments(sums[n], weights, right);
            }
#endif
        }
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float total = sum_of_row(totals[r]);
        const int to = row + 8 * r;
        if (to >= rows) continue;
#pragma unroll
        for (int n = 0; n < VALUE_TILES; n++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int column = 8 * n + 2 * t + i;
                if (column < VALUE_SIZE) output[(long)to * output_row_stride + column] = sums[n][2 * r + i] / total;
            }
        }
    }
}
