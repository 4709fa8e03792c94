#include "../exponential.h"
#include "../target.h"
#include "apus_attention.h"

#include <math.h>
#include <string.h>

enum {
    /// The maximum floats of a block of scores, which keep it in the second-level cache, and its maximum queries.
    BLOCK_CAPACITY = 96 * 1024,
    MAXIMUM_QUERIES = 112,
    /// Floats of a cache line. Every part of the scratch memory, and every row of scores, starts on one.
    LINE = 16,
    /// Scores processed together: this many maxima and sums run side by side.
    CHAINS = 2 * LINE,
};

static ptrdiff_t rounded(ptrdiff_t count, ptrdiff_t step) { return (count + step - 1) / step * step; }

/// The queries of a block, a multiple of the register tile's rows.
static ptrdiff_t block_rows(const apus_gemm_kernel *kernel, ptrdiff_t key_count) {
    const ptrdiff_t fitting = BLOCK_CAPACITY / rounded(key_count, LINE);
    const ptrdiff_t queries = fitting < MAXIMUM_QUERIES ? fitting : MAXIMUM_QUERIES;
    const ptrdiff_t rows = queries / kernel->tile_rows * kernel->tile_rows;
    return rows < kernel->tile_rows ? kernel->tile_rows : rows;
}

/// The words of `count` adjacent elements.
static ptrdiff_t words_of(const apus_bfloat16_kernel *_Nullable rounding, ptrdiff_t count) {
    return rounding ? (count + 1) / 2 : count;
}

/// The parts of the scratch memory: panels of keys, panels of values, zeros for a bias, and a block of scores. Where
/// operands are rounded, also the rows of keys or of a block of queries as words.
typedef struct {
    float *keys, *values, *zeros, *scores, *rounded;
    ptrdiff_t score_stride, count;
} parts;

static parts divide(
    const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *_Nullable rounding, ptrdiff_t key_count,
    ptrdiff_t size, ptrdiff_t value_size, float *_Nullable scratch) {
    const ptrdiff_t keys = rounded(key_count, kernel->panel_columns) * words_of(rounding, size);
    const ptrdiff_t values = rounded(value_size, kernel->panel_columns) * words_of(rounding, key_count);
    const ptrdiff_t widest = key_count > value_size ? key_count : value_size;
    const ptrdiff_t key_floats = rounded(keys, LINE), value_floats = rounded(values, LINE);
    const ptrdiff_t zeros = rounded(widest, kernel->panel_columns > LINE ? kernel->panel_columns : LINE);
    const ptrdiff_t most = block_rows(kernel, key_count);
    parts it = {.score_stride = rounded(key_count, LINE)};
    const ptrdiff_t scores = most * it.score_stride;
    it.count = key_floats + value_floats + zeros + scores;
    if (rounding) {
        const ptrdiff_t operands = (key_count > most ? key_count : most) * words_of(rounding, size);
        it.count += operands > most * value_size ? operands : most * value_size;
    }
    if (!scratch) return it;
    it.keys = scratch;
    it.values = it.keys + key_floats;
    it.zeros = it.values + value_floats;
    it.scores = it.zeros + zeros;
    it.rounded = it.scores + scores;
    memset(it.zeros, 0, (size_t)zeros * sizeof(float));
    return it;
}

ptrdiff_t apus_attention_scratch_count(
    const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *rounding, ptrdiff_t key_count, ptrdiff_t size,
    ptrdiff_t value_size) {
    return rounded(divide(kernel, rounding, key_count, size, value_size, NULL).count, LINE);
}

