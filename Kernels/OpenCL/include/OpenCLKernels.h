#ifndef APUS_OPENCL_KERNELS_H
#define APUS_OPENCL_KERNELS_H

/// The files of OpenCL C that make up programs. "After" names the file that must precede one in a program.
typedef enum {
    /// Attention whose scores stay in local memory.
    APUS_OPENCL_ATTENTION,
    /// The beginning of every program.
    APUS_OPENCL_COMMON,
    /// Convolutions as products of gathered rows, after the tiles.
    APUS_OPENCL_CONVOLUTION,
    /// Copies between strided arrays, after the walks.
    APUS_OPENCL_COPY,
    /// Convolutions with one filter per channel.
    APUS_OPENCL_DEPTHWISE,
    /// Dot products of four bytes, and the rounding of their sums.
    APUS_OPENCL_DOT,
    /// Chains of functions of one element, after the walks and the stages.
    APUS_OPENCL_ELEMENTWISE,
    /// Stacked matrix products, after the tiles.
    APUS_OPENCL_GEMM,
    /// Convolutions of 8-bit integers as products of gathered rows, after what becomes of sums.
    APUS_OPENCL_INTEGER_CONVOLUTION,
    /// Convolutions of 8-bit integers with filters of one channel, after dot products.
    APUS_OPENCL_INTEGER_DEPTHWISE,
    /// Functions of one or two 8-bit integers, after the walks and dot products.
    APUS_OPENCL_INTEGER_ELEMENTWISE,
    /// Stacked products of matrices of 8-bit integers, after what becomes of sums.
    APUS_OPENCL_INTEGER_GEMM,
    /// Pooling of 8-bit integers, after dot products.
    APUS_OPENCL_INTEGER_POOLING,
    /// Bilinear resizing of images of 8-bit integers, after dot products.
    APUS_OPENCL_INTEGER_PRODUCT,
    APUS_OPENCL_INTEGER_RESIZE,
    /// What becomes of the sums of 8-bit integers, after their tiles.
    APUS_OPENCL_INTEGER_RESULTS,
    /// Softmax and normalisation of rows of 8-bit integers, after dot products.
    APUS_OPENCL_INTEGER_ROWS,
    /// Tiles of 8-bit integers, after dot products.
    APUS_OPENCL_INTEGER_TENSOR_TILE,
    APUS_OPENCL_INTEGER_TILE,
    /// Measurements of a device's peak throughput.
    APUS_OPENCL_LIMITS,
    /// Products of rows with weights of 4 bits.
    APUS_OPENCL_NIBBLES,
    /// Local response normalisation.
    APUS_OPENCL_NORMALIZATION,
    /// The packing of 8-bit integers that are multiplied.
    APUS_OPENCL_PACK_WORDS,
    /// Sums over the parts of a product.
    APUS_OPENCL_PARTS,
    APUS_OPENCL_PATCHES,
    /// Max and average pooling.
    APUS_OPENCL_POOLING,
    /// The part that all matrix products share.
    APUS_OPENCL_PRODUCT,
    /// Numbers that become 8-bit integers with scales that are found.
    APUS_OPENCL_QUANTIZATION,
    /// Reductions over axes and softmax, after the walks.
    APUS_OPENCL_REDUCTION,
    /// Resizing of images.
    APUS_OPENCL_RESIZE,
    /// Functions of one element that follow one another.
    APUS_OPENCL_SEARCH,
    APUS_OPENCL_STAGES,
    /// NVIDIA's tensor cores.
    APUS_OPENCL_STAGING,
    APUS_OPENCL_TENSOR,
    APUS_OPENCL_TENSOR_ATTENTION,
    /// A small product on tensor cores, after tensor cores.
    /// Tiles multiplied on tensor cores, after tensor cores and the shared part of products.
    APUS_OPENCL_TENSOR_TILE,
    /// Tiles multiplied in float32, after the shared part of products.
    APUS_OPENCL_TILE,
    /// Walks over strided arrays.
    APUS_OPENCL_WALK,
    /// Convolutions and pooling over one or three spatial axes.
    APUS_OPENCL_WINDOWS,
    /// Winograd's transforms.
    APUS_OPENCL_WINOGRAD,
} apus_opencl_file;

/// The function of `stages.cl` that computes the function called `name` in the table of functions; null when
/// devices have no kernel for it.
const char *_Nullable apus_opencl_stage(const char *_Nonnull name);

/// The number by which kernels know the function called `name` as an activation; 0 when it may not be one.
int apus_opencl_activation(const char *_Nonnull name);

/// The text of a file.
const char *_Nonnull apus_opencl_text(apus_opencl_file file);

#endif
