import CPUKernels
import Graphs

/// A random convolution over channels-last images that are slices of larger ones.
struct RandomWinograd: CustomStringConvertible {
    let kind: apus_winograd_kind
    let shape: apus_winograd_shape
    var layer: apus_winograd_layer
    let images: Int
    let input: [Float]
    let weights: [Float]
    var bias: [Float]
    let addend: [Float]?
    /// The number of elements of the output, including gaps.
    let outputCount: Int

    init(_ kind: apus_winograd_kind, transformsWeights: Bool, _ generator: inout SplitMix64) {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        self.kind = kind
        let shape = apus_winograd_shape_of(kind)
        self.shape = shape
        let images = number(1...3)
        self.images = images
        let channels = number(0...4) == 0 ? [number(60...70), number(257...260)][number(0...1)] : number(1...40)
        let features = number(0...4) == 0 ? number(60...70) : number(1...40)
        let (top, bottom) = (number(0...shape.kernel_height), number(0...shape.kernel_height))
        let (left, right) = (number(0...shape.kernel_width), number(0...shape.kernel_width))
        let height = number(max(1, shape.kernel_height - top - bottom)...13 * shape.stride_height)
        let width = number(max(1, shape.kernel_width - left - right)...13 * shape.stride_width)
        let (outputHeight, outputWidth) = (
            (height + top + bottom - shape.kernel_height) / shape.stride_height + 1,
            (width + left + right - shape.kernel_width) / shape.stride_width + 1
        )
        /// Strides of pixels, rows and images with gaps.
        func strides(_ height: Int, _ width: Int, _ channels: Int) -> (pixel: Int, row: Int, image: Int) {
            let pixel = channels + [0, 0, 3][number(0...2)]
            let row = width * pixel + [0, 0, 5][number(0...2)]
            return (pixel, row, height * row + [0, 7][number(0...1)])
        }
        let from = strides(height, width, channels)
        let to = strides(outputHeight, outputWidth, features)
        let added = strides(outputHeight, outputWidth, features)
        let activations = [
            apus_activation(kind: APUS_ACTIVATION_NONE, low: 0, high: 0),
            apus_activation(kind: APUS_ACTIVATION_RELU, low: 0, high: 0),
            apus_activation(kind: APUS_ACTIVATION_CLIP, low: -0.5, high: 0.75),
            apus_activation(kind: APUS_ACTIVATION_LEAKY_RELU, low: 0.25, high: 0),
        ]
        layer = apus_winograd_layer(
            input_height: height, input_width: width, input_channels: channels, input_image_stride: from.image,
            input_row_stride: from.row, input_pixel_stride: from.pixel, output_height: outputHeight,
            output_width: outputWidth, output_channels: features, output_image_stride: to.image,
            output_row_stride: to.row, output_pixel_stride: to.pixel, addend_image_stride: added.image,
            addend_row_stride: added.row, addend_pixel_stride: added.pixel, padding_top: top, padding_left: left,
            activation: activations[number(0...3)], transforms_weights: transformsWeights ? 1 : 0)
        outputCount = images * to.image
        func values(_ count: Int) -> [Float] { (0..<count).map { _ in Float.random(in: -1...1, using: &generator) } }
        input = values(images * from.image)
        weights = values(features * channels * shape.kernel_height * shape.kernel_width)
        bias = values(features)
        addend = number(0...1) == 0 ? values(images * added.image) : nil
    }

    var tilesPerImage: Int {
        ((layer.output_height + shape.tile_height - 1) / shape.tile_height)
            * ((layer.output_width + shape.tile_width - 1) / shape.tile_width)
    }

    var tileCount: Int { images * tilesPerImage }

    /// The index of an output.
    func outputPosition(_ image: Int, _ y: Int, _ x: Int, _ feature: Int) -> Int {
        image * layer.output_image_stride + y * layer.output_row_stride + x * layer.output_pixel_stride + feature
    }

    /// An output in float64, and the sum of the magnitudes of its terms.
    func expected(_ image: Int, _ y: Int, _ x: Int, _ feature: Int) -> (value: Double, magnitude: Double) {
        var (sum, magnitude) = (Double(bias[feature]), abs(Double(bias[feature])))
        let addendPosition =
            image * layer.addend_image_stride + y * layer.addend_row_stride + x * layer.addend_pixel_stride + feature
        if let addend {
            sum += Double(addend[addendPosition])
            magnitude += abs(Double(addend[addendPosition]))
        }
        for ky in 0..<shape.kernel_height {
            for kx in 0..<shape.kernel_width {
                let row = y * shape.stride_height - layer.padding_top + ky
                let column = x * shape.stride_width - layer.padding_left + kx
                guard row >= 0, row < layer.input_height, column >= 0, column < layer.input_width else { continue }
                let pixel =
                    image * layer.input_image_stride + row * layer.input_row_stride
                    + column * layer.input_pixel_stride
                for channel in 0..<layer.input_channels {
                    let filter = (feature * layer.input_channels + channel) * shape.kernel_height + ky
                    let product = Double(input[pixel + channel]) * Double(weights[filter * shape.kernel_width + kx])
                    sum += product
                    magnitude += abs(product)
                }
            }
        }
        let (low, high) = (Double(layer.activation.low), Double(layer.activation.high))
        switch layer.activation.kind {
        case APUS_ACTIVATION_RELU: return (max(sum, 0), magnitude)
        case APUS_ACTIVATION_CLIP: return (min(max(sum, low), high), magnitude)
        case APUS_ACTIVATION_LEAKY_RELU: return (sum < 0 ? low * sum : sum, magnitude)
        default: return (sum, magnitude)
        }
    }

    var description: String { "\(images) images, \(layer), addend \(addend != nil)" }
}
