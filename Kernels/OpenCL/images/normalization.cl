// Local response normalisation across the channels of channels-last images.
//
// output[p][c] = input[p][c] ÷ (bias + alpha ÷ size · Σ input[p][k]²)^beta, k from c − ⌊(size − 1) ÷ 2⌋ to c +
// ⌈(size − 1) ÷ 2⌉ inside [0, channels). Not in place.
// NDRange: [channels, width, images · height], each rounded up.

__kernel void local_response(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int images,
    int channels, int height, int width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    long output_image_stride, int output_row_stride, int output_pixel_stride, int size, float alpha, float beta,
    float bias) {
    const int channel = get_global_id(0), x = get_global_id(1);
    const int image = get_global_id(2) / height, y = get_global_id(2) % height;
    if (channel >= channels || x >= width || image >= images) return;
    input += input_position + image * input_image_stride + (long)y * input_row_stride + (long)x * input_pixel_stride;
    const int first = max(0, channel - (size - 1) / 2), last = min(channels - 1, channel + size / 2);
    float energy = 0;
    for (int other = first; other <= last; other++) energy = MULTIPLY_ADD(input[other], input[other], energy);
    output[output_position + image * output_image_stride + (long)y * output_row_stride +
           (long)x * output_pixel_stride + channel] =
        input[channel] / pow(bias + alpha / size * energy, beta);
}
