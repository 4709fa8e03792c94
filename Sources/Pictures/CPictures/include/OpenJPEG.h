#ifndef APUS_OPENJPEG_H
#define APUS_OPENJPEG_H

#include <stddef.h>
#include <stdint.h>

/// A component of a decoded picture, as OpenJPEG 2 has it.
typedef struct {
    uint32_t dx, dy, w, h, x0, y0, prec, bpp, sgnd, resno_decoded, factor;
    int32_t *data;
    uint16_t alpha;
} apus_openjpeg_component;

/// A decoded picture, as OpenJPEG 2 has it.
typedef struct {
    uint32_t x0, y0, x1, y1, numcomps;
    int color_space;
    apus_openjpeg_component *comps;
    uint8_t *icc_profile_buf;
    uint32_t icc_profile_len;
} apus_openjpeg_image;

enum {
    apus_openjpeg_codestream = 0,
    apus_openjpeg_jp2 = 2,
    apus_openjpeg_unknown = -1,
    apus_openjpeg_unspecified = 0,
    apus_openjpeg_sycc = 3,
    apus_openjpeg_cmyk = 5,
    /// Room for the library's parameters, of which only the library knows the fields.
    apus_openjpeg_parameter_bytes = 32768,
    apus_openjpeg_message_capacity = 160,
};

/// Functions of OpenJPEG 2. Source: openjpeg.h
#define APUS_OPENJPEG_FUNCTIONS(F) \
    F(const char *, opj_version, (void)) \
    F(void *, opj_stream_create, (size_t buffer_size, int is_input)) \
    F(void, opj_stream_set_read_function, (void *stream, size_t (*read)(void *, size_t, void *))) \
    F(void, opj_stream_set_skip_function, (void *stream, int64_t (*skip)(int64_t, void *))) \
    F(void, opj_stream_set_seek_function, (void *stream, int (*seek)(int64_t, void *))) \
    F(void, opj_stream_set_user_data, (void *stream, void *data, void (*release)(void *))) \
    F(void, opj_stream_set_user_data_length, (void *stream, uint64_t count)) \
    F(void, opj_stream_destroy, (void *stream)) \
    F(void *, opj_create_decompress, (int format)) \
    F(void, opj_set_default_decoder_parameters, (void *parameters)) \
    F(int, opj_setup_decoder, (void *codec, void *parameters)) \
    F(int, opj_set_error_handler, (void *codec, void (*handler)(const char *, void *), void *data)) \
    F(int, opj_read_header, (void *stream, void *codec, apus_openjpeg_image **image)) \
    F(int, opj_decode, (void *codec, void *stream, apus_openjpeg_image *image)) \
    F(int, opj_end_decompress, (void *codec, void *stream)) \
    F(void, opj_destroy_codec, (void *codec)) \
    F(void, opj_image_destroy, (apus_openjpeg_image * image))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
typedef struct {
    APUS_OPENJPEG_FUNCTIONS(APUS_DECLARE)
} apus_openjpeg;
#undef APUS_DECLARE

const char *apus_openjpeg_load(apus_openjpeg *table, const char *library);

/// Decodes a file that lies in memory.
///
/// - format: apus_openjpeg_codestream or apus_openjpeg_jp2.
/// - message: receives one line when the result is NULL; apus_openjpeg_message_capacity bytes.
///
/// The result is the caller's, for opj_image_destroy.
apus_openjpeg_image *apus_openjpeg_decode(
    const apus_openjpeg *table, const uint8_t *bytes, size_t count, int format, char *message);

#endif
