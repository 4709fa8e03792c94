#include "OpenCLKernels.h"

#include "../functions.h"

#include <string.h>

typedef struct {
    const char *name, *stage;
    int has_kernel, is_epilogue;
} function;

#define KERNEL(formula) 1
#define NO_KERNEL 0
#define NO_EPILOGUE 0
#define BY_LIMITS 1
#define BY_SLOPE 1
#define BY_GATE 1
#define ON_STORED 1
#define FUNCTION(kind, name, epilogue, formula, device_formula) {name, "stage_" #kind, device_formula, epilogue},
static const function functions[] = {APUS_FUNCTIONS(FUNCTION)};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

const char *apus_opencl_stage(const char *name) {
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (functions[i].has_kernel && strcmp(functions[i].name, name) == 0) return functions[i].stage;
    return 0;
}

int apus_opencl_activation(const char *name) {
    int number = 0;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        number += functions[i].is_epilogue;
        if (functions[i].is_epilogue && strcmp(functions[i].name, name) == 0) return number;
    }
    return 0;
}
