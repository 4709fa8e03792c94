#ifndef APUS_WINOGRAD_H
#define APUS_WINOGRAD_H

#include "apus_activation.h"
#include "apus_processor.h"

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Winograd's minimal filtering F(m, r): m outputs of r taps along an axis by m + r − 1 products.
///
/// A tile of outputs is Y = Aᵀ[Σ over input channels of (G g Gᵗ) ⊙ (Bᵗ d B)]A, where d is a tile of the input and g the
/// taps of a filter. The matrices are those of Toom and Cook for the points 0, ±p₀, ±p₁, …, ∞.
/// Lavin and Gray, https://arxiv.org/abs/1509.09308; Barabasz et al. on points, https://arxiv.org/abs/1803.10986.
typedef enum {
    APUS_WINOGRAD_2X2_3X3,
    APUS_WINOGRAD_4X4_3X3,
    APUS_WINOGRAD_2X2_5X5,
    APUS_WINOGRAD_3X3_4X4,
    APUS_WINOGRAD_1X4_1X3,
    APUS_WINOGRAD_1X2_1X7,
    APUS_WINOGRAD_5X5_3X3_STRIDE_2,
} apus_winograd_kind;

/// Outputs of a tile, m, and taps of the filter, r, along both axes.
typedef struct {
    ptrdiff_t tile_height, tile_width;
    ptrdiff_t kernel_height, kernel_width;
    ptrdiff_t stride_height, stride_width;
    /// Elements of an input tile, and products per tile and pair of channels: with stride 1, m + r − 1 of both axes
    /// multiplied.
    ptrdiff_t product_count;
    /// Different factors of those products: elements of a transformed filter.
    ptrdiff_t factor_count;
} apus_winograd_shape;

apus_winograd_shape apus_winograd_shape_of(apus_winograd_kind kind);

/// A convolution over channels-last images, whose tiles are numbered image by image, row by row.
/// Strides are in elements. To convolve down columns with a filter of one row, exchange rows and pixels.
typedef struct {
    ptrdiff_t input_height, input_width, input_channels;
    ptrdiff_t input_image_stride, input_row_stride, input_pixel_stride;
    ptrdiff_t output_height, output_width, output_channels;
    ptrdiff_t output_image_stride, output_row_stride, output_pixel_stride;
    ptrdiff_t addend_image_stride, addend_row_stride, addend_pixel_stride;
    ptrdiff_t padding_top, padding_left;
    apus_activation activation;
    /// Whether `weights` are packed as they are and transformed anew for every block of tiles: fewer bytes to read,
    /// more arithmetic.
    int transforms_weights;
} apus_winograd_layer;

/// What a run of consecutive tiles reads and writes.
typedef struct {
    const float *input;
    /// `input_channels` zeros, read outside the image.
    const float *zeros;
    /// As `apus_winograd_pack` makes them, and as many elements of bias as the panels have columns.
    const float *weights, *bias;
    /// Added before the activation; may be NULL, and may be `output`.
    const float *_Nullable addend;
    float *output;
    /// The run's transformed inputs: `apus_winograd_transformed_count` elements, on a 64-byte boundary.
    float *transformed;
    ptrdiff_t first_tile, tile_count;
} apus_winograd_run;

/// The kernels of one kind for one instruction set. The bits of an output depend on nothing but the layer's extents.
typedef struct {
    /// The most tiles of a register tile.
    ptrdiff_t tile_rows;
    /// Columns of a panel of weights.
    ptrdiff_t panel_columns;
    /// Transforms the inputs of `count` tiles of a run from its tile `first` on, of channels [first_channel,
    /// last_channel); `first_channel` is a multiple of 16, and so is `last_channel` unless it is the last.
    void (*transform)(
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,
        ptrdiff_t first_channel, ptrdiff_t last_channel);
    /// Multiplies transformed tiles with panels of weights and stores the outputs. Scratch is
    /// `apus_winograd_scratch_count` elements, on a 64-byte boundary.
    void (*multiply)(
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,
        ptrdiff_t first_panel, ptrdiff_t last_panel, float *scratch);
} apus_winograd_kernel;

/// The kernels that every processor of the architecture runs, by kind.
extern const apus_winograd_kernel apus_winograd_baseline[];

/// The kernels of an instruction set; NULL when this build has none.
const apus_winograd_kernel *_Nullable apus_winograd_kernel_for(apus_instructions instructions, apus_winograd_kind kind);

/// Elements of the transformed inputs of `tile_count` tiles.
ptrdiff_t apus_winograd_transformed_count(apus_winograd_kind kind, ptrdiff_t input_channels, ptrdiff_t tile_count);

/// Elements of scratch memory for multiplying `tile_count` tiles.
ptrdiff_t apus_winograd_scratch_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t tile_count, int transforms_weights);

/// Elements of packed weights.
ptrdiff_t apus_winograd_packed_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t input_channels, ptrdiff_t output_channels,
    int transforms_weights);

/// Packs weights [output_channels][input_channels][kernel_height][kernel_width] into panels, transformed in double
/// precision unless the layer transforms them while it runs.
void apus_winograd_pack(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, const float *weights, ptrdiff_t input_channels,
    ptrdiff_t output_channels, int transforms_weights, float *packed);

#pragma clang assume_nonnull end

#endif
