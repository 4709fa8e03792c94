#ifndef APUS_TARGET_H
#define APUS_TARGET_H

// The loader's resolvers run before ThreadSanitizer is initialised, and would call it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define APUS_HAS_ONE_TARGET 1
#endif
#endif

/// Compiles a function once per instruction set; the loader picks the best the processor has.
#if defined(__x86_64__) && defined(__linux__) && !APUS_HAS_ONE_TARGET
#define APUS_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define APUS_KERNEL
#endif

#endif
