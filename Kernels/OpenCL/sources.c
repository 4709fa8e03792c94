#include "OpenCLKernels.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char common[] = {
#embed "common.cl"
    , 0
};

static const char copy[] = {
#embed "copy.cl"
    , 0
};

const char *apus_opencl_text(apus_opencl_file file) {
    switch (file) {
    case APUS_OPENCL_COMMON: return common;
    case APUS_OPENCL_COPY: return copy;
    }
    return "";
}
