#include "CPictures.h"

#include <dlfcn.h>
#include <stdio.h>

static _Thread_local char message[256];

static void *open_library(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(message, sizeof message, "%s", reason ? reason : library);
    }
    return handle;
}

#define APUS_FIND(type, name, arguments) \
    table->name = (__typeof__(table->name))dlsym(handle, #name); \
    if (!table->name) { \
        snprintf(message, sizeof message, "%s has no " #name, library); \
        dlclose(handle); \
        return message; \
    }

#define APUS_LOAD(prefix, FUNCTIONS) \
    const char *prefix##_load(prefix *table, const char *library) { \
        void *handle = open_library(library); \
        if (!handle) { \
            return message; \
        } \
        FUNCTIONS(APUS_FIND) \
        return NULL; \
    }

APUS_LOAD(apus_webp, APUS_WEBP_FUNCTIONS)
APUS_LOAD(apus_webp_demux, APUS_WEBP_DEMUX_FUNCTIONS)
APUS_LOAD(apus_heif, APUS_HEIF_FUNCTIONS)
APUS_LOAD(apus_lcms, APUS_LCMS_FUNCTIONS)
APUS_LOAD(apus_openjpeg, APUS_OPENJPEG_FUNCTIONS)
APUS_LOAD(apus_tiff, APUS_TIFF_FUNCTIONS)
