#include "TIFF.h"

#include <stdio.h>
#include <string.h>

// Numbers of tags. Source: TIFF 6.0, appendix A.
enum {
    ImageWidth = 256,
    ImageLength = 257,
    BitsPerSample = 258,
    Compression = 259,
    Photometric = 262,
    Orientation = 274,
    SamplesPerPixel = 277,
    RowsPerStrip = 278,
    PlanarConfiguration = 284,
    ColorMap = 320,
    TileWidth = 322,
    TileLength = 323,
    ExtraSamples = 338,
    SampleFormat = 339,
    XMP = 700,
    ColorProfile = 34675,
    // A setting of libtiff: pixels compressed by JPEG are converted to RGB.
    JPEGColorMode = 65538,
};

enum { CompressionJPEG = 7, PhotometricYCbCr = 6, Contiguous = 1 };

static ptrdiff_t readBytes(void *data, void *buffer, ptrdiff_t count) {
    apus_tiff_file *file = data;
    if (count <= 0 || file->position >= file->count) {
        return 0;
    }
    size_t rest = file->count - file->position;
    size_t wanted = (size_t)count < rest ? (size_t)count : rest;
    memcpy(buffer, file->bytes + file->position, wanted);
    if (file->position < file->header_count) {
        size_t start = file->header_count - file->position;
        memcpy(buffer, file->header + file->position, wanted < start ? wanted : start);
    }
    file->position += wanted;
    return (ptrdiff_t)wanted;
}

static ptrdiff_t refuseWriting(void *data, void *buffer, ptrdiff_t count) {
    (void)data, (void)buffer, (void)count;
    return 0;
}

static uint64_t seek(void *data, uint64_t offset, int origin) {
    apus_tiff_file *file = data;
    uint64_t base = origin == SEEK_CUR ? file->position : origin == SEEK_END ? file->count : 0;
    // A negative offset wraps around, as it does in libtiff. Reads behind the end give nothing.
    file->position = (size_t)(base + offset);
    return file->position;
}

static int closeNothing(void *data) {
    (void)data;
    return 0;
}

static uint64_t size(void *data) {
    return ((apus_tiff_file *)data)->count;
}

static int refuseMapping(void *data, void **base, uint64_t *count) {
    (void)data, (void)base, (void)count;
    return 0;
}

static void unmapNothing(void *data, void *base, uint64_t count) {
    (void)data, (void)base, (void)count;
}

/// Whether a message of libtiff names a tag that says nothing about the samples.
static int isAboutUnneededTag(const char *text) {
    static const char *const tags[] = {
        "\"Orientation\"", "\"XResolution\"", "\"YResolution\"", "\"ResolutionUnit\"", "\"Threshholding\"",
    };
    for (size_t index = 0; index < sizeof tags / sizeof *tags; index++) {
        if (strstr(text, tags[index])) {
            return 1;
        }
    }
    return 0;
}

static int keepError(void *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    apus_tiff_file *file = data;
    char text[apus_tiff_message_capacity];
    vsnprintf(text, sizeof text, format, arguments);
    if (module && !strcmp(module, "_TIFFVSetField") && isAboutUnneededTag(text)) {
        if (!file->warning[0]) {
            memcpy(file->warning, text, sizeof text);
        }
        if (strstr(text, "\"Orientation\"")) {
            file->has_invalid_orientation = 1;
        }
    } else if (!file->message[0]) {
        memcpy(file->message, text, sizeof text);
    }
    return 1;
}

static int ignoreWarning(void *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)data, (void)module, (void)format, (void)arguments;
    return 1;
}

/// Makes a header that names a directory as the first one. Source: TIFF 6.0, section 2; for 64 bits, BigTIFF.
static void setDirectory(apus_tiff_file *file, uint64_t directory) {
    file->header_count = file->count < sizeof file->header ? file->count : sizeof file->header;
    memcpy(file->header, file->bytes, file->header_count);
    int isBigEndian = file->header[0] == 'M';
    int isBig = file->header[isBigEndian ? 3 : 2] == 43;
    size_t start = isBig ? 8 : 4;
    size_t width = isBig ? 8 : 4;
    for (size_t index = 0; index < width; index++) {
        size_t shift = 8 * (isBigEndian ? width - 1 - index : index);
        file->header[start + index] = (uint8_t)(directory >> shift);
    }
}

