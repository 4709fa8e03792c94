#define _GNU_SOURCE
#include "tiles.h"
#include "apus_processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux, Documentation/arch/x86/xstate.rst: the state of tile registers is given to processes that ask for it.
enum {
    GET_SUPPORTED_COMPONENTS = 0x1021,
    REQUEST_COMPONENT = 0x1023,
    TILE_DATA = 18,
};

/// The components of its state that the system saves (XCR0); 0 where it has no such register.
static uint64_t saved_components(void) {
    enum { HAS_XGETBV = 1 << 27 };
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & HAS_XGETBV)) return 0;
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

int processor_has_tiles(void) {
    // Leaf 7, EDX, and the components of tile configuration and tile data.
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, TILES = AMX_BF16 | AMX_TILE, COMPONENTS = 3 << 17 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & TILES) != TILES) return 0;
    if ((saved_components() & COMPONENTS) != COMPONENTS) return 0;
    uint64_t supported = 0;
    return syscall(SYS_arch_prctl, GET_SUPPORTED_COMPONENTS, &supported) == 0 && (supported >> TILE_DATA & 1);
}

int apus_processor_request_tiles(void) {
    return processor_has_tiles() && syscall(SYS_arch_prctl, REQUEST_COMPONENT, TILE_DATA) == 0;
}
#else
int processor_has_tiles(void) { return 0; }

int apus_processor_request_tiles(void) { return 0; }
#endif