/// x[i] = exp(y[i] − max y) with y[i] = scale · x[i] + bias[i], for `count` scores. Up to the next multiple of LINE, x
/// is overwritten with zeros.
///
/// - Returns: 1 ÷ Σ x[i].
__attribute__((always_inline)) static inline float weigh(
    float *x, const float *_Nullable bias, ptrdiff_t count, float scale) {
    const ptrdiff_t padded = rounded(count, LINE);
    float maxima[CHAINS], sums[CHAINS] = {0};
    for (int k = 0; k < CHAINS; k++) maxima[k] = -INFINITY;
    if (bias)
        for (ptrdiff_t i = 0; i < count; i++) x[i] = x[i] * scale + bias[i];
    else
        for (ptrdiff_t i = 0; i < count; i++) x[i] *= scale;
    for (ptrdiff_t i = count; i < padded; i++) x[i] = -INFINITY;
    ptrdiff_t i = 0;
    for (; i + CHAINS <= padded; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) maxima[k] = x[i + k] > maxima[k] ? x[i + k] : maxima[k];
    for (; i < padded; i += LINE)
        for (int k = 0; k < LINE; k++) maxima[k] = x[i + k] > maxima[k] ? x[i + k] : maxima[k];
    for (int width = CHAINS / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) maxima[k] = maxima[k + width] > maxima[k] ? maxima[k + width] : maxima[k];
    const float maximum = maxima[0];
    for (i = 0; i < padded; i += LINE)
        for (int k = 0; k < LINE; k++) x[i + k] = decay(x[i + k] - maximum);
    for (i = 0; i + CHAINS <= padded; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) sums[k] += x[i + k];
    for (; i < padded; i += LINE)
        for (int k = 0; k < LINE; k++) sums[k] += x[i + k];
    for (int width = CHAINS / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
    return 1 / sums[0];
}

APUS_KERNEL static void weigh_rows(
    const apus_attention_head *head, ptrdiff_t first, ptrdiff_t rows, float *scores, ptrdiff_t stride, float *factors) {
    for (ptrdiff_t row = 0; row < rows; row++)
        factors[row] = weigh(
            scores + row * stride, head->bias ? head->bias + (first + row) * head->bias_stride : NULL,
            head->key_count, head->scale);
}

APUS_KERNEL static void scale_rows(
    float *rows, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t size, const float *factors) {
    for (ptrdiff_t row = 0; row < count; row++)
        for (ptrdiff_t i = 0; i < size; i++) rows[row * stride + i] *= factors[row];
}

/// Packs a head's keys as the columns of a product, and its values as the rows.
static void pack_head(
    const apus_attention_head *head, const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *_Nullable rounding,
    const parts *it) {
    apus_gemm_factor keys = {
        .elements = head->key, .tap_count = 1, .channel_count = head->size, .column_count = head->key_count,
        .channel_stride = 1, .column_stride = head->key_stride};
    if (rounding) {
        keys.channel_count = words_of(rounding, head->size);
        keys.column_stride = head->key_stride / 2;
        if (!(head->in_bfloat16 & APUS_ATTENTION_KEY)) {
            rounding->round_rows(head->key, head->key_count, head->key_stride, head->size, it->rounded);
            keys.elements = it->rounded;
            keys.column_stride = keys.channel_count;
        }
    }
    apus_gemm_pack(&keys, kernel->panel_columns, it->keys);
    if (rounding) {
        if (head->in_bfloat16 & APUS_ATTENTION_VALUE)
            rounding->interleave_rows(
                (const uint16_t *)head->value, head->key_count, head->value_stride, head->value_size, it->values);
        else
            rounding->pack_rows(head->value, head->key_count, head->value_stride, head->value_size, it->values);
        return;
    }
    const apus_gemm_factor values = {
        .elements = head->value, .tap_count = 1, .channel_count = head->key_count, .column_count = head->value_size,
        .channel_stride = head->value_stride, .column_stride = 1};
    apus_gemm_pack(&values, kernel->panel_columns, it->values);
}

/// Points at rows, which are rounded to dense words at `words` first where there is a `rounding`. Row r of `words` may
/// not lie behind row r of `from`, but may be the same memory.
static void point(
    const float **rows, const float *from, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t length,
    const apus_bfloat16_kernel *_Nullable rounding, float *_Nullable words) {
    if (rounding) {
        rounding->round_rows(from, count, stride, length, words);
        from = words;
        stride = words_of(rounding, length);
    }
    for (ptrdiff_t row = 0; row < count; row++) rows[row] = from + row * stride;
}

void apus_attend(
    const apus_attention_head *head, const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *rounding,
    float *scratch) {
    if (rounding) kernel = rounding->product;
    const parts it = divide(kernel, rounding, head->key_count, head->size, head->value_size, scratch);
    pack_head(head, kernel, rounding, &it);
    const ptrdiff_t most = block_rows(kernel, head->key_count);
    for (ptrdiff_t first = 0; first < head->query_count; first += most) {
        const ptrdiff_t left = head->query_count - first, count = left < most ? left : most;
        const float *rows[MAXIMUM_QUERIES];
        float factors[MAXIMUM_QUERIES];
        if (head->in_bfloat16 & APUS_ATTENTION_QUERY)
            point(rows, head->query + first * (head->query_stride / 2), head->query_stride / 2, count, 0, NULL, NULL);
        else
            point(
                rows, head->query + first * head->query_stride, head->query_stride, count, head->size, rounding,
                it.rounded);
        const apus_gemm_block scores = {
            .rows = rows, .row_count = count, .segment_count = 1, .segment_length = words_of(rounding, head->size),
            .weights = it.keys, .bias = it.zeros, .column_count = head->key_count, .output = it.scores,
            .output_stride = it.score_stride};
        kernel->multiply(&scores);
        weigh_rows(head, first, count, it.scores, it.score_stride, factors);
        point(rows, it.scores, it.score_stride, count, head->key_count, rounding, it.scores);
        const int is_rounded = head->in_bfloat16 & APUS_ATTENTION_OUTPUT;
        float *output = is_rounded ? it.rounded : head->output + first * head->output_stride;
        const ptrdiff_t output_stride = is_rounded ? head->value_size : head->output_stride;
        const apus_gemm_block sums = {
            .rows = rows, .row_count = count, .segment_count = 1,
            .segment_length = words_of(rounding, head->key_count), .weights = it.values, .bias = it.zeros,
            .column_count = head->value_size, .output = output, .output_stride = output_stride};
        kernel->multiply(&sums);
        scale_rows(output, output_stride, count, head->value_size, factors);
        if (!is_rounded) continue;
        uint16_t *to = (uint16_t *)head->output + first * head->output_stride;
        for (ptrdiff_t row = 0; row < count; row++, to += head->output_stride)
            apus_bfloat16_round_row(rounding, output + row * output_stride, head->value_size, to);
    }
}
