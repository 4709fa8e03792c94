#ifndef APUS_VARIANT_BASELINE_H
#define APUS_VARIANT_BASELINE_H

// What every processor of the architecture has; vectors of 4 floats.
#define APUS_VARIANT baseline
#define APUS_LANES 4
#define APUS_TARGET
#include "vector.h"

#endif
