import Graphs
import Planning

/// The expected speed of kernels on one core, for ranking lowerings before anything is measured.
enum Speed {
    /// Expected microseconds: 1 to start, plus the longer of arithmetic at `multiplyAddsPerMicrosecond` per thread and
    /// memory traffic at 10 GB/s.
    static func microseconds(
        _ cost: OperatorCost, multiplyAddsPerMicrosecond: Double, threads: Int
    ) -> Double {
        let arithmetic = Double(cost.multiplyAdds) / multiplyAddsPerMicrosecond / Double(max(threads, 1))
        return 1 + max(arithmetic, Double(cost.bytes) / 10_000)
    }

    /// Expected microseconds of a batch: for each image, the longer of its arithmetic and reading the weights at 20
    /// GB/s. The time is proportional to the number of images, so that the choice among lowerings is the same at any
    /// batch size.
    static func microseconds(perImage arithmetic: Double, weightByteCount: Int, images: Int) -> Double {
        1 + Double(images) * max(arithmetic, Double(weightByteCount) / 20_000)
    }

    /// Expected microseconds of a convolution by packed products.
    ///
    /// - Parameter efficiency: The part of the product's full speed that the convolution reaches.
    static func microseconds(
        _ convolution: ConvolutionRequest, _ request: LoweringRequest, _ kernel: GEMMKernel, efficiency: Double
    ) -> Double {
        let images = convolution.output.shape[0]
        let rate = efficiency * kernel.multiplyAddsPerMicrosecond * Double(request.threadCount)
        return microseconds(
            perImage: Double(request.cost.multiplyAdds) / Double(images) / rate,
            weightByteCount: kernel.byteCount(ofWeights: convolution.weights), images: images)
    }
}
