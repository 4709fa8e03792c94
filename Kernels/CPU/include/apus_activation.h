#ifndef APUS_ACTIVATION_H
#define APUS_ACTIVATION_H

#include "../../functions.h"

#define APUS_ENUMERATE_NO_EPILOGUE(kind)
#define APUS_ENUMERATE_BY_LIMITS(kind) APUS_ACTIVATION_##kind,
#define APUS_ENUMERATE_BY_SLOPE(kind) APUS_ACTIVATION_##kind,
#define APUS_ENUMERATE_BY_GATE(kind) APUS_ACTIVATION_##kind,
#define APUS_ENUMERATE_ON_STORED(kind) APUS_ACTIVATION_##kind,
#define APUS_ENUMERATE(kind, name, epilogue, formula, device_formula) APUS_ENUMERATE_##epilogue(kind)
/// A function applied to an element before it is stored: the rows of the table that may be epilogues.
typedef enum { APUS_ACTIVATION_NONE, APUS_FUNCTIONS(APUS_ENUMERATE) } apus_activation_kind;

/// A function and the numbers of its formula.
typedef struct {
    apus_activation_kind kind;
    /// `alpha`, which is the lower limit of a clip.
    float low;
    /// `beta`, which is the upper limit of a clip.
    float high;
} apus_activation;

#endif
