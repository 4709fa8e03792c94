#include "../activation.h"
#include "apus_convolution.h"
#include "../target.h"

APUS_KERNEL void apus_add_bias_and_activate(
    float *c, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t stride, const float *bias, apus_activation activation) {
    const float low = activation.low, high = activation.high;
    if (!bias) {
        for (ptrdiff_t i = 0; i < rows; i++) activate(c + i * stride, columns, activation);
        return;
    }
    for (ptrdiff_t i = 0; i < rows; i++) {
        float *row = c + i * stride;
        switch (activation.kind) {
        case APUS_ACTIVATION_NONE:
            for (ptrdiff_t j = 0; j < columns; j++) row[j] += bias[j];
            break;
        case APUS_ACTIVATION_RELU:
            for (ptrdiff_t j = 0; j < columns; j++) {
                const float sum = row[j] + bias[j];
                row[j] = sum < 0 ? 0 : sum;
            }
            break;
        case APUS_ACTIVATION_CLIP:
            for (ptrdiff_t j = 0; j < columns; j++) {
                const float sum = row[j] + bias[j];
                const float raised = sum < low ? low : sum;
                row[j] = raised > high ? high : raised;
            }
            break;
        case APUS_ACTIVATION_LEAKY_RELU:
            for (ptrdiff_t j = 0; j < columns; j++) {
                const float sum = row[j] + bias[j];
                row[j] = sum < 0 ? low * sum : sum;
            }
            break;
        }
    }
}
