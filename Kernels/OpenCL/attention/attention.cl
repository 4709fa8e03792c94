// Attention whose scores stay in local memory and registers.
//
// output[b][h][i][c] = Σ over j of wⱼ · value[b][h][j][c], w = softmaxⱼ(scale · Σ over c of query[b][h][i][c] ·
// key[b][h][j][c] + bias[b % bias_images][h][i][j]). Strides are those of images b, heads h and rows; elements c of a
// row are adjacent. Those of the bias, and of its keys, are 0 where it is broadcast.
//
// A work-group holds TILE_Q queries of one head and walks over its keys and values, TILE_K at a time. For each query it
// keeps the maximum m of the scores so far, l = Σ e^(score − m), and o = Σ e^(score − m) · value. A tile with a larger
// maximum m' scales both by e^(m − m'). In the end output = o / l. What a query gives depends on no other, and on
// TILE_K but not on TILE_Q.
//
// Work-item (x, y) computes the scores of queries 4y to 4y + 3 and keys 4x to 4x + 3, and the values of these queries
// in CHUNKS vectors of 4 columns that lie 4 · ITEMS_X apart: 16 + 16 · CHUNKS registers for sums and 4 each for m and
// l. Queries and keys lie in local memory by columns, scores by keys; values take the place of keys. For 64 queries, 32
// keys and 64 columns these are 17,408 + 9,216 + 8,704 bytes, and 2,048 for the maxima of work-items.
//
// NDRange: [images · heads · ITEMS_X, ⌈rows / TILE_Q⌉ · ITEMS_Y], local size [ITEMS_X, ITEMS_Y, 1].
// Macros: TILE_Q and TILE_K, multiples of 4; SIZE and VALUE_SIZE, the columns of queries and of values; BIAS.
// Reference: https://arxiv.org/abs/2205.14135

#define ITEMS_X (TILE_K / 4)
#define ITEMS_Y (TILE_Q / 4)
#define THREADS (ITEMS_X * ITEMS_Y)
#define CHUNKS DIVIDE_UP(VALUE_SIZE, 4 * ITEMS_X)
#define QUERY_PITCH (TILE_Q + 4)
#define KEY_PITCH (TILE_K + 4)
#define VALUE_PITCH (4 * ITEMS_X * CHUNKS)
#define KEY_FLOATS (SIZE * KEY_PITCH > TILE_K * VALUE_PITCH ? SIZE * KEY_PITCH : TILE_K * VALUE_PITCH)
#define QUERIES 0
#define KEYS (SIZE * QUERY_PITCH)
#define SCORES (KEYS + KEY_FLOATS)
#define MAXIMA (SCORES + TILE_K * QUERY_PITCH)
#define LOCAL_FLOATS (MAXIMA + TILE_Q * ITEMS_X)

