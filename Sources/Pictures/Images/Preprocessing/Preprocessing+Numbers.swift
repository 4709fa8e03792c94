import Tensors

extension Preprocessing {
    /// The order of the numbers in memory.
    public enum Layout: Sendable {
        /// A plane for each channel: C, H, W.
        case channelsFirst
        /// The channels of a pixel side by side: H, W, C.
        case channelsLast
    }

    /// The size of the result for an image of `size`.
    public func outputSize(for size: ImageSize) throws(PreprocessingError) -> ImageSize {
        try geometry(for: size).outputSize
    }

    /// The numbers for one image, shaped `[1, channels, height, width]`.
    ///
    /// - Throws: ``PreprocessingError``, or `TensorError` when memory runs out.
    public func tensor(from image: Image) throws -> Tensor {
        let geometry = try geometry(for: image.size)
        let size = geometry.outputSize
        return try Tensor(.float32, shape: [1, channelOrder.channelCount, size.height, size.width]) { bytes in
            try write(image, geometry, into: bytes.bindMemory(to: Float.self), layout: .channelsFirst)
        }
    }

    /// Writes the numbers for one image.
    ///
    /// - Parameters:
    ///   - geometry: What ``geometry(for:)`` returns for the image's size.
    ///   - numbers: `channels * height * width` of the geometry's output size.
    package func write(
        _ image: Image, _ geometry: Geometry, into numbers: UnsafeMutableBufferPointer<Float>, layout: Layout
    ) throws(PreprocessingError) {
        let size = geometry.outputSize
        let channelCount = channelOrder.channelCount
        guard numbers.count == size.width * size.height * channelCount else {
            throw .bufferCount(expected: size.width * size.height * channelCount, found: numbers.count)
        }
        let placed = try recompressed(placed(image, geometry))
        let factor = factor(for: placed)
        if placed.size != size { numbers.update(repeating: 0) }
        let pixelStride = layout == .channelsFirst ? 1 : channelCount
        let channelStride = layout == .channelsFirst ? size.width * size.height : 1
        placed.pixels.withUnsafeBufferPointer { pixels in
            guard let pixels = pixels.baseAddress, let numbers = numbers.baseAddress else { return }
            for channel in 0..<channelCount {
                let source = channelOrder == .bgr ? 2 - channel : channel
                table(source, factor).withUnsafeBufferPointer { table in
                    guard let table = table.baseAddress else { return }
                    for row in 0..<placed.height {
                        var pixel = pixels + row * placed.width * 3 + source
                        var number = numbers + channel * channelStride + row * size.width * pixelStride
                        for _ in 0..<placed.width {
                            number.pointee = table[Int(pixel.pointee)]
                            pixel += 3
                            number += pixelStride
                        }
                    }
                }
            }
        }
        if standardizesEachImage {
            standardize(numbers, width: placed.width, height: placed.height, in: size, layout: layout)
        }
    }

    /// Brings the numbers of a picture of `width` × `height` to mean 0 and standard deviation 1.
    ///
    /// - Parameters:
    ///   - size: The extents of all numbers, including the padding.
    private func standardize(
        _ numbers: UnsafeMutableBufferPointer<Float>, width: Int, height: Int, in size: ImageSize, layout: Layout
    ) {
        let channelCount = channelOrder.channelCount
        // A row holds all channels, or only one when each has a plane.
        let (planes, rowLength) = layout == .channelsFirst ? (channelCount, width) : (1, width * channelCount)
        let rowStride = layout == .channelsFirst ? size.width : size.width * channelCount
        func rows(_ body: (UnsafeMutableBufferPointer<Float>) -> Void) {
            for plane in 0..<planes {
                for row in 0..<height {
                    let start = (plane * size.height + row) * rowStride
                    body(UnsafeMutableBufferPointer(rebasing: numbers[start..<start + rowLength]))
                }
            }
        }
        let count = Double(width * height * channelCount)
        var sum = 0.0
        rows { row in for number in row { sum += Double(number) } }
        let mean = sum / count
        var squares = 0.0
        rows { row in for number in row { squares += (Double(number) - mean) * (Double(number) - mean) } }
        let deviation = (squares / count).squareRoot() + 1e-6
        rows { row in for index in row.indices { row[index] = Float((Double(row[index]) - mean) / deviation) } }
    }

    /// The picture with what compression as JPEG leaves of it, where that is a step.
    private func recompressed(_ picture: Image) throws(PreprocessingError) -> Image {
        guard let jpegQuality else { return picture }
        do {
            return try Image(decoding: picture.jpegData(quality: jpegQuality, isAccurate: true))
        } catch {
            throw .tooLarge(picture.size)
        }
    }

    /// What a pixel is multiplied by, or divided by.
    private enum Factor {
        case scale(Float)
        case divisor(Float)

        func callAsFunction(_ pixel: Int) -> Float {
            switch self {
            case .scale(let scale): Float(pixel) * scale
            case .divisor(let divisor): Float(pixel) / divisor
            }
        }
    }

    private func factor(for placed: Image) -> Factor {
        dividesByMaximum ? .divisor(Float(max(placed.pixels.max() ?? 0, 1))) : .scale(scale)
    }

    /// The number for each value of a pixel in one channel, 0 to 2 for red, green and blue.
    private func table(_ channel: Int, _ factor: Factor) -> [Float] {
        let mean = mean.count == 1 ? mean[0] : mean[channel]
        let deviation = standardDeviation.count == 1 ? standardDeviation[0] : standardDeviation[channel]
        return (0...255).map { (factor($0) - mean) / deviation }
    }
}
