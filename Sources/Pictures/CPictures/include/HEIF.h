#ifndef APUS_HEIF_H
#define APUS_HEIF_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int code;
    int subcode;
    const char *message;
} apus_heif_error;

enum {
    apus_heif_memory_error = 6,
    apus_heif_unsupported_file = 3,
    apus_heif_unsupported_feature = 4,
    apus_heif_colorspace_ycbcr = 0,
    apus_heif_colorspace_rgb = 1,
    apus_heif_colorspace_monochrome = 2,
    /// That of the file.
    apus_heif_colorspace_undefined = 99,
    apus_heif_chroma_420 = 1,
    apus_heif_chroma_422 = 2,
    apus_heif_chroma_interleaved_rgb = 10,
    apus_heif_chroma_interleaved_rgba = 11,
    apus_heif_chroma_undefined = 99,
    apus_heif_channel_y = 0,
    apus_heif_channel_cb = 1,
    apus_heif_channel_cr = 2,
    apus_heif_channel_r = 3,
    apus_heif_channel_g = 4,
    apus_heif_channel_b = 5,
    apus_heif_channel_alpha = 6,
    apus_heif_channel_interleaved = 10,
    /// Version 1.15.1, the oldest whose functions these are known to be.
    apus_heif_oldest_version = 0x010F0100,
    /// Version 1.17, the first that gives brightness and color as they are coded.
    apus_heif_version_of_planes = 0x01110000,
};

typedef struct apus_heif_context apus_heif_context;
typedef struct apus_heif_handle apus_heif_handle;
typedef struct apus_heif_image apus_heif_image;

/// The beginning of the library's decoding options, which the library itself allocates.
typedef struct {
    uint8_t version;
    uint8_t ignore_transformations;
    void *start_progress;
    void *on_progress;
    void *end_progress;
    void *progress_user_data;
    /// Since version 2 of the options.
    uint8_t convert_hdr_to_8bit;
} apus_heif_options;

/// Functions of libheif. Source: libheif/heif.h
#define APUS_HEIF_FUNCTIONS(F) \
    F(uint32_t, heif_get_version_number, (void)) \
    F(apus_heif_context *, heif_context_alloc, (void)) \
    F(void, heif_context_free, (apus_heif_context * context)) \
    F(apus_heif_error, heif_context_read_from_memory_without_copy, \
      (apus_heif_context * context, const void *bytes, size_t count, const void *options)) \
    F(void, heif_context_set_maximum_image_size_limit, (apus_heif_context * context, int edge)) \
    F(void, heif_context_set_max_decoding_threads, (apus_heif_context * context, int count)) \
    F(apus_heif_error, heif_context_get_primary_image_handle, \
      (apus_heif_context * context, apus_heif_handle **handle)) \
    F(int, heif_image_handle_get_width, (const apus_heif_handle *handle)) \
    F(int, heif_image_handle_get_height, (const apus_heif_handle *handle)) \
    F(int, heif_image_handle_has_alpha_channel, (const apus_heif_handle *handle)) \
    F(int, heif_image_handle_get_luma_bits_per_pixel, (const apus_heif_handle *handle)) \
    F(size_t, heif_image_handle_get_raw_color_profile_size, (const apus_heif_handle *handle)) \
    F(apus_heif_error, heif_image_handle_get_raw_color_profile, (const apus_heif_handle *handle, void *profile)) \
    F(void, heif_image_handle_release, (const apus_heif_handle *handle)) \
    F(apus_heif_options *, heif_decoding_options_alloc, (void)) \
    F(void, heif_decoding_options_free, (apus_heif_options * options)) \
    F(apus_heif_error, heif_decode_image, \
      (const apus_heif_handle *handle, apus_heif_image **image, int colorspace, int chroma, \
       const apus_heif_options *options)) \
    F(int, heif_image_get_colorspace, (const apus_heif_image *image)) \
    F(int, heif_image_get_chroma_format, (const apus_heif_image *image)) \
    F(int, heif_image_get_bits_per_pixel_range, (const apus_heif_image *image, int channel)) \
    F(int, heif_image_get_width, (const apus_heif_image *image, int channel)) \
    F(int, heif_image_get_height, (const apus_heif_image *image, int channel)) \
    F(const uint8_t *, heif_image_get_plane_readonly, (const apus_heif_image *image, int channel, int *stride)) \
    F(void, heif_image_release, (const apus_heif_image *image))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
typedef struct {
    APUS_HEIF_FUNCTIONS(APUS_DECLARE)
} apus_heif;
#undef APUS_DECLARE

const char *apus_heif_load(apus_heif *table, const char *library);

#endif
