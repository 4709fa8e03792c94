// Kernels that measure a device's peak throughput.

typedef JOIN(float, LANES) lanes;

// The sum of all lanes, so that the compiler removes none.
static inline float total(lanes values) {
    float elements[LANES], sum = 0;
    JOIN(vstore, LANES)(values, 0, elements);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) sum += elements[lane];
    return sum;
}

// Each work-item makes CHAINS · LANES multiply-adds in registers, TURNS times, and stores their sum.
// NDRange: [work-items]. Macros: LANES (2, 4, 8 or 16), CHAINS, TURNS.
__kernel void multiply_adds(__global float *output, ulong position, float factor, float addend) {
    lanes sums[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) {
        float elements[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) elements[lane] = chain + lane + get_global_id(0);
        sums[chain] = JOIN(vload, LANES)(0, elements);
    }
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            sums[chain] = MULTIPLY_ADD(sums[chain], (lanes)factor, (lanes)addend);
    }
    lanes sum = sums[0];
#pragma unroll
    for (int chain = 1; chain < CHAINS; chain++) sum += sums[chain];
    output[position + get_global_id(0)] = total(sum);
}

// Work-item w of the two kernels below takes `count` vectors, `step` vectors apart, from element w · first_stride on.

// Stores 1 in every element of the vectors.
__kernel void fill_values(__global float *values, ulong position, int first_stride, int step, int count) {
    __global lanes *from = (__global lanes *)(values + position) + get_global_id(0) * (size_t)first_stride;
    for (int i = 0; i < count; i++) from[(size_t)i * step] = (lanes)1;
}

// Adds the vectors up.
__kernel void read_values(
    __global const float *values, ulong position, __global float *output, ulong output_position, int first_stride,
    int step, int count) {
    __global const lanes *from = (__global const lanes *)(values + position) + get_global_id(0) * (size_t)first_stride;
    lanes sum = (lanes)0;
    for (int i = 0; i < count; i++) sum += from[(size_t)i * step];
    output[output_position + get_global_id(0)] = total(sum);
}
