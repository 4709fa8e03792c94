#ifndef APUS_OPENCL_KERNELS_H
#define APUS_OPENCL_KERNELS_H

/// The files of OpenCL C that programs are made of.
typedef enum {
    /// What every program begins with.
    APUS_OPENCL_COMMON,
    /// Copies between strided arrays.
    APUS_OPENCL_COPY,
} apus_opencl_file;

/// The text of a file.
const char *_Nonnull apus_opencl_text(apus_opencl_file file);

#endif
