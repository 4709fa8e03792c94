#include "COpenBLAS.h"

#include <dlfcn.h>
#include <stdio.h>

const char *apus_openblas_load(apus_openblas *table, const char *library) {
    static _Thread_local char message[256];
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
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
