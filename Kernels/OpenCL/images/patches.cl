// Where the rows of a convolution's product read and write channels-last images.
//
// A row is an output pixel: row (image · height + y) · width + x. A work-group keeps 16 bytes of local memory for each
// of its TILE_M rows: while it multiplies, the patch that the row reads; then the places to which it is stored. This
// takes one division for each row, and none of the registers that the rows of a work-item would take.
//
// Macros: TILE_M, THREADS, LEFT_LANES.

// Elements from one image, row and pixel to the next.
typedef struct {
    long image;
    int row, pixel;
} image_strides;

typedef struct {
    int rows, height, width;
} output_pixels;

// The pixel under the first tap of a row: its place in the input, and its coordinates, which may lie outside.
typedef struct {
    long start;
    int y, x;
} patch;

typedef struct {
    long output, addend;
} output_place;

#define PATCH_BYTES (TILE_M * 16)
// The rows between those of two loads of a work-item.
#define ROWS_APART (THREADS / LEFT_LANES)
// The y of rows outside the product: outside every image, whatever the tap.
#define NO_ROW (INT_MIN / 2)

static inline int image_of(const output_pixels *pixels, int row) { return row / (pixels->height * pixels->width); }

static inline int2 pixel_of(const output_pixels *pixels, int row) {
    const int pixel = row % (pixels->height * pixels->width);
    return (int2)(pixel % pixels->width, pixel / pixels->width);
}

static inline long place_of(const image_strides *strides, int image, int2 pixel) {
    return image * strides->image + (long)pixel.y * strides->row + (long)pixel.x * strides->pixel;
}

// Writes the patches of the group's rows. A barrier must follow.
static inline void find_patches(
    __local patch *patches, int thread, int first_row, const output_pixels *pixels, const image_strides *input,
    int2 stride, int2 padding) {
    for (int i = thread; i < TILE_M; i += THREADS) {
        const int row = first_row + i;
        const int2 first = pixel_of(pixels, row) * stride - padding;
        patches[i].start = place_of(input, image_of(pixels, row), first);
        patches[i].y = row < pixels->rows ? first.y : NO_ROW;
        patches[i].x = first.x;
    }
}

// Writes the places of the group's rows over its patches, after which all work-items know them.
static inline void find_places(
    __local output_place *places, int thread, int first_row, const output_pixels *pixels, const image_strides *output,
    const image_strides *addend) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = thread; i < TILE_M; i += THREADS) {
        const int row = first_row + i, image = image_of(pixels, row);
        const int2 pixel = pixel_of(pixels, row);
        places[i].output = place_of(output, image, pixel);
        places[i].addend = place_of(addend, image, pixel);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The element of the depth at which a work-item reads: a tap of the kernel, and a unit of its channels.
typedef struct {
    int unit, kx, ky;
    int units, kernel_height, kernel_width, dilation_height, dilation_width;
    int height, width, row_stride, pixel_stride;
} tap;

static inline tap tap_at(
    int depth, int units, int2 kernel_size, int2 dilation, int height, int width, const image_strides *input) {
    const tap at = {
        depth % units, depth / units % kernel_size.x, depth / units / kernel_size.x, units, kernel_size.y,
        kernel_size.x, dilation.y, dilation.x, height, width, input->row, input->pixel};
    return at;
}

static inline void advance_tap(tap *at, int units) {
    at->unit += units;
    while (at->unit >= at->units && at->ky < at->kernel_height) {
        at->unit -= at->units;
        if (++at->kx == at->kernel_width) {
            at->kx = 0;
            at->ky++;
        }
    }
}

// Whether the tap lies in the kernel, and its pixel in the image.
static inline int is_inside(const tap *at, const patch *from) {
    return at->ky < at->kernel_height && (uint)(from->y + at->ky * at->dilation_height) < (uint)at->height &&
           (uint)(from->x + at->kx * at->dilation_width) < (uint)at->width;
}

// The place of the tap's pixel in the input.
static inline long place_under(const tap *at, const patch *from) {
    return from->start + (long)(at->ky * at->dilation_height) * at->row_stride +
           (long)(at->kx * at->dilation_width) * at->pixel_stride;
}
