#include "../variants/baseline.h"
#include "peak.h"
