#ifndef PNG_READING_H
#define PNG_READING_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    PNGReadingOK = 0,
    PNGReadingTruncated,
    PNGReadingCorrupt,
    PNGReadingOutOfMemory,
} PNGReadingStatus;

enum { PNGReadingMessageCapacity = 160 };

/// Decodes a PNG file that lies in memory to 8-bit RGB, or RGB with alpha, without gaps.
///
/// Grey is repeated in the three channels, palettes are looked up, alpha and transparency are dropped unless wanted,
/// and samples of 16 bits keep their high byte. Checksums of all chunks up to and including IEND are verified.
///
/// - bytes, byteCount: the file.
/// - width, height: the size that the caller read from IHDR; another size in the file is an error.
/// - hasAlpha: whether a pixel has a fourth byte, its alpha.
/// - pixels: 3 or 4 * width * height bytes, written row by row; partly written when the status is not OK.
/// - message: receives one line that says what is wrong; PNGReadingMessageCapacity bytes.
PNGReadingStatus PNGReadingDecode(
    const uint8_t *bytes, size_t byteCount, uint32_t width, uint32_t height, int hasAlpha, uint8_t *pixels,
    char *message);

/// Decodes a PNG file that lies in memory to the numbers of its pixels: levels of grey, or indices of its palette.
///
/// - numbers: width * height numbers, written row by row; partly written when the status is not OK.
/// - The other parameters are those of PNGReadingDecode. Files of colors are an error.
PNGReadingStatus PNGReadingNumbers(
    const uint8_t *bytes, size_t byteCount, uint32_t width, uint32_t height, uint16_t *numbers, char *message);

enum { PNGReadingProfileCapacity = 1 << 22 };

/// Reads the ICC profile of a PNG file that lies in memory.
///
/// - profile, capacity: receives the profile.
///
/// Returns the number of bytes of the profile; 0 without one, or when it is damaged or larger than the capacity.
size_t PNGReadingColorProfile(const uint8_t *bytes, size_t byteCount, uint8_t *profile, size_t capacity);

#endif
