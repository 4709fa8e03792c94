#include "OpenCLKernels.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// The files of OpenCL C that make up programs, a folder for each family.
static const struct {
    const char *name, *text;
} files[] = {
    // The table of functions comes first. OpenCL C never expands its formulas for the processor.
    {"common", (const char[]){
#embed "../functions.h"
                   ,
#embed "elements/common.cl"
                   , 0}},
    {"copy", (const char[]){
#embed "elements/copy.cl"
                   , 0}},
    {"elementwise", (const char[]){
#embed "elements/elementwise.cl"
                   , 0}},
    {"limits", (const char[]){
#embed "elements/limits.cl"
                   , 0}},
    {"reduction", (const char[]){
#embed "elements/reduction.cl"
                   , 0}},
    {"search", (const char[]){
#embed "elements/search.cl"
                   , 0}},
    {"stages", (const char[]){
#embed "elements/stages.cl"
                   , 0}},
    {"walk", (const char[]){
#embed "elements/walk.cl"
                   , 0}},
    {"gemm", (const char[]){
#embed "products/gemm.cl"
                   , 0}},
    {"nibbles", (const char[]){
#embed "products/nibbles.cl"
                   , 0}},
    {"parts", (const char[]){
#embed "products/parts.cl"
                   , 0}},
    {"product", (const char[]){
#embed "products/product.cl"
                   , 0}},
    {"staging", (const char[]){
#embed "products/staging.cl"
                   , 0}},
    {"tensor", (const char[]){
#embed "products/tensor.cl"
                   , 0}},
    {"tensor_tile", (const char[]){
#embed "products/tensor_tile.cl"
                   , 0}},
    {"tile", (const char[]){
#embed "products/tile.cl"
                   , 0}},
    {"convolution", (const char[]){
#embed "images/convolution.cl"
                   , 0}},
    {"depthwise", (const char[]){
#embed "images/depthwise.cl"
                   , 0}},
    {"normalization", (const char[]){
#embed "images/normalization.cl"
                   , 0}},
    {"patches", (const char[]){
#embed "images/patches.cl"
                   , 0}},
    {"pooling", (const char[]){
#embed "images/pooling.cl"
                   , 0}},
    {"resize", (const char[]){
#embed "images/resize.cl"
                   , 0}},
    {"windows", (const char[]){
#embed "images/windows.cl"
                   , 0}},
    {"winograd", (const char[]){
#embed "images/winograd.cl"
                   , 0}},
    {"attention", (const char[]){
#embed "attention/attention.cl"
                   , 0}},
    {"tensor_attention", (const char[]){
#embed "attention/tensor_attention.cl"
                   , 0}},
    {"dot", (const char[]){
#embed "integers/dot.cl"
                   , 0}},
    {"integer_convolution", (const char[]){
#embed "integers/integer_convolution.cl"
                   , 0}},
    {"integer_depthwise", (const char[]){
#embed "integers/integer_depthwise.cl"
                   , 0}},
    {"integer_elementwise", (const char[]){
#embed "integers/integer_elementwise.cl"
                   , 0}},
    {"integer_gemm", (const char[]){
#embed "integers/integer_gemm.cl"
                   , 0}},
    {"integer_pooling", (const char[]){
#embed "integers/integer_pooling.cl"
                   , 0}},
    {"integer_product", (const char[]){
#embed "integers/integer_product.cl"
                   , 0}},
    {"integer_resize", (const char[]){
#embed "integers/integer_resize.cl"
                   , 0}},
    {"integer_results", (const char[]){
#embed "integers/integer_results.cl"
                   , 0}},
    {"integer_rows", (const char[]){
#embed "integers/integer_rows.cl"
                   , 0}},
    {"integer_tensor_tile", (const char[]){
#embed "integers/integer_tensor_tile.cl"
                   , 0}},
    {"integer_tile", (const char[]){
#embed "integers/integer_tile.cl"
                   , 0}},
    {"pack_words", (const char[]){
#embed "integers/pack_words.cl"
                   , 0}},
    {"quantization", (const char[]){
#embed "integers/quantization.cl"
                   , 0}},
};

const char *apus_opencl_text(const char *name) {
    for (size_t file = 0; file < sizeof files / sizeof *files; file++) {
        if (strcmp(files[file].name, name) == 0) return files[file].text;
    }
    return NULL;
}
