// Windows over three spatial axes; a missing axis has extent 1. A work-item computes one output element.
//
// `extents` holds the input's three extents, the output's three, and the number of images. `window` holds the kernel's
// three extents and three strides, `offsets` three dilations and the three paddings before; `paddings_after` holds
// those after, for pooling. Strides are those of images and of the three axes, in elements; channels are adjacent.
// NDRange: [channels of the output, output.z, images · output.x · output.y], each rounded up.

#define PLACE                                                                                \
    const int channel = get_global_id(0), oz = get_global_id(1);                             \
    const int oy = get_global_id(2) % extents.s4, rest = get_global_id(2) / extents.s4;      \
    const int ox = rest % extents.s3, image = rest / extents.s3;                             \
    const int first_x = ox * window.s3 - offsets.s3, first_y = oy * window.s4 - offsets.s4, \
              first_z = oz * window.s5 - offsets.s5;

static inline long output_offset(int8 strides, int image, int x, int y, int z) {
    return (long)image * strides.s0 + (long)x * strides.s1 + (long)y * strides.s2 + (long)z * strides.s3;
}

// output[n][o][m] = activation(Σ over taps k and channels c of input[n][o · stride − padding + k · dilation][g ·
// channels + c] · weights[g][k][c][m − g · columns] + bias[m] + addend[n][o][m]); rows of weights have `columns`
// elements.
__kernel void convolve_window(
    __global const float *input, ulong input_position, __global const float *weights, ulong weights_position,
    __global const float *bias, ulong bias_position, __global const float *addend, ulong addend_position,
    __global float *output, ulong output_position, int8 extents, int8 window, int8 offsets, int8 input_strides,
    int8 output_strides, int8 addend_strides, int groups, int channels, int columns, int adds, int activation,
    float low, float high) {
    PLACE
    if (channel >= groups * columns || oz >= extents.s5 || image >= extents.s6) return;
    const int group = channel / columns;
    input += input_position + (long)image * input_strides.s0 + group * channels;
    weights +=
        weights_position + (long)group * window.s0 * window.s1 * window.s2 * channels * columns + channel % columns;
    float sum = bias[bias_position + channel];
    for (int kx = 0; kx < window.s0; kx++) {
        const int x = first_x + kx * offsets.s0;
        if ((uint)x >= (uint)extents.s0) continue;
        for (int ky = 0; ky < window.s1; ky++) {
            const int y = first_y + ky * offsets.s1;
            if ((uint)y >= (uint)extents.s1) continue;
            for (int kz = 0; kz < window.s2; kz++) {
                const int z = first_z + kz * offsets.s2;
                if ((uint)z >= (uint)extents.s2) continue;
                __global const float *from = input + (long)x * input_strides.s1 + (long)y * input_strides.s2 +
                                             (long)z * input_strides.s3;
                __global const float *row =
                    weights + (long)((kx * window.s1 + ky) * window.s2 + kz) * channels * columns;
                for (int c = 0; c < channels; c++) sum = MULTIPLY_ADD(from[c], row[(long)c * columns], sum);
            }
        }
    }
    if (adds) sum += addend[addend_position + output_offset(addend_strides, image, ox, oy, oz) + channel];
    output[output_position + output_offset(output_strides, image, ox, oy, oz) + channel] =
        activate1(sum, activation, low, high);
}

// Computes output[n][o][c] over the taps inside the image:
// - with MAXIMUM, their maximum; −∞ for a window without such taps, NaN for a window with a NaN;
// - otherwise their sum ÷ the number of taps inside the image, or, where `padding_counts`, inside the image and its
//   padding.
__kernel void pool_window(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int8 extents,
    int8 window, int8 offsets, int8 paddings_after, int8 input_strides, int8 output_strides, int channels,
    int padding_counts) {
    PLACE
    if (channel >= channels || oz >= extents.s5 || image >= extents.s6) return;
    input += input_position + (long)image * input_strides.s0 + channel;
#ifdef MAXIMUM
    float result = -INFINITY;
#else
    float result = 0;
#endif
    int inside = 0, grown = 0;
    for (int kx = 0; kx < window.s0; kx++) {
        const int x = first_x + kx * offsets.s0;
        for (int ky = 0; ky < window.s1; ky++) {
            const int y = first_y + ky * offsets.s1;
            for (int kz = 0; kz < window.s2; kz++) {
                const int z = first_z + kz * offsets.s2;
                grown += x < extents.s0 + paddings_after.s0 && y < extents.s1 + paddings_after.s1 &&
                         z < extents.s2 + paddings_after.s2;
                if ((uint)x >= (uint)extents.s0 || (uint)y >= (uint)extents.s1 || (uint)z >= (uint)extents.s2) continue;
                const float value = input
                    [(long)x * input_strides.s1 + (long)y * input_strides.s2 + (long)z * input_strides.s3];
#ifdef MAXIMUM
                result = value > result || value != value ? value : result;
#else
                result += value;
                inside++;
#endif
            }
        }
    }
#ifndef MAXIMUM
    // A window that lies wholly in the padding gives 0.
    result /= max(padding_counts ? grown : inside, 1);
#endif
    output[output_position + output_offset(output_strides, image, ox, oy, oz) + channel] = result;
}
