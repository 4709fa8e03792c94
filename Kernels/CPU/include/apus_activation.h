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
} apus_activation_kind;

typedef struct {
    apus_activation_kind kind;
    float low;
    float high;
} apus_activation;

#endif
