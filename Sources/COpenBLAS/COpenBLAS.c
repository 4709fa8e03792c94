#include "COpenBLAS.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/// Opens the library with one thread: it would start the others when it is loaded.
static void *open_library(const char *library) {
    static const char variable[] = "OPENBLAS_NUM_THREADS";
    const char *given = getenv(variable);
    char kept[32];
    if (given) snprintf(kept, sizeof kept, "%s", given);
    setenv(variable, "1", 1);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (given)
        setenv(variable, kept, 1);
    else
        unsetenv(variable);
    return handle;
}

const char *apus_openblas_load(apus_openblas *table, const char *library) {
    static _Thread_local char message[256];
    void *handle = open_library(library);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(message, sizeof message, "%s", reason ? reason : library);
        return message;
    }
#define APUS_FIND(type, name, arguments) \
    table->name = (__typeof__(table->name))dlsym(handle, #name); \
    if (!table->name) { \
        snprintf(message, sizeof message, "%s has no " #name, library); \
        dlclose(handle); \
        return message; \
    }
    APUS_OPENBLAS_FUNCTIONS(APUS_FIND)
#undef APUS_FIND
    table->gotoblas_dynamic_quit = (void (*)(void))dlsym(handle, "gotoblas_dynamic_quit");
    table->gotoblas_dynamic_init = (void (*)(void))dlsym(handle, "gotoblas_dynamic_init");
    return NULL;
}
