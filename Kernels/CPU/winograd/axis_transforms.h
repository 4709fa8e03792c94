#ifndef APUS_WINOGRAD_AXIS_TRANSFORMS_H
#define APUS_WINOGRAD_AXIS_TRANSFORMS_H

// Transforms along one axis, on vectors of channels. `axis` is a constant of the caller. Needs a variant header before
// it.

#include "../variants/vector.h"
#include "points.h"

/// to = Bᵀ from, of every `step`-th number: row 0 is Π (x² − p_l²), row ±pᵢ is x (x ± pᵢ) Π_{l ≠ i} (x² − p_l²), the
/// last is x Π (x² − p_l²), as coefficients of the powers of x.
APUS_INLINE void transform_to_points(const winograd_axis axis, const vector *from, const int step, vector *to) {
    const int pairs = axis.pairs, last = 2 * pairs + 1;
    if (pairs == 0) {
        to[0] = from[0];
        return;
    }
    float all[WINOGRAD_MAXIMUM_PAIRS + 1];
    winograd_polynomial(axis, -1, all);
    vector zero = from[(last - 1) * step], infinity = from[last * step];
    APUS_UNROLL for (int j = pairs - 1; j >= 0; j--) {
        zero += all[j] * from[2 * j * step];
        infinity += all[j] * from[(2 * j + 1) * step];
    }
    to[0] = zero;
    to[last] = infinity;
    APUS_UNROLL for (int i = 0; i < pairs; i++) {
        float others[WINOGRAD_MAXIMUM_PAIRS + 1];
        winograd_polynomial(axis, i, others);
        vector even = from[2 * pairs * step], odd = from[(2 * pairs - 1) * step];
        APUS_UNROLL for (int j = pairs - 2; j >= 0; j--) {
            even += others[j] * from[(2 * j + 2) * step];
            odd += others[j] * from[(2 * j + 1) * step];
        }
        const float point = (float)winograd_point(axis, i);
        to[2 * i + 1] = even + point * odd;
        to[2 * i + 2] = even - point * odd;
    }
}

/// The transformed inputs of an axis, which factors multiply: inputs at the points, and with stride 2 the odd inputs.
APUS_INLINE void transform_inputs(const winograd_axis axis, const vector *from, vector *to) {
    transform_to_points(axis, from, axis.stride, to);
    if (axis.stride == 1) return;
    APUS_UNROLL for (int k = 0; k < axis.outputs; k++) to[winograd_points(axis) + k] = from[2 * k + 1];
}

/// to = Aᵀ from: output k is Σ pᵏ · from over the points p. The last output also takes the product of the point ∞; with
/// stride 2 each output also takes the product of its odd input.
APUS_INLINE void transform_outputs(const winograd_axis axis, const vector *from, vector *to) {
    const int pairs = axis.pairs;
    if (pairs == 0) {
        to[0] = from[0];
        return;
    }
    vector sum[WINOGRAD_MAXIMUM_PAIRS], difference[WINOGRAD_MAXIMUM_PAIRS];
    double power[WINOGRAD_MAXIMUM_PAIRS];
    APUS_UNROLL for (int i = 0; i < pairs; i++) {
        sum[i] = from[2 * i + 1] + from[2 * i + 2];
        difference[i] = from[2 * i + 1] - from[2 * i + 2];
        power[i] = 1;
    }
    APUS_UNROLL for (int k = 0; k < axis.outputs; k++) {
        vector output = k == 0 ? from[0] : k == axis.outputs - 1 ? from[2 * pairs + 1] : (vector){0};
        APUS_UNROLL for (int i = 0; i < pairs; i++) {
            output += (float)power[i] * (k % 2 ? difference[i] : sum[i]);
            power[i] *= winograd_point(axis, i);
        }
        if (axis.stride == 2) output += from[2 * pairs + 2 + k];
        to[k] = output;
    }
}

/// to = G from, for every `step`-th tap: row ±pᵢ is Σ (±pᵢ)ᵏ · from / Nᵢ, the last row is the last tap.
APUS_INLINE void transform_taps_to_points(const winograd_axis axis, const vector *from, const int step, vector *to) {
    if (axis.pairs == 0) {
        to[0] = from[0];
        return;
    }
    to[0] = (float)(1 / winograd_denominator_of_zero(axis)) * from[0];
    to[2 * axis.pairs + 1] = from[axis.taps - 1];
    APUS_UNROLL for (int i = 0; i < axis.pairs; i++) {
        const double point = winograd_point(axis, i);
        double weight = 1 / winograd_denominator(axis, i);
        vector even = (float)weight * from[0], odd = (float)(weight * point) * from[step];
        APUS_UNROLL for (int k = 2; k * step < axis.taps; k++) {
            if (k % 2 == 0) {
                weight *= point * point;
                even += (float)weight * from[k * step];
            } else {
                odd += (float)(weight * point) * from[k * step];
            }
        }
        to[2 * i + 1] = even + odd;
        to[2 * i + 2] = even - odd;
    }
}

/// The factors of an axis: taps at the points, and with stride 2 the odd tap.
APUS_INLINE void transform_taps(const winograd_axis axis, const vector *from, vector *to) {
    transform_taps_to_points(axis, from, axis.stride, to);
    if (axis.stride == 2) to[winograd_points(axis)] = from[1];
}

#endif
