// Convolutions of 8-bit integers over channels-last images, with one filter, or `multiplier` filters, per channel.
//
// output[n][oy][ox][m] = requantize(Σ over ky, kx of (input[n][y][x][m / multiplier] − input_point) ·
// weights[ky][kx][m] + bias[m]), y = oy · stride_height − padding_top + ky · dilation_height (x likewise); outside the
// image the difference is 0. Weights are less their zero point, of 16 bits, in rows of `channels`, as are bias, factor
// and shift.
//
// A work-item computes VECTOR adjacent channels of ITEM_WIDTH adjacent pixels of a row.
// NDRange: [channels / VECTOR, ⌈output_width / ITEM_WIDTH⌉, images · output_height], each rounded up to a multiple of
// the local size.
// Macros: those of dot.cl but DOT; VECTOR, 4 where it divides channels, strides and positions and the multiplier is 1,
// otherwise 1; ITEM_WIDTH; KERNEL_HEIGHT, KERNEL_WIDTH, STRIDE_WIDTH, DILATION_WIDTH; with STAGES those of stages.cl,
// whose stages make of the result what is stored.

#if VECTOR == 4
typedef int4 numbers;
#define WEIGHTS(pointer) convert_int4(vload4(0, pointer))
#if SIGNED
#define BYTES(pointer) convert_int4(*(__global const char4 *)(pointer))
#else
#define BYTES(pointer) convert_int4(*(__global const uchar4 *)(pointer))
#endif
#else
typedef int numbers;
#define WEIGHTS(pointer) (*(pointer))
#if SIGNED
#define BYTES(pointer) (*(__global const char *)(pointer))
#else
#define BYTES(pointer) (*(pointer))
#endif
#endif

#ifdef STAGES
typedef output_element result_element;
#define STAGE_PARAMETERS , float8 alphas, float8 betas
#else
typedef uchar result_element;
#define STAGE_PARAMETERS
#endif

// Input pixels of a row that a work-item may read.
#define SPAN ((ITEM_WIDTH - 1) * STRIDE_WIDTH + (KERNEL_WIDTH - 1) * DILATION_WIDTH + 1)

// Whether any output of a work-item reads pixel `s` of its span.
static inline int is_read(int s) {
    int found = 0;
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) {
#pragma unroll
        for (int kx = 0; kx < KERNEL_WIDTH; kx++) found |= i * STRIDE_WIDTH + kx * DILATION_WIDTH == s;
    }
    return found;
}

__kernel void integer_depthwise(
    __global const uchar *input, ulong input_position, __global const short *weights, ulong weights_position,
    __global const int *parameters, ulong parameters_position, __global result_element *output, ulong output_position,
    int images, int channels, int multiplier, int input_height, int input_width, long input_image_stride,
    int input_row_stride, int input_pixel_stride, int stride_height, int dilation_height, int padding_top,
    int padding_left, int output_height, int output_width, long output_image_stride, int output_row_stride,
    int output_pixel_stride, int input_point, int zero_point, int low, int high STAGE_PARAMETERS) {
    const int channel = get_global_id(0) * VECTOR, first = get_global_id(1) * ITEM_WIDTH;
    const int image = get_global_id(2) / output_height, row = get_global_id(2) % output_height;
    if (channel >= channels || first >= output_width || image >= images) return;
    input += input_position + image * input_image_stride + channel / multiplier;
    weights += weights_position + channel;
    numbers sums[ITEM_WIDTH];
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) sums[i] = (numbers)0;
    const int left = first * STRIDE_WIDTH - padding_left;
    for (int ky = 0; ky < KERNEL_HEIGHT; ky++) {
        const int y = row * stride_height - padding_top + ky * dilation_height;
        if ((uint)y >= (uint)input_height) continue;
        __global const uchar *line = input + (long)y * input_row_stride;
        numbers pixels[SPAN];
#pragma unroll
        for (int s = 0; s < SPAN; s++) {
            const int x = left + s;
            pixels[s] = is_read(s) && (uint)x < (uint)input_width
                            ? BYTES(line + (long)x * input_pixel_stride) - input_point
                            : (numbers)0;
        }
#pragma unroll
        for (int kx = 0; kx < KERNEL_WIDTH; kx++) {
            const numbers weight = WEIGHTS(weights + (ky * KERNEL_WIDTH + kx) * channels);
#pragma unroll
            for (int i = 0; i < ITEM_WIDTH; i++) sums[i] += pixels[i * STRIDE_WIDTH + kx * DILATION_WIDTH] * weight;
        }
    }
    int bias[VECTOR], factor[VECTOR], shift[VECTOR];
    parameters += parameters_position + channel;
#pragma unroll
    for (int c = 0; c < VECTOR; c++) {
        bias[c] = parameters[c];
        factor[c] = parameters[channels + c];
        shift[c] = parameters[2 * (long)channels + c];
    }
    output += output_position + image * output_image_stride + (long)row * output_row_stride + channel;
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) {
        const long x = first + i;
        if (x >= output_width) break;
        __global result_element *to = output + x * output_pixel_stride;
        int values[VECTOR];
#if VECTOR == 4
        vstore4(sums[i], 0, values);
#else
        values[0] = sums[i];
#endif
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            values[c] = requantize(values[c] + bias[c], factor[c], shift[c], zero_point, low, high);
#ifdef STAGES
#if VECTOR == 4
        const vector operands[4] = {convert_float4(vload4(0, values))};
#else
        const vector operands[4] = {(float)values[0]};
#endif
        STORE_OUTPUT(apply_stages(operands, alphas, betas), to);
#elif VECTOR == 4
        *(__global uchar4 *)to = convert_uchar4(vload4(0, values) & 255);
#else
        to[0] = (uchar)values[0];
#endif
    }
}
