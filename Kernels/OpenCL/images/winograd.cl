// Winograd's minimal filtering F(m, r) over channels-last images: m outputs of r taps along an axis by m + r − 1
// products.
//
// A tile of outputs is Y = Aᵀ[Σ over channels of (G g Gᵗ) ⊙ (Bᵗ d B)]A. `transform_input` writes Bᵗ d B, gemm.cl
// multiplies the stack of products with G g Gᵗ, `transform_output` reads the sums. The matrices are those of Toom and
// Cook for the points 0, ±p₀, ±p₁, …, ∞. Lavin and Gray, https://arxiv.org/abs/1509.09308.
//
// Tiles are numbered image by image, row by row; products [y][x] of a tile likewise. Strides are in elements. To
// convolve down columns with a filter of one row, exchange rows and pixels.
// Macros: ROW_PAIRS, COLUMN_PAIRS, the pairs of points ±p of each axis: 0 (not transformed, m = r = 1), 1 (p = 1), 2
// (5/8, 8/5) or 3 (1/2, 1, 2), with 2 · pairs + 2 = m + r − 1; ROW_OUTPUTS, COLUMN_OUTPUTS, m of each axis; VECTOR, 1,
// 2 or 4.

#define INPUTS_OF(pairs) ((pairs) ? 2 * (pairs) + 2 : 1)
#define HEIGHT INPUTS_OF(ROW_PAIRS)
#define WIDTH INPUTS_OF(COLUMN_PAIRS)
#define MAXIMUM_INPUTS 8

// to = Bᵀ from. The rows of Bᵀ are coefficients of the powers of x: row 0 is Π (x² − p_l²), row ±pᵢ is x (x ± pᵢ)
// Π_{l ≠ i} (x² − p_l²), the last row is x Π (x² − p_l²).
static inline void transform_inputs(int pairs, const vector *from, vector *to) {
    if (pairs == 0) {
        to[0] = from[0];
    } else if (pairs == 1) {
        to[0] = from[2] - from[0];
        to[1] = from[2] + from[1];
        to[2] = from[2] - from[1];
        to[3] = from[3] - from[1];
    } else if (pairs == 2) {
        to[0] = from[4] - 2.950625f * from[2] + from[0];
        to[5] = from[5] - 2.950625f * from[3] + from[1];
        const vector even0 = from[4] - 2.56f * from[2], odd0 = 0.625f * (from[3] - 2.56f * from[1]);
        const vector even1 = from[4] - 0.390625f * from[2], odd1 = 1.6f * (from[3] - 0.390625f * from[1]);
        to[1] = even0 + odd0;
        to[2] = even0 - odd0;
        to[3] = even1 + odd1;
        to[4] = even1 - odd1;
    } else {
        to[0] = from[6] - 5.25f * from[4] + 5.25f * from[2] - from[0];
        to[7] = from[7] - 5.25f * from[5] + 5.25f * from[3] - from[1];
        const vector even0 = from[6] - 5 * from[4] + 4 * from[2], odd0 = from[5] - 5 * from[3] + 4 * from[1];
        const vector even1 = from[6] - 4.25f * from[4] + from[2], odd1 = from[5] - 4.25f * from[3] + from[1];
        const vector even2 = from[6] - 1.25f * from[4] + 0.25f * from[2];
        const vector odd2 = from[5] - 1.25f * from[3] + 0.25f * from[1];
        to[1] = even0 + 0.5f * odd0;
        to[2] = even0 - 0.5f * odd0;
        to[3] = even1 + odd1;
        to[4] = even1 - odd1;
        to[5] = even2 + 2 * odd2;
        to[6] = even2 - 2 * odd2;
    }
}

static inline float point(int pairs, int index) {
    if (pairs == 2) return index == 0 ? 0.625f : 1.6f;
    if (pairs == 3) return index == 0 ? 0.5f : index == 1 ? 1.0f : 2.0f;
    return 1.0f;
}

// to = Aᵀ from: output k is Σ pᵏ · from over the points p; the last output also takes the product of the point ∞.
static inline void transform_outputs(int pairs, int outputs, const vector *from, vector *to) {
    if (pairs == 0) {
        to[0] = from[0];
        return;
    }
    float power[3] = {1, 1, 1};
#pragma unroll
    for (int k = 0; k < outputs; k++) {
        vector output = k == 0 ? from[0] : k == outputs - 1 ? from[2 * pairs + 1] : (vector)0;
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            const vector both = k % 2 ? from[2 * i + 1] - from[2 * i + 2] : from[2 * i + 1] + from[2 * i + 2];
            output += power[i] * both;
            power[i] *= point(pairs, i);
        }
        to[k] = output;
    }
}

