#if defined(__x86_64__)
#include "../variants/avx512.h"

#include "peak.h"
#endif
