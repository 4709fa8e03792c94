#include "../activation.h"
#include "apus_convolution.h"
#include "../target.h"

APUS_KERNEL void apus_add_bias_and_activate(
    float *c, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t stride, const float *bias, const float *addend,
    ptrdiff_t addend_stride, apus_activation activation) {
    for (ptrdiff_t i = 0; i < rows; i++) {
        float *row = c + i * stride;
        const float *added = addend ? addend + i * addend_stride : 0;
        if (bias && added) {
            for (ptrdiff_t j = 0; j < columns; j++) row[j] = row[j] + bias[j] + added[j];
        } else if (bias) {
            for (ptrdiff_t j = 0; j < columns; j++) row[j] += bias[j];
        } else if (added) {
            for (ptrdiff_t j = 0; j < columns; j++) row[j] += added[j];
        }
        activate(row, columns, activation);
    }
}
