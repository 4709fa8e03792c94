#include "PNGReading.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t byteCount;
    size_t position;
    PNGReadingStatus status;
    char *message;
} Reading;

static void fail(png_structp png, png_const_charp text) {
    Reading *reading = png_get_error_ptr(png);
    if (reading->status == PNGReadingOK) {
        reading->status = strstr(text, "emory") ? PNGReadingOutOfMemory : PNGReadingCorrupt;
    }
    snprintf(reading->message, PNGReadingMessageCapacity, "%s", text);
    png_longjmp(png, 1);
}

static void ignoreWarning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void readBytes(png_structp png, png_bytep destination, size_t count) {
    Reading *reading = png_get_io_ptr(png);
    if (count > reading->byteCount - reading->position) {
        reading->status = PNGReadingTruncated;
        png_error(png, "the file ends before its end chunk");
    }
    memcpy(destination, reading->bytes + reading->position, count);
    reading->position += count;
}

static void decode(png_structp png, png_infop info, uint32_t width, uint32_t height, int hasAlpha, uint8_t *pixels) {
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
        png_error(png, "the size of the picture is declared twice, differently");
    }

    png_set_expand(png);
    png_set_strip_16(png);
    if (hasAlpha) {
        png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    } else {
        png_set_strip_alpha(png);
    }
    png_set_gray_to_rgb(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t rowBytes = (size_t)width * (hasAlpha ? 4 : 3);
    if (png_get_rowbytes(png, info) != rowBytes) {
        png_error(png, "rows have an unexpected length");
    }
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t row = 0; row < height; row++) {
            png_read_row(png, pixels + row * rowBytes, NULL);
        }
    }
    png_read_end(png, NULL);
}

PNGReadingStatus PNGReadingDecode(
    const uint8_t *bytes, size_t byteCount, uint32_t width, uint32_t height, int hasAlpha, uint8_t *pixels,
    char *message) {
    Reading reading = {bytes, byteCount, 0, PNGReadingOK, message};
    message[0] = 0;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, ignoreWarning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return PNGReadingOutOfMemory;
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &reading, readBytes);
        decode(png, info, width, height, hasAlpha, pixels);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return reading.status;
}

static void decodeNumbers(png_structp png, png_infop info, uint32_t width, uint32_t height, uint16_t *numbers) {
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
        png_error(png, "the size of the picture is declared twice, differently");
    }
    int color = png_get_color_type(png, info);
    if (color != PNG_COLOR_TYPE_GRAY && color != PNG_COLOR_TYPE_PALETTE) {
        png_error(png, "pixels are colors, not numbers: neither grey nor a palette");
    }
    png_set_packing(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t sampleBytes = png_get_bit_depth(png, info) == 16 ? 2 : 1;
    if (png_get_rowbytes(png, info) != width * sampleBytes) {
        png_error(png, "rows have an unexpected length");
    }
    // Rows lie at the end of the room for their numbers, which is twice as large for samples of one byte.
    uint8_t *bytes = (uint8_t *)numbers;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t row = 0; row < height; row++) {
            png_read_row(png, bytes + ((size_t)row * 2 + 2 - sampleBytes) * width, NULL);
        }
    }
    png_read_end(png, NULL);
    for (uint32_t row = 0; row < height; row++) {
        const uint8_t *samples = bytes + ((size_t)row * 2 + 2 - sampleBytes) * width;
        for (uint32_t column = 0; column < width; column++) {
            uint16_t number = sampleBytes == 1 ? samples[column]
                                               : (uint16_t)(samples[2 * column] << 8 | samples[2 * column + 1]);
            memcpy(bytes + ((size_t)row * width + column) * 2, &number, 2);
        }
    }
}

PNGReadingStatus PNGReadingNumbers(
    const uint8_t *bytes, size_t byteCount, uint32_t width, uint32_t height, uint16_t *numbers, char *message) {
    Reading reading = {bytes, byteCount, 0, PNGReadingOK, message};
    message[0] = 0;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, ignoreWarning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return PNGReadingOutOfMemory;
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &reading, readBytes);
        decodeNumbers(png, info, width, height, numbers);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return reading.status;
}

static size_t readProfile(png_structp png, png_infop info, uint8_t *profile, size_t capacity) {
    png_charp name = NULL;
    png_bytep content = NULL;
    png_uint_32 count = 0;
    int compression = 0;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    if (!png_get_iCCP(png, info, &name, &compression, &content, &count) || count > capacity) {
        return 0;
    }
    memcpy(profile, content, count);
    return count;
}

size_t PNGReadingColorProfile(const uint8_t *bytes, size_t byteCount, uint8_t *profile, size_t capacity) {
    char message[PNGReadingMessageCapacity];
    Reading reading = {bytes, byteCount, 0, PNGReadingOK, message};
    volatile size_t count = 0;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, ignoreWarning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (info && setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &reading, readBytes);
        count = readProfile(png, info, profile, capacity);
    }
    png_destroy_read_struct(&png, info ? &info : NULL, NULL);
    return count;
}
