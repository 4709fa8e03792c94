#ifndef APUS_LITTLECMS_H
#define APUS_LITTLECMS_H

#include <stddef.h>
#include <stdint.h>

enum {
    apus_lcms_rgb = 0x52474220,
    apus_lcms_grey = 0x47524159,
    /// Pixels of 3 and of 1 bytes.
    apus_lcms_rgb_bytes = 0x40019,
    apus_lcms_grey_bytes = 0x30009,
    apus_lcms_perceptual = 0,
};

/// Functions of Little CMS 2. Source: lcms2.h
#define APUS_LCMS_FUNCTIONS(F) \
    F(void *, cmsOpenProfileFromMem, (const void *bytes, uint32_t count)) \
    F(void *, cmsCreate_sRGBProfile, (void)) \
    F(int, cmsCloseProfile, (void *profile)) \
    F(uint32_t, cmsGetColorSpace, (void *profile)) \
    F(void *, cmsCreateTransform, \
      (void *input, uint32_t input_format, void *output, uint32_t output_format, uint32_t intent, uint32_t flags)) \
    F(void, cmsDoTransform, (void *transform, const void *input, void *output, uint32_t pixel_count)) \
    F(void, cmsDeleteTransform, (void *transform))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
typedef struct {
    APUS_LCMS_FUNCTIONS(APUS_DECLARE)
} apus_lcms;
#undef APUS_DECLARE

const char *apus_lcms_load(apus_lcms *table, const char *library);

#endif
