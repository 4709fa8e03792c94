#include "OpenCLKernels.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The table of functions comes first. OpenCL C never expands its formulas for the processor.
static const char common[] = {
#embed "../functions.h"
    ,
#embed "common.cl"
    , 0
};

static const char attention[] = {
#embed "attention.cl"
    , 0
};

static const char convolution[] = {
#embed "convolution.cl"
    , 0
};

static const char copy[] = {
#embed "copy.cl"
    , 0
};

static const char depthwise[] = {
#embed "depthwise.cl"
    , 0
};

static const char dot[] = {
#embed "dot.cl"
    , 0
};

static const char elementwise[] = {
#embed "elementwise.cl"
    , 0
};

static const char gemm[] = {
#embed "gemm.cl"
    , 0
};

static const char integer_convolution[] = {
#embed "integer_convolution.cl"
    , 0
};

static const char integer_depthwise[] = {
#embed "integer_depthwise.cl"
    , 0
};

static const char integer_elementwise[] = {
#embed "integer_elementwise.cl"
    , 0
};

static const char integer_gemm[] = {
#embed "integer_gemm.cl"
    , 0
};

static const char integer_pooling[] = {
#embed "integer_pooling.cl"
    , 0
};

static const char integer_product[] = {
#embed "integer_product.cl"
    , 0
};

static const char integer_resize[] = {
#embed "integer_resize.cl"
    , 0
};

static const char integer_results[] = {
#embed "integer_results.cl"
    , 0
};

static const char integer_rows[] = {
#embed "integer_rows.cl"
    , 0
};

static const char integer_tensor_tile[] = {
#embed "integer_tensor_tile.cl"
    , 0
};

static const char integer_tile[] = {
#embed "integer_tile.cl"
    , 0
};

static const char limits[] = {
#embed "limits.cl"
    , 0
};

static const char nibbles[] = {
#embed "nibbles.cl"
    , 0
};

static const char normalization[] = {
#embed "normalization.cl"
    , 0
};

static const char pack_words[] = {
#embed "pack_words.cl"
    , 0
};

static const char parts[] = {
#embed "parts.cl"
    , 0
};

static const char patches[] = {
#embed "patches.cl"
    , 0
};

static const char pooling[] = {
#embed "pooling.cl"
    , 0
};

static const char product[] = {
#embed "product.cl"
    , 0
};

static const char quantization[] = {
#embed "quantization.cl"
    , 0
};

static const char reduction[] = {
#embed "reduction.cl"
    , 0
};

static const char resize[] = {
#embed "resize.cl"
    , 0
};

static const char search[] = {
#embed "search.cl"
    , 0
};

static const char stages[] = {
#embed "stages.cl"
    , 0
};

static const char staging[] = {
#embed "staging.cl"
    , 0
};

static const char tensor[] = {
#embed "tensor.cl"
    , 0
};

static const char tensor_attention[] = {
#embed "tensor_attention.cl"
    , 0
};

static const char tensor_tile[] = {
#embed "tensor_tile.cl"
    , 0
};

static const char tile[] = {
#embed "tile.cl"
    , 0
};

static const char walk[] = {
#embed "walk.cl"
    , 0
};

static const char windows[] = {
#embed "windows.cl"
    , 0
};

static const char winograd[] = {
#embed "winograd.cl"
    , 0
};

const char *apus_opencl_text(apus_opencl_file file) {
    switch (file) {
    case APUS_OPENCL_ATTENTION: return attention;
    case APUS_OPENCL_COMMON: return common;
    case APUS_OPENCL_CONVOLUTION: return convolution;
    case APUS_OPENCL_COPY: return copy;
    case APUS_OPENCL_DEPTHWISE: return depthwise;
    case APUS_OPENCL_DOT: return dot;
    case APUS_OPENCL_ELEMENTWISE: return elementwise;
    case APUS_OPENCL_GEMM: return gemm;
    case APUS_OPENCL_INTEGER_CONVOLUTION: return integer_convolution;
    case APUS_OPENCL_INTEGER_DEPTHWISE: return integer_depthwise;
    case APUS_OPENCL_INTEGER_ELEMENTWISE: return integer_elementwise;
    case APUS_OPENCL_INTEGER_GEMM: return integer_gemm;
    case APUS_OPENCL_INTEGER_POOLING: return integer_pooling;
    case APUS_OPENCL_INTEGER_PRODUCT: return integer_product;
    case APUS_OPENCL_INTEGER_RESIZE: return integer_resize;
    case APUS_OPENCL_INTEGER_RESULTS: return integer_results;
    case APUS_OPENCL_INTEGER_ROWS: return integer_rows;
    case APUS_OPENCL_INTEGER_TENSOR_TILE: return integer_tensor_tile;
    case APUS_OPENCL_INTEGER_TILE: return integer_tile;
    case APUS_OPENCL_LIMITS: return limits;
    case APUS_OPENCL_NIBBLES: return nibbles;
    case APUS_OPENCL_NORMALIZATION: return normalization;
    case APUS_OPENCL_PACK_WORDS: return pack_words;
    case APUS_OPENCL_PARTS: return parts;
    case APUS_OPENCL_PATCHES: return patches;
    case APUS_OPENCL_POOLING: return pooling;
    case APUS_OPENCL_PRODUCT: return product;
    case APUS_OPENCL_QUANTIZATION: return quantization;
    case APUS_OPENCL_REDUCTION: return reduction;
    case APUS_OPENCL_RESIZE: return resize;
    case APUS_OPENCL_SEARCH: return search;
    case APUS_OPENCL_STAGES: return stages;
    case APUS_OPENCL_STAGING: return staging;
    case APUS_OPENCL_TENSOR: return tensor;
    case APUS_OPENCL_TENSOR_ATTENTION: return tensor_attention;
    case APUS_OPENCL_TENSOR_TILE: return tensor_tile;
    case APUS_OPENCL_TILE: return tile;
    case APUS_OPENCL_WALK: return walk;
    case APUS_OPENCL_WINDOWS: return windows;
    case APUS_OPENCL_WINOGRAD: return winograd;
    }
    return "";
}