int apus_tiff_open(
    const apus_tiff *table, apus_tiff_file *file, const uint8_t *bytes, size_t count, size_t allocation_limit,
    uint64_t directory) {
    memset(file, 0, sizeof *file);
    file->bytes = bytes;
    file->count = count;
    if (directory > 0) {
        setDirectory(file, directory);
    }
    void *options = table->TIFFOpenOptionsAlloc();
    if (!options) {
        return 0;
    }
    table->TIFFOpenOptionsSetMaxSingleMemAlloc(options, (ptrdiff_t)allocation_limit);
    table->TIFFOpenOptionsSetErrorHandlerExtR(options, keepError, file);
    table->TIFFOpenOptionsSetWarningHandlerExtR(options, ignoreWarning, file);
    // m: the file is not mapped.
    file->file = table->TIFFClientOpenExt(
        "picture", "rm", file, readBytes, refuseWriting, seek, closeNothing, size, refuseMapping, unmapNothing,
        options);
    table->TIFFOpenOptionsFree(options);
    return file->file != NULL;
}

void apus_tiff_close(const apus_tiff *table, apus_tiff_file *file) {
    if (file->file) {
        table->TIFFClose(file->file);
        file->file = NULL;
    }
}

void apus_tiff_read_page(const apus_tiff *table, apus_tiff_file *file, apus_tiff_page *page) {
    void *tiff = file->file;
    memset(page, 0, sizeof *page);
    table->TIFFGetField(tiff, ImageWidth, &page->width);
    table->TIFFGetField(tiff, ImageLength, &page->height);
    table->TIFFGetFieldDefaulted(tiff, BitsPerSample, &page->bits);
    table->TIFFGetFieldDefaulted(tiff, SamplesPerPixel, &page->samples);
    table->TIFFGetFieldDefaulted(tiff, Compression, &page->compression);
    table->TIFFGetFieldDefaulted(tiff, PlanarConfiguration, &page->planar);
    table->TIFFGetFieldDefaulted(tiff, SampleFormat, &page->sample_format);
    page->has_orientation = table->TIFFGetField(tiff, Orientation, &page->orientation);
    table->TIFFGetField(tiff, Photometric, &page->photometric);
    uint16_t *extras = NULL;
    if (table->TIFFGetField(tiff, ExtraSamples, &page->extra_count, &extras) && page->extra_count && extras) {
        page->first_extra = extras[0];
    }
    uint16_t *red = NULL, *green = NULL, *blue = NULL;
    if (page->bits <= 16 && table->TIFFGetField(tiff, ColorMap, &red, &green, &blue)) {
        page->red = red, page->green = green, page->blue = blue;
    }
    uint32_t count = 0;
    void *profile = NULL;
    if (table->TIFFGetField(tiff, ColorProfile, &count, &profile)) {
        page->profile = profile, page->profile_count = count;
    }
    void *xmp = NULL;
    if (table->TIFFGetField(tiff, XMP, &count, &xmp)) {
        page->xmp = xmp, page->xmp_count = count;
    }
    if (page->compression == CompressionJPEG && page->photometric == PhotometricYCbCr && page->planar == Contiguous) {
        table->TIFFSetField(tiff, JPEGColorMode, 1);
    }
    page->is_codec_known = table->TIFFIsCODECConfigured(page->compression);
    page->is_tiled = table->TIFFIsTiled(tiff);
    if (page->is_tiled) {
        table->TIFFGetField(tiff, TileWidth, &page->block_width);
        table->TIFFGetField(tiff, TileLength, &page->block_height);
        page->block_count = table->TIFFNumberOfTiles(tiff);
        page->block_bytes = table->TIFFTileSize64(tiff);
    } else {
        page->block_width = page->width;
        table->TIFFGetFieldDefaulted(tiff, RowsPerStrip, &page->block_height);
        page->block_count = table->TIFFNumberOfStrips(tiff);
        page->block_bytes = table->TIFFStripSize64(tiff);
    }
}
