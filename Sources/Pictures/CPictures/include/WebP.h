#ifndef APUS_WEBP_H
#define APUS_WEBP_H

#include <stddef.h>
#include <stdint.h>

/// The bytes of a file, as libwebpdemux takes them.
typedef struct {
    const uint8_t *bytes;
    size_t size;
} apus_webp_data;

/// An animation, as libwebpdemux describes it.
typedef struct {
    uint32_t canvas_width;
    uint32_t canvas_height;
    uint32_t loop_count;
    uint32_t bgcolor;
    uint32_t frame_count;
    uint32_t pad[4];
} apus_webp_info;

/// The version of libwebpdemux's structures, which it compares with its own.
enum { apus_webp_demux_version = 0x0107 };

typedef struct apus_webp_decoder apus_webp_decoder;

/// Functions of libwebp. Source: webp/decode.h
#define APUS_WEBP_FUNCTIONS(F) \
    F(int, WebPGetInfo, (const uint8_t *data, size_t size, int *width, int *height)) \
    F(uint8_t *, WebPDecodeRGBInto, (const uint8_t *data, size_t size, uint8_t *out, size_t out_size, int stride)) \
    F(uint8_t *, WebPDecodeRGBAInto, (const uint8_t *data, size_t size, uint8_t *out, size_t out_size, int stride))

/// Functions of libwebpdemux. Source: webp/demux.h
#define APUS_WEBP_DEMUX_FUNCTIONS(F) \
    F(apus_webp_decoder *, WebPAnimDecoderNewInternal, (const apus_webp_data *data, const void *options, int version)) \
    F(int, WebPAnimDecoderGetInfo, (const apus_webp_decoder *decoder, apus_webp_info *info)) \
    F(int, WebPAnimDecoderGetNext, (apus_webp_decoder *decoder, uint8_t **canvas, int *timestamp)) \
    F(void, WebPAnimDecoderDelete, (apus_webp_decoder *decoder))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
typedef struct {
    APUS_WEBP_FUNCTIONS(APUS_DECLARE)
} apus_webp;

typedef struct {
    APUS_WEBP_DEMUX_FUNCTIONS(APUS_DECLARE)
} apus_webp_demux;
#undef APUS_DECLARE

const char *apus_webp_load(apus_webp *table, const char *library);
const char *apus_webp_demux_load(apus_webp_demux *table, const char *library);

#endif
