#if defined(__aarch64__)
#include "../variants/neon.h"

#include "peak.h"
#endif
