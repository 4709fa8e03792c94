#ifndef APUS_CBUILD_H
#define APUS_CBUILD_H

/// The commit and the compiler of Swift that a release was built with, as the environment variables APUS_COMMIT and
/// APUS_TOOLCHAIN named them; empty in other builds.
const char *apus_build_commit(void);
const char *apus_build_toolchain(void);

/// The version of glibc in this process.
const char *apus_c_library_version(void);

#endif
