#ifndef APUS_WINOGRAD_H
#define APUS_WINOGRAD_H

#include "apus_activation.h"
#include "apus_processor.h"

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Winograd's minimal filtering F(m, r), which computes m outputs of r taps along an axis by m + r − 1 products.
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

/// The outputs of a tile, m, and the taps of a filter, r, along both axes.
typedef struct {
    ptrdiff_t tile_height, tile_width;
    ptrdiff_t kernel_height, kernel_width;
    ptrdiff_t stride_height, stride_width;
    /// The elements of an input tile, which is also the number of products per tile and pair of channels. With stride
    /// 1, m + r − 1 of one axis times m + r − 1 of the other.
    ptrdiff_t product_count;
    /// The different factors of those products, which are the elements of a transformed filter.
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
    /// Whether `weights` are packed untransformed, and transformed for every block of tiles: fewer bytes to read, more
    /// arithmetic.
    int transforms_weights;
} apus_winograd_layer;

/// The memory that a run of consecutive tiles reads and writes.
typedef struct {
    const float *input;
    /// `input_channels` zeros, which stand for the pixels outside the image.
    const float *zeros;
    /// Weights as `apus_winograd_pack` packs them, and one element of bias for each column of the panels.
    const float *weights, *bias;
    /// The addend of the outputs before the activation; may be NULL, and may be `output`.
    const float *_Nullable addend;
    float *output;
    /// The run's transformed inputs: `apus_winograd_transformed_count` elements, on a 64-byte boundary.
    float *transformed;
    ptrdiff_t first_tile, tile_count;
} apus_winograd_run;

/// The kernels of one kind for one instruction set. The bits of an output depend only on the layer's extents.
typedef struct {
    /// The maximum tiles of a register tile.
    ptrdiff_t tile_rows;
    /// Columns of a panel of weights.
    ptrdiff_t panel_columns;
    /// Transforms channels [first_channel, last_channel) of the inputs of `count` tiles, from tile `first` of the run
    /// on. `first_channel` is a multiple of 16, and so is `last_channel`, unless it is `input_channels`.
    void (*transform)(
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,
        ptrdiff_t first_channel, ptrdiff_t last_channel);
    /// Multiplies transformed tiles by panels of weights and stores the outputs. `scratch` has
    /// `apus_winograd_scratch_count` elements and starts on a 64-byte boundary.
    void (*multiply)(
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,
        ptrdiff_t first_panel, ptrdiff_t last_panel, float *scratch);
} apus_winograd_kernel;

/// The kernels that every processor of the architecture runs, by kind.
extern const apus_winograd_kernel apus_winograd_baseline[];

/// The kernels of an instruction set; NULL when this build has none.
const apus_winograd_kernel *_Nullable apus_winograd_kernel_for(apus_instructions instructions, apus_winograd_kind kind);

/// The kernels that find bfloat16 in place of floats, `transform` at `input` and `zeros`, `multiply` at `addend` and
/// `output`, and whose arithmetic is that of float32; NULL where the processor or this build has none.
const apus_winograd_kernel *_Nullable apus_winograd_of_bfloat16_for(
    apus_instructions instructions, apus_winograd_kind kind);

/// The number of elements of the transformed inputs of `tile_count` tiles.
ptrdiff_t apus_winograd_transformed_count(apus_winograd_kind kind, ptrdiff_t input_channels, ptrdiff_t tile_count);

/// The number of elements of scratch memory for multiplying `tile_count` tiles.
ptrdiff_t apus_winograd_scratch_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t tile_count, int transforms_weights);

/// The number of elements of packed weights.
ptrdiff_t apus_winograd_packed_count(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, ptrdiff_t input_channels, ptrdiff_t output_channels,
    int transforms_weights);

/// Packs weights [output_channels][input_channels][kernel_height][kernel_width] into panels. It transforms them in
/// double precision, unless `transforms_weights`: then the layer transforms them while it runs.
void apus_winograd_pack(
    apus_winograd_kind kind, const apus_winograd_kernel *kernel, const float *weights, ptrdiff_t input_channels,
    ptrdiff_t output_channels, int transforms_weights, float *packed);

#pragma clang assume_nonnull end

#endif
