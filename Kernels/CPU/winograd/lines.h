// Transforms along one axis, on vectors of channels. `axis` is a constant of the caller.

#include "points.h"

/// to = Bᵀ from: row 0 is Π (x² − p_l²), row ±pᵢ is x (x ± pᵢ) Π_{l ≠ i} (x² − p_l²), the last is x Π (x² − p_l²), as
/// coefficients of the powers of x.
APUS_INLINE void transform_inputs(const winograd_axis axis, const vector *from, vector *to) {
    const int pairs = axis.pairs, last = 2 * pairs + 1;
    if (pairs == 0) {
        to[0] = from[0];
        return;
    }
    float all[WINOGRAD_MAXIMUM_PAIRS + 1];
    winograd_polynomial(axis, -1, all);
    vector zero = from[last - 1], infinity = from[last];
    APUS_UNROLL for (int j = pairs - 1; j >= 0; j--) {
        zero += all[j] * from[2 * j];
        infinity += all[j] * from[2 * j + 1];
    }
    to[0] = zero;
    to[last] = infinity;
    APUS_UNROLL for (int i = 0; i < pairs; i++) {
        float others[WINOGRAD_MAXIMUM_PAIRS + 1];
        winograd_polynomial(axis, i, others);
        vector even = from[2 * pairs], odd = from[2 * pairs - 1];
        APUS_UNROLL for (int j = pairs - 2; j >= 0; j--) {
            even += others[j] * from[2 * j + 2];
            odd += others[j] * from[2 * j + 1];
        }
        const float point = (float)winograd_point(axis, i);
        to[2 * i + 1] = even + point * odd;
        to[2 * i + 2] = even - point * odd;
    }
}

/// to = Aᵀ from: output k is Σ pᵏ · from over the points p; the last output also takes the product of ∞.
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
        to[k] = output;
    }
}

/// to = G from: row ±pᵢ is Σ (±pᵢ)ᵏ · from / Nᵢ, the last is the last tap.
APUS_INLINE void transform_taps(const winograd_axis axis, const vector *from, vector *to) {
    if (axis.pairs == 0) {
        to[0] = from[0];
        return;
    }
    to[0] = (float)(1 / winograd_denominator_of_zero(axis)) * from[0];
    to[2 * axis.pairs + 1] = from[axis.taps - 1];
    APUS_UNROLL for (int i = 0; i < axis.pairs; i++) {
        const double point = winograd_point(axis, i);
        double weight = 1 / winograd_denominator(axis, i);
        vector even = (float)weight * from[0], odd = (float)(weight * point) * from[1];
        APUS_UNROLL for (int k = 2; k < axis.taps; k++) {
            if (k % 2 == 0) {
                weight *= point * point;
                even += (float)weight * from[k];
            } else {
                odd += (float)(weight * point) * from[k];
            }
        }
        to[2 * i + 1] = even + odd;
        to[2 * i + 2] = even - odd;
    }
}
