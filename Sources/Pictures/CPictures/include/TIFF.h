#ifndef APUS_TIFF_H
#define APUS_TIFF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/// Functions of libtiff 4.5 and later, whose file name ends with .6. Source: tiffio.h
#define APUS_TIFF_FUNCTIONS(F) \
    F(void *, TIFFOpenOptionsAlloc, (void)) \
    F(void, TIFFOpenOptionsFree, (void *options)) \
    F(void, TIFFOpenOptionsSetMaxSingleMemAlloc, (void *options, ptrdiff_t count)) \
    F(void, TIFFOpenOptionsSetErrorHandlerExtR, \
      (void *options, int (*handler)(void *, void *, const char *, const char *, va_list), void *data)) \
    F(void, TIFFOpenOptionsSetWarningHandlerExtR, \
      (void *options, int (*handler)(void *, void *, const char *, const char *, va_list), void *data)) \
    F(void *, TIFFClientOpenExt, \
      (const char *name, const char *mode, void *data, ptrdiff_t (*read)(void *, void *, ptrdiff_t), \
       ptrdiff_t (*write)(void *, void *, ptrdiff_t), uint64_t (*seek)(void *, uint64_t, int), int (*close)(void *), \
       uint64_t (*size)(void *), int (*map)(void *, void **, uint64_t *), void (*unmap)(void *, void *, uint64_t), \
       void *options)) \
    F(void, TIFFClose, (void *file)) \
    F(int, TIFFGetField, (void *file, uint32_t tag, ...)) \
    F(int, TIFFGetFieldDefaulted, (void *file, uint32_t tag, ...)) \
    F(int, TIFFSetField, (void *file, uint32_t tag, ...)) \
    F(int, TIFFIsTiled, (void *file)) \
    F(int, TIFFIsCODECConfigured, (uint16_t compression)) \
    F(uint32_t, TIFFNumberOfStrips, (void *file)) \
    F(uint32_t, TIFFNumberOfTiles, (void *file)) \
    F(uint64_t, TIFFStripSize64, (void *file)) \
    F(uint64_t, TIFFTileSize64, (void *file)) \
    F(ptrdiff_t, TIFFReadEncodedStrip, (void *file, uint32_t strip, void *buffer, ptrdiff_t count)) \
    F(ptrdiff_t, TIFFReadEncodedTile, (void *file, uint32_t tile, void *buffer, ptrdiff_t count)) \
    F(int, TIFFReadRGBAImageOriented, \
      (void *file, uint32_t width, uint32_t height, uint32_t *pixels, int orientation, int stops))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
typedef struct {
    APUS_TIFF_FUNCTIONS(APUS_DECLARE)
} apus_tiff;
#undef APUS_DECLARE

const char *apus_tiff_load(apus_tiff *table, const char *library);

enum { apus_tiff_message_capacity = 200 };

/// A file that lies in memory, and is open. It is at a constant address until it is closed.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    size_t position;
    /// The beginning of the file, which names the wanted directory as the first one.
    uint8_t header[16];
    size_t header_count;
    void *file;
    /// The first error.
    char message[apus_tiff_message_capacity];
    /// The first error about a tag that the pixels do not need; the library goes on without it.
    char warning[apus_tiff_message_capacity];
    int has_invalid_orientation;
} apus_tiff_file;

/// What a page's directory says; fields that are absent have TIFF's defaults.
typedef struct {
    uint32_t width, height;
    /// The size of a tile; for strips, the width of the page and the rows of a strip.
    uint32_t block_width, block_height;
    uint32_t block_count;
    /// The bytes of a whole decoded strip or tile.
    uint64_t block_bytes;
    uint16_t bits, samples, photometric, planar, sample_format, compression, orientation;
    uint16_t extra_count;
    /// What the first sample beyond the colors is: 0 nothing, 1 premultiplied alpha, 2 alpha.
    uint16_t first_extra;
    int is_tiled;
    int has_orientation;
    int is_codec_known;
    /// 1 << bits entries of 16 bits each; NULL without a palette.
    const uint16_t *red, *green, *blue;
    const uint8_t *profile;
    uint32_t profile_count;
    /// The packet of XMP; NULL without one.
    const uint8_t *xmp;
    uint32_t xmp_count;
} apus_tiff_page;

/// Opens a file at a directory. Nothing is mapped, and no allocation of the library is larger than `allocation_limit`.
///
/// - directory: The offset of the directory, which the library then takes for the first, so that it does not walk
///   there; 0 for the first.
///
/// Returns 1, or 0 with a message. A file that was opened has to be closed.
int apus_tiff_open(
    const apus_tiff *table, apus_tiff_file *file, const uint8_t *bytes, size_t count, size_t allocation_limit,
    uint64_t directory);

void apus_tiff_close(const apus_tiff *table, apus_tiff_file *file);

/// Reads what the directory says. Pixels compressed by JPEG are then decoded to RGB.
void apus_tiff_read_page(const apus_tiff *table, apus_tiff_file *file, apus_tiff_page *page);

#endif
