extension Networks {
    /// A detector with the layers of YOLOv8n: objects of three scales, without anchors.
    ///
    /// Input `data` `[N, 3, extent, extent]`; output `objects` `[N, 4 + classes, places]` with the center, width and
    /// height in pixels and the probability of each class at each of the (extent/8)² + (extent/16)² + (extent/32)²
    /// places.
    /// 3,157,200 weights for 80 classes, 16 of which training does not change.
    /// Reference: https://docs.ultralytics.com/models/yolov8
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, a multiple of 32.
    /// - Throws: ``GraphError`` when a number is below 1, or the extents of the scales do not fit together.
    public static func yoloV8n(classes: Int = 80, extent: Int = 640) throws(GraphError) -> Graph {
        try Graph.build("yolov8n") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let eighth = image.swishConvolution(16, stride: 2).named("conv1").swishConvolution(32, stride: 2).named(
                "conv2"
            )
            .partialResiduals(32, depth: 1).named("stage1").swishConvolution(64, stride: 2).named("conv3")
            .partialResiduals(64, depth: 2).named("stage2")
            let sixteenth = eighth.swishConvolution(128, stride: 2).named("conv4")
                .partialResiduals(128, depth: 2).named("stage3")
            let thirtySecond = sixteenth.swishConvolution(256, stride: 2).named("conv5")
                .partialResiduals(256, depth: 1).named("stage4").repeatedPooling(256).named("pooling")

            let middle = thirtySecond.upsample(2).concat(with: sixteenth)
                .partialResiduals(128, depth: 1, hasShortcuts: false).named("neck1")
            let fine = middle.upsample(2).concat(with: eighth)
                .partialResiduals(64, depth: 1, hasShortcuts: false).named("neck2")
            let medium = fine.swishConvolution(64, stride: 2).named("down1").concat(with: middle)
                .partialResiduals(128, depth: 1, hasShortcuts: false).named("neck3")
            let coarse = medium.swishConvolution(128, stride: 2).named("down2").concat(with: thirtySecond)
                .partialResiduals(256, depth: 1, hasShortcuts: false).named("neck4")

            net.output("objects", net.distanceHead([fine, medium, coarse], strides: [8, 16, 32], classes: classes))
        }
    }
}
