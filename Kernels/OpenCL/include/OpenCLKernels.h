#ifndef APUS_OPENCL_KERNELS_H
#define APUS_OPENCL_KERNELS_H

/// The function of `stages.cl` that computes the function called `name` in the table of functions; null when
/// devices have no kernel for it.
const char *_Nullable apus_opencl_stage(const char *_Nonnull name);

/// The number by which kernels know the function called `name` as an activation; 0 when it may not be one.
int apus_opencl_activation(const char *_Nonnull name);

/// The text of the file called `name` without its folder and `.cl`; null when there is none.
const char *_Nullable apus_opencl_text(const char *_Nonnull name);

#endif
