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

    /// Expected microseconds of a convolution by packed products: each image's arithmetic, or reading the weights at
    /// 20 GB/s, whichever is longer. Grows in proportion to the images, so that the choice among lowerings is the same
    /// at any batch size.
    ///
    /// - Parameter efficiency: The part of the product's full speed that is reached.
    static func microseconds(
        _ convolution: ConvolutionRequest, _ request: LoweringRequest, _ kernel: GEMMKernel, efficiency: Double
    ) -> Double {
        let images = Double(convolution.output.shape[0])
        let arithmetic =
            Double(request.cost.multiplyAdds) / images / efficiency / kernel.instructionSet.multiplyAddsPerMicrosecond
            / Double(request.threadCount)
        return 1 + images * max(arithmetic, Double(convolution.weights.byteCount) / 20_000)
    }
}