// products[y · WIDTH + x][tile][channel] = (Bᵗ d B)[y][x], where d begins at row ty · ROW_OUTPUTS − padding_top and
// pixel tx · COLUMN_OUTPUTS − padding_left of the input, 0 outside the image.
//
// Products lie product_stride apart and have dense rows of `product_columns`.
// NDRange: [channels / VECTOR, tiles], rounded up. VECTOR divides channels, strides and positions.
__kernel void transform_input(
    __global const float *input, ulong input_position, __global float *products, ulong products_position, int tiles,
    int tiles_down, int tiles_across, int channels, int input_height, int input_width, long input_image_stride,
    int input_row_stride, int input_pixel_stride, int padding_top, int padding_left, long product_stride,
    int product_columns) {
    const int channel = get_global_id(0) * VECTOR, tile = get_global_id(1);
    if (channel >= channels || tile >= tiles) return;
    const int image = tile / (tiles_down * tiles_across), place = tile % (tiles_down * tiles_across);
    const int top = place / tiles_across * ROW_OUTPUTS - padding_top;
    const int left = place % tiles_across * COLUMN_OUTPUTS - padding_left;
    input += input_position + image * input_image_stride + channel;
    products += products_position + (size_t)tile * product_columns + channel;
    vector half_way[HEIGHT][WIDTH];
#pragma unroll
    for (int x = 0; x < WIDTH; x++) {
        vector from[MAXIMUM_INPUTS], to[MAXIMUM_INPUTS];
        const int is_across = (uint)(left + x) < (uint)input_width;
#pragma unroll
        for (int y = 0; y < HEIGHT; y++) {
            const int is_inside = is_across && (uint)(top + y) < (uint)input_height;
            from[y] = is_inside
                          ? LOAD(input + (long)(top + y) * input_row_stride + (long)(left + x) * input_pixel_stride)
                          : (vector)0;
        }
        transform_inputs(ROW_PAIRS, from, to);
#pragma unroll
        for (int y = 0; y < HEIGHT; y++) half_way[y][x] = to[y];
    }
#pragma unroll
    for (int y = 0; y < HEIGHT; y++) {
        vector to[MAXIMUM_INPUTS];
        transform_inputs(COLUMN_PAIRS, half_way[y], to);
#pragma unroll
        for (int x = 0; x < WIDTH; x++) STORE(to[x], products + (y * WIDTH + x) * product_stride);
    }
}

// output[n][ty · ROW_OUTPUTS + y][tx · COLUMN_OUTPUTS + x][c] = activation((Aᵗ sums A)[y][x] + bias[c] + addend[…]).
//
// Sums lie as products do. NDRange: [channels / VECTOR, tiles], rounded up. VECTOR divides channels, strides and
// positions.
__kernel void transform_output(
    __global const float *products, ulong products_position, __global const float *bias, ulong bias_position,
    __global const float *addend, ulong addend_position, __global float *output, ulong output_position, int tiles,
    int tiles_down, int tiles_across, int channels, long product_stride, int product_columns, int output_height,
    int output_width, long output_image_stride, int output_row_stride, int output_pixel_stride, int has_addend,
    long addend_image_stride, int addend_row_stride, int addend_pixel_stride, int activation, float low, float high) {
    const int channel = get_global_id(0) * VECTOR, tile = get_global_id(1);
    if (channel >= channels || tile >= tiles) return;
    const int image = tile / (tiles_down * tiles_across), place = tile % (tiles_down * tiles_across);
    const int top = place / tiles_across * ROW_OUTPUTS, left = place % tiles_across * COLUMN_OUTPUTS;
    products += products_position + (size_t)tile * product_columns + channel;
    vector half_way[ROW_OUTPUTS][WIDTH];
#pragma unroll
    for (int x = 0; x < WIDTH; x++) {
        vector from[MAXIMUM_INPUTS], to[MAXIMUM_INPUTS];
#pragma unroll
        for (int y = 0; y < HEIGHT; y++) from[y] = LOAD(products + (y * WIDTH + x) * product_stride);
        transform_outputs(ROW_PAIRS, ROW_OUTPUTS, from, to);
#pragma unroll
        for (int y = 0; y < ROW_OUTPUTS; y++) half_way[y][x] = to[y];
    }
    const vector shift = LOAD(bias + bias_position + channel);
    output += output_position + image * output_image_stride + channel;
    addend += addend_position + image * addend_image_stride + channel;
#pragma unroll
    for (int y = 0; y < ROW_OUTPUTS; y++) {
        if (top + y >= output_height) break;
        vector to[MAXIMUM_INPUTS];
        transform_outputs(COLUMN_PAIRS, COLUMN_OUTPUTS, half_way[y], to);
#pragma unroll
        for (int x = 0; x < COLUMN_OUTPUTS; x++) {
            if (left + x >= output_width) break;
            vector value = to[x] + shift;
            if (has_addend)
                value += LOAD(addend + (long)(top + y) * addend_row_stride + (long)(left + x) * addend_pixel_stride);
            STORE(
                activate(value, activation, low, high),
                output + (long)(top + y) * output_row_stride + (long)(left + x) * output_pixel_stride);
        }
    }
}
