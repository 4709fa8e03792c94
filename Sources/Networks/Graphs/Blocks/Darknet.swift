extension GraphBuilder.Value {
    /// Darknet's layer: a convolution that keeps the extents or halves them, a normalisation, and a leaky rectifier.
    ///
    ///     image.darknet(32).darknet(64, stride: 2)
    ///
    /// Reference: Redmon and Farhadi, 2018, https://arxiv.org/abs/1804.02767
    ///
    /// - Parameter channels: The number of channels of the result.
    public func darknet(_ channels: Int, kernel: Int = 3, stride: Int = 1) -> Self {
        block("darknet") { input in
            input.normalizedConvolution(channels, kernel: kernel, stride: stride, padding: .explicit(kernel / 2))
                .named("convolution").leakyRelu(slope: 0.1)
        }
    }

    /// A stage of Darknet-53: a layer that halves the extents, then blocks of two layers beside a shortcut.
    ///
    /// Reference: Redmon and Farhadi, 2018, https://arxiv.org/abs/1804.02767
    func darknetStage(_ channels: Int, blocks: Int) -> Self {
        block("darknetStage") { input in
            var features = input.darknet(channels, stride: 2)
            for _ in 0..<blocks {
                features = features.residual { $0.darknet(channels / 2, kernel: 1).darknet(channels) }
            }
            return features
        }
    }

    /// Five layers between the backbone and a head of YOLOv3.
    func detectionNeck(_ channels: Int) -> Self {
        block("detectionNeck") { input in
            input.darknet(channels, kernel: 1).darknet(2 * channels).darknet(channels, kernel: 1)
                .darknet(2 * channels).darknet(channels, kernel: 1)
        }
    }

    /// A head of YOLOv3, which gives offsets, sizes, objectness and classes of three anchors per cell.
    func detectionHead(_ channels: Int, classes: Int) -> Self {
        block("detectionHead") { input in
            input.darknet(channels).convolution(3 * (5 + classes), kernel: 1).named("boxes")
        }
    }
}
