#if defined(__x86_64__)
#include "../variants/avx2.h"

#include "peak.h"
#endif
