#include "CBuild.h"

#include <gnu/libc-version.h>

const char *apus_build_commit(void) { return APUS_COMMIT; }
const char *apus_build_toolchain(void) { return APUS_TOOLCHAIN; }
const char *apus_c_library_version(void) { return gnu_get_libc_version(); }
