#ifndef APUS_TARGET_H
#define APUS_TARGET_H

/// Compiles a function once per instruction set; the loader picks the best the processor has.
#if defined(__x86_64__) && defined(__linux__)
#define APUS_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define APUS_KERNEL
#endif

#endif
