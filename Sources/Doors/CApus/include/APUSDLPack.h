#ifndef APUS_DLPACK_H
#define APUS_DLPACK_H

#include <stdint.h>

/// The layout of DLPack's structures, versions 0.8 and 1. Source: https://dmlc.github.io/dlpack/latest/c_api.html

typedef struct {
    int32_t type;
    int32_t id;
} apus_dl_device;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} apus_dl_type;

enum { APUS_DL_INT = 0, APUS_DL_UINT = 1, APUS_DL_FLOAT = 2, APUS_DL_BFLOAT = 4, APUS_DL_BOOL = 6 };
enum { APUS_DL_CPU = 1, APUS_DL_CUDA_HOST = 3, APUS_DL_ROCM_HOST = 11 };
enum { APUS_DL_READ_ONLY = 1 };

typedef struct {
    void *data;
    apus_dl_device device;
    int32_t rank;
    apus_dl_type type;
    int64_t *extents;
    /// In elements; NULL for row-major order.
    int64_t *strides;
    uint64_t byte_offset;
} apus_dl_tensor;

typedef struct apus_dl_managed {
    apus_dl_tensor tensor;
    void *context;
    void (*deleter)(struct apus_dl_managed *managed);
} apus_dl_managed;

typedef struct apus_dl_versioned {
    uint32_t major;
    uint32_t minor;
    void *context;
    void (*deleter)(struct apus_dl_versioned *managed);
    uint64_t flags;
    apus_dl_tensor tensor;
} apus_dl_versioned;

#endif
