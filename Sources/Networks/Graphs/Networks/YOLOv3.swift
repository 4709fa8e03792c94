extension Networks {
    /// YOLOv3: a detector of objects of three scales, on Darknet-53.
    ///
    /// Input `data` `[N, 3, extent, extent]`; outputs `coarse`, `medium` and `fine`, of strides 32, 16 and 8:
    /// `[N, 3 · (5 + classes), extent ÷ stride, extent ÷ stride]`, the offsets, sizes, objectness and classes of three
    /// anchors per cell, before their sigmoids. 61,949,149 weights for 80 classes.
    /// References: Redmon and Farhadi, 2018, https://arxiv.org/abs/1804.02767; `yolov3.cfg` of
    /// https://github.com/pjreddie/darknet
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, a multiple of 32.
    /// - Throws: ``GraphError`` when a number is below 1, or the extents of the scales do not fit together.
    public static func yoloV3(classes: Int = 80, extent: Int = 416) throws(GraphError) -> Graph {
        try Graph.build("yolov3") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let eighth = image.darknet(32)
                .darknetStage(64, blocks: 1).named("stage1").darknetStage(128, blocks: 2).named("stage2")
                .darknetStage(256, blocks: 8).named("stage3")
            let sixteenth = eighth.darknetStage(512, blocks: 8).named("stage4")
            let thirtySecond = sixteenth.darknetStage(1024, blocks: 4).named("stage5")

            let coarse = thirtySecond.detectionNeck(512).named("coarse_neck")
            net.output("coarse", coarse.detectionHead(1024, classes: classes).named("coarse_head"))
            let medium = coarse.darknet(256, kernel: 1).upsample(2).concat(with: sixteenth)
                .detectionNeck(256).named("medium_neck")
            net.output("medium", medium.detectionHead(512, classes: classes).named("medium_head"))
            let fine = medium.darknet(128, kernel: 1).upsample(2).concat(with: eighth)
                .detectionNeck(128).named("fine_neck")
            net.output("fine", fine.detectionHead(256, classes: classes).named("fine_head"))
        }
    }

    /// YOLOv3-Tiny: a small detector of objects of two scales.
    ///
    /// Input `data`, outputs `coarse` and `medium` of strides 32 and 16, with the shapes of
    /// ``yoloV3(classes:extent:)``; 8,852,366 weights for 80 classes.
    /// Reference: `yolov3-tiny.cfg` of https://github.com/pjreddie/darknet
    ///
    /// Parameters and errors are those of ``yoloV3(classes:extent:)``.
    public static func yoloV3Tiny(classes: Int = 80, extent: Int = 416) throws(GraphError) -> Graph {
        try Graph.build("yolov3_tiny") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            for channels in [16, 32, 64, 128] { features = features.darknet(channels).maxPool(2, stride: 2) }
            let sixteenth = features.darknet(256)
            let thirtySecond = sixteenth.maxPool(2, stride: 2).darknet(512).maxPool(2, padding: .same).darknet(1024)
                .darknet(256, kernel: 1)
            net.output("coarse", thirtySecond.detectionHead(512, classes: classes).named("coarse_head"))
            let medium = thirtySecond.darknet(128, kernel: 1).upsample(2).concat(with: sixteenth)
            net.output("medium", medium.detectionHead(256, classes: classes).named("medium_head"))
        }
    }
}
