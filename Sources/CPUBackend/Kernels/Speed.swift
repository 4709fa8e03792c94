import Graphs
import Planning

/// The expected speed of kernels on one core, for ranking lowerings before anything is measured.
enum Speed {
    /// Expected microseconds: arithmetic at `multiplyAddsPerMicrosecond` per thread, or memory traffic at 10 GB/s,
    /// whichever is longer, and one microsecond to start.
    static func microseconds(
        _ cost: OperatorCost, multiplyAddsPerMicrosecond: Double, threads: Int
    ) -> Double {
        let arithmetic = Double(cost.multiplyAdds) / multiplyAddsPerMicrosecond / Double(max(threads, 1))
        return 1 + max(arithmetic, Double(cost.bytes) / 10_000)
    }

    /// Expected microseconds of a batch: each image's arithmetic, or reading the weights at 20 GB/s, whichever is
    /// longer. Grows in proportion to the images, so that the choice among lowerings is the same at any batch size.
    static func microseconds(perImage arithmetic: Double, weightByteCount: Int, images: Int) -> Double {
        1 + Double(images) * max(arithmetic, Double(weightByteCount) / 20_000)
    }

    /// The same for a convolution by packed products.
    ///
    /// - Parameter efficiency: The part of the product's full speed that is reached.
    static func microseconds(
        _ convolution: ConvolutionRequest, _ request: LoweringRequest, _ kernel: GEMMKernel, efficiency: Double
    ) -> Double {
        let images = convolution.output.shape[0]
        let rate = efficiency * kernel.instructionSet.multiplyAddsPerMicrosecond * Double(request.threadCount)
        return microseconds(
            perImage: Double(request.cost.multiplyAdds) / Double(images) / rate,
            weightByteCount: convolution.weights.byteCount, images: images)
    }
}
