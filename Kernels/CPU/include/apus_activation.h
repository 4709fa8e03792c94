#ifndef APUS_ACTIVATION_H
#define APUS_ACTIVATION_H

/// A function applied to an element before it is stored.
typedef enum {
    APUS_ACTIVATION_NONE,
    APUS_ACTIVATION_RELU,
    /// min(max(x, low), high)
    APUS_ACTIVATION_CLIP,
    /// x ≥ 0 ? x : low · x
    APUS_ACTIVATION_LEAKY_RELU,
    /// max(0, min(1, low · x + high))
    APUS_ACTIVATION_HARD_SIGMOID,
    /// x · max(0, min(1, x / 6 + 1 / 2))
    APUS_ACTIVATION_HARD_SWISH,
    /// 1 / (1 + e⁻ˣ)
    APUS_ACTIVATION_SIGMOID,
    /// x / (1 + e⁻ˣ)
    APUS_ACTIVATION_SWISH,
    /// x · Φ(x), Φ the normal distribution
    APUS_ACTIVATION_GELU,
    /// x · ½ · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))
    APUS_ACTIVATION_GELU_TANH,
} apus_activation_kind;

typedef struct {
    apus_activation_kind kind;
    float low;
    float high;
} apus_activation;

#endif
