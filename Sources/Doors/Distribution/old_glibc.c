// Functions that what is linked in calls, for systems whose glibc does not have them or has them by an older version.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Of glibc 2.36; the C++ library of GCC calls it.
HIDDEN uint32_t arc4random(void) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}

// The symbols of glibc 2.35, which raise no errno; Swift's module of glibc refers to them. √(x² + y²), and infinity
// where one is, even beside NaN. A double holds the squares of two floats without overflow.
HIDDEN float hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}
