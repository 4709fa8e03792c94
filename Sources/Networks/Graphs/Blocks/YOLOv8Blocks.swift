import Tensors

/// The blocks of YOLOv8.
///
/// Reference: https://docs.ultralytics.com/models/yolov8
extension GraphBuilder.Value {
    /// A convolution that keeps the extents or halves them, a normalisation with epsilon 0.001, and x · sigmoid(x).
    func swishConvolution(_ channels: Int, kernel: Int = 3, stride: Int = 1) -> Self {
        block("swishConvolution") {
            $0.normalizedConvolution(
                channels, kernel: kernel, stride: stride, padding: .explicit(kernel / 2), epsilon: 1e-3
            ).named("convolution").silu()
        }
    }

    /// Half of the channels pass through blocks of two 3×3 convolutions; both halves and the results of all blocks are
    /// joined and projected.
    ///
    /// - Parameters:
    ///   - depth: The number of blocks.
    ///   - hasShortcuts: Whether blocks add their input.
    func partialResiduals(_ channels: Int, depth: Int, hasShortcuts: Bool = true) -> Self {
        block("partialResiduals") { input in
            let half = channels / 2
            var parts = input.swishConvolution(channels, kernel: 1).named("divide").split([half, half])
            for _ in 0..<depth {
                let last = parts[parts.count - 1]
                let body = { (features: Self) in features.swishConvolution(half).swishConvolution(half) }
                parts.append(hasShortcuts ? last.residual(body) : last.block("plain", body))
            }
            return builder.concat(parts).swishConvolution(channels, kernel: 1).named("join")
        }
    }

    /// Joins the channels, halved, with their maxima over windows of 5, 9 and 13 pixels, and projects them.
    func repeatedPooling(_ channels: Int) -> Self {
        block("repeatedPooling") { input in
            var scales = [input.swishConvolution((input.channels ?? 2) / 2, kernel: 1).named("reduce")]
            for _ in 0..<3 { scales.append(scales[scales.count - 1].maxPool(5, padding: .explicit(2))) }
            return builder.concat(scales).swishConvolution(channels, kernel: 1).named("join")
        }
    }

    /// Two 3×3 convolutions and a pointwise one, and a list of places: `[N, C, H, W]` → `[N, results, H · W]`.
    fileprivate func placeScores(_ channels: Int, results: Int) -> Self {
        block("scores") {
            $0.swishConvolution(channels).swishConvolution(channels).convolution(results, kernel: 1).named("scores")
                .reshape([0, results, -1])
        }
    }
}

extension GraphBuilder {
    /// The head of YOLOv8: at each place of each scale a distribution of the distance to each side of the box over 16
    /// numbers, and the probabilities of the classes: `[N, 4 + classes, places]`.
    func distanceHead(_ scales: [Value], strides: [Int], classes: Int) -> Value {
        let finest = scales[0].channels ?? 1
        let boxes = scales.map { $0.placeScores(max(16, finest / 4, 64), results: 64) }
        let names = scales.map { $0.placeScores(max(finest, min(classes, 100)), results: classes) }
        do {
            // Distances in cells: the mean of each distribution.
            let numbers = try Tensor((0..<16).map(Float.init), shape: [1, 16, 1, 1])
            let shares = concat(boxes, axis: 2).reshape([0, 4, 16, -1]).transpose([0, 2, 1, 3]).softmax(axis: 1)
            let cells = append(
                Conv(), kind: "mean", [shares], constants: [Constant(suffix: "weight", content: numbers)]
            ).reshape([0, 4, -1])
            let places = zip(scales, strides).flatMap { scale, stride -> [(x: Int, y: Int, stride: Int)] in
                let extents = scale.shape?.dimensions.suffix(2).compactMap(\.value) ?? []
                guard extents.count == 2 else { return [] }
                return (0..<extents[0] * extents[1]).map {
                    (($0 % extents[1]) * stride + stride / 2, ($0 / extents[1]) * stride + stride / 2, stride)
                }
            }
            let factors = pixels("strides", try Tensor(places.map { Int32($0.stride) }, shape: [1, 1, places.count]))
            let centers = pixels(
                "centers",
                try Tensor(places.map { Int32($0.x) } + places.map { Int32($0.y) }, shape: [1, 2, places.count]))
            let sides = cells.multiplied(by: factors).split([2, 2])
            let middles = centers + (sides[1] - sides[0]).multiplied(by: 0.5)
            return concat([middles, sides[0] + sides[1], concat(names, axis: 2).sigmoid()])
        } catch {
            return scales[0].builder.refuse(Conv.name, kind: "head", "\(error)", after: scales[0])
        }
    }

    private func pixels(_ name: String, _ numbers: Tensor) -> Value {
        append(Cast(to: .float32), kind: "pixels", [constant(name, numbers)])
    }
}