__kernel __attribute__((reqd_work_group_size(ITEMS_X, ITEMS_Y, 1))) void attention(
    __global const float *query, ulong query_position, __global const float *key, ulong key_position,
    __global const float *value, ulong value_position, __global const float *bias, ulong bias_position,
    __global float *output, ulong output_position, int heads, int rows, int keys, float scale, long query_image_stride,
    int query_head_stride, int query_row_stride, long key_image_stride, int key_head_stride, int key_row_stride,
    long value_image_stride, int value_head_stride, int value_row_stride, int bias_images, long bias_image_stride,
    int bias_head_stride, int bias_row_stride, int bias_key_stride, long output_image_stride, int output_head_stride,
    int output_row_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local float memory[LOCAL_FLOATS] __attribute__((aligned(128)));
    const int x = get_local_id(0), y = get_local_id(1), thread = y * ITEMS_X + x;
    const int head = get_group_id(0) % heads, first_row = get_group_id(1) * TILE_Q;
    const long image = get_group_id(0) / heads;
    query += query_position + image * query_image_stride + (long)head * query_head_stride;
    key += key_position + image * key_image_stride + (long)head * key_head_stride;
    value += value_position + image * value_image_stride + (long)head * value_head_stride;
#ifdef BIAS
    bias += bias_position + image % bias_images * bias_image_stride + (long)head * bias_head_stride;
#endif
    output += output_position + image * output_image_stride + (long)head * output_head_stride;
    for (int i = thread; i < TILE_Q * SIZE; i += THREADS) {
        const int row = i / SIZE, column = i % SIZE;
        memory[QUERIES + column * QUERY_PITCH + row] =
            first_row + row < rows ? query[(long)(first_row + row) * query_row_stride + column] : 0;
    }
    float4 sums[4][CHUNKS];
    float maxima[4], totals[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        maxima[i] = -INFINITY;
        totals[i] = 0;
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (float4)0;
    }
    for (int first = 0; first < keys; first += TILE_K) {
        for (int i = thread; i < TILE_K * SIZE; i += THREADS) {
            const int row = i / SIZE, column = i % SIZE;
            memory[KEYS + column * KEY_PITCH + row] =
                first + row < keys ? key[(long)(first + row) * key_row_stride + column] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float4 scores[4] = {(float4)0, (float4)0, (float4)0, (float4)0};
        for (int c = 0; c < SIZE; c++) {
            const float4 q = *(__local const float4 *)(memory + QUERIES + c * QUERY_PITCH + 4 * y);
            const float4 k = *(__local const float4 *)(memory + KEYS + c * KEY_PITCH + 4 * x);
            scores[0] = MULTIPLY_ADD((float4)q.s0, k, scores[0]);
            scores[1] = MULTIPLY_ADD((float4)q.s1, k, scores[1]);
            scores[2] = MULTIPLY_ADD((float4)q.s2, k, scores[2]);
            scores[3] = MULTIPLY_ADD((float4)q.s3, k, scores[3]);
        }
        float values[4][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            vstore4(scores[i] * scale, 0, values[i]);
            float largest = -INFINITY;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int row = first_row + 4 * y + i, column = first + 4 * x + j;
#ifdef BIAS
                if (row < rows && column < keys)
                    values[i][j] += bias[(long)row * bias_row_stride + (long)column * bias_key_stride];
#endif
                if (column >= keys) values[i][j] = -INFINITY;
                largest = fmax(largest, values[i][j]);
            }
            memory[MAXIMA + (4 * y + i) * ITEMS_X + x] = largest;
        }
        // All have read the keys, and written their maxima.
        barrier(CLK_LOCAL_MEM_FENCE);
        float factors[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float largest = maxima[i];
#pragma unroll
            for (int j = 0; j < ITEMS_X; j++) largest = fmax(largest, memory[MAXIMA + (4 * y + i) * ITEMS_X + j]);
            // Where every score so far is −∞, so are the sums 0.
            const float shift = largest == -INFINITY ? 0 : largest;
            factors[i] = exp(maxima[i] - shift);
            maxima[i] = largest;
            float total = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float weight = exp(values[i][j] - shift);
                memory[SCORES + (4 * x + j) * QUERY_PITCH + 4 * y + i] = weight;
                total += weight;
            }
            totals[i] = MULTIPLY_ADD(totals[i], factors[i], total);
        }
        for (int i = thread; i < TILE_K * VALUE_SIZE; i += THREADS) {
            const int row = i / VALUE_SIZE, column = i % VALUE_SIZE;
            memory[KEYS + row * VALUE_PITCH + column] =
                first + row < keys ? value[(long)(first + row) * value_row_stride + column] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) sums[i][j] *= factors[i];
        }
        for (int k = 0; k < TILE_K; k++) {
            const float4 weights = *(__local const float4 *)(memory + SCORES + k * QUERY_PITCH + 4 * y);
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) {
                const float4 v = *(__local const float4 *)(memory + KEYS + k * VALUE_PITCH + 4 * (j * ITEMS_X + x));
                sums[0][j] = MULTIPLY_ADD((float4)weights.s0, v, sums[0][j]);
                sums[1][j] = MULTIPLY_ADD((float4)weights.s1, v, sums[1][j]);
                sums[2][j] = MULTIPLY_ADD((float4)weights.s2, v, sums[2][j]);
                sums[3][j] = MULTIPLY_ADD((float4)weights.s3, v, sums[3][j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) memory[MAXIMA + (4 * y + i) * ITEMS_X + x] = totals[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = first_row + 4 * y + i;
        if (row >= rows) continue;
        float total = 0;
#pragma unroll
        for (int j = 0; j < ITEMS_X; j++) total += memory[MAXIMA + (4 * y + i) * ITEMS_X + j];
        __global float *to = output + (long)row * output_row_stride;
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) {
            const int column = 4 * (j * ITEMS_X + x);
            float results[4];
            vstore4(sums[i][j] / total, 0, results);
#pragma unroll
            for (int c = 0; c < 4; c++)
                if (column + c < VALUE_SIZE) to[column + c] = results[c];
        }
    }
}
