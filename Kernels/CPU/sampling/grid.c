#include "apus_sampling.h"
#include "../target.h"

#include <math.h>

enum { MAXIMUM_TAPS = 4 };

/// The elements of an axis that a position takes its value from, and their weights.
typedef struct {
    ptrdiff_t count;
    ptrdiff_t index[MAXIMUM_TAPS];
    double weight[MAXIMUM_TAPS];
} axis_taps;

/// The position on the axis that replaces one outside.
static double inside(double position, ptrdiff_t extent, const apus_sampled_image *image) {
    const double last = (double)(extent - 1);
    if (image->padding == APUS_SAMPLING_ZEROS) return position;
    if (image->padding == APUS_SAMPLING_REFLECTION) {
        const double lower = image->aligns_corners ? 0 : -0.5;
        const double span = last - 2 * lower;
        if (!(span > 0) || !isfinite(position)) return 0;
        const double distance = fmod(fabs(position - lower), 2 * span);
        position = lower + (distance > span ? 2 * span - distance : distance);
    }
    return fmin(fmax(position, 0), last);
}

static void add_tap(axis_taps *taps, double position, double weight, ptrdiff_t extent) {
    if (weight == 0 || !(position >= 0) || !(position <= (double)(extent - 1))) return;
    taps->index[taps->count] = (ptrdiff_t)position;
    taps->weight[taps->count] = weight;
    taps->count++;
}

/// Keys' piecewise cubic with the parameter −0.75.
static double cubic(double distance) {
    const double a = -0.75, x = fabs(distance);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static axis_taps taps_at(float coordinate, ptrdiff_t extent, const apus_sampled_image *image) {
    axis_taps taps = {.count = 0};
    const double normal = isnan(coordinate) ? -1 : coordinate;
    const double position = image->aligns_corners ? (normal + 1) / 2 * (double)(extent - 1)
                                                  : ((normal + 1) * (double)extent - 1) / 2;
    if (image->mode == APUS_SAMPLING_NEAREST) {
        add_tap(&taps, inside(nearbyint(position), extent, image), 1, extent);
    } else if (image->mode == APUS_SAMPLING_LINEAR) {
        const double center = inside(position, extent, image), first = floor(center);
        add_tap(&taps, first, 1 - (center - first), extent);
        add_tap(&taps, first + 1, center - first, extent);
    } else {
        const double first = floor(position), fraction = position - first;
        if (!isfinite(fraction)) return taps;
        for (int step = -1; step <= 2; step++)
            add_tap(&taps, inside(first + step, extent, image), cubic(fraction - step), extent);
    }
    return taps;
}

/// output = Σ weight · pixel over the taps, for `count` channels.
APUS_KERNEL static void sum_taps(
    const float *const *pixels, const float *weights, ptrdiff_t tap_count, ptrdiff_t count, float *output) {
    for (ptrdiff_t c = 0; c < count; c++) output[c] = 0;
    ptrdiff_t tap = 0;
    for (; tap + 4 <= tap_count; tap += 4) {
        const float *a = pixels[tap], *b = pixels[tap + 1], *d = pixels[tap + 2], *e = pixels[tap + 3];
        const float p = weights[tap], q = weights[tap + 1], r = weights[tap + 2], s = weights[tap + 3];
        for (ptrdiff_t c = 0; c < count; c++) output[c] += p * a[c] + q * b[c] + r * d[c] + s * e[c];
    }
    for (; tap < tap_count; tap++)
        for (ptrdiff_t c = 0; c < count; c++) output[c] += weights[tap] * pixels[tap][c];
}

void apus_sample_points(
    const apus_sampled_image *image, const float *grid, ptrdiff_t count, float *output, ptrdiff_t output_stride) {
    for (ptrdiff_t point = 0; point < count; point++) {
        const axis_taps columns = taps_at(grid[2 * point], image->width, image);
        const axis_taps rows = taps_at(grid[2 * point + 1], image->height, image);
        const float *pixels[MAXIMUM_TAPS * MAXIMUM_TAPS];
        float weights[MAXIMUM_TAPS * MAXIMUM_TAPS];
        ptrdiff_t tap_count = 0;
        for (ptrdiff_t y = 0; y < rows.count; y++)
            for (ptrdiff_t x = 0; x < columns.count; x++) {
                pixels[tap_count] =
                    image->pixels + rows.index[y] * image->row_stride + columns.index[x] * image->pixel_stride;
                weights[tap_count++] = (float)(rows.weight[y] * columns.weight[x]);
            }
        sum_taps(pixels, weights, tap_count, image->channel_count, output + point * output_stride);
    }
}
