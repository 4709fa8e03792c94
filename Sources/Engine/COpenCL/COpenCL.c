#include "COpenCL.h"

#include <dlfcn.h>
#include <stdio.h>

const char *apus_opencl_load(apus_opencl *table, const char *library) {
    static _Thread_local char message[256];
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(message, sizeof message, "%s", reason ? reason : library);
        return message;
    }
#define APUS_OPENCL_FIND(name) \
    table->name = (__typeof__(table->name))dlsym(handle, #name); \
    if (!table->name) { \
        snprintf(message, sizeof message, "%s has no " #name, library); \
        dlclose(handle); \
        return message; \
    }
    APUS_OPENCL_FUNCTIONS(APUS_OPENCL_FIND)
#undef APUS_OPENCL_FIND
    return NULL;
}
