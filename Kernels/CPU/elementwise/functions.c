#include "apus_elementwise.h"

#include <string.h>

typedef struct {
    const char *name;
    int has_kernel, is_epilogue;
} function;

#define KERNEL(formula) 1
#define NO_KERNEL 0
#define NO_EPILOGUE 0
#define BY_LIMITS 1
#define BY_SLOPE 1
#define BY_GATE 1
#define ON_STORED 1
#define FUNCTION(kind, name, epilogue, formula, device_formula) {name, formula, epilogue},
static const function functions[] = {APUS_FUNCTIONS(FUNCTION)};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

int apus_find_unary(const char *name, apus_unary_kind *kind) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (!functions[i].has_kernel || strcmp(functions[i].name, name) != 0) continue;
        *kind = (apus_unary_kind)i;
        return 1;
    }
    return 0;
}

int apus_find_activation(const char *name, apus_activation_kind *kind) {
    int number = APUS_ACTIVATION_NONE;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (!functions[i].is_epilogue) continue;
        number++;
        if (strcmp(functions[i].name, name) != 0) continue;
        *kind = (apus_activation_kind)number;
        return 1;
    }
    return 0;
}
