/// Networks written in Swift, without weights.
public enum Networks {
    /// A network of the zoo.
    public struct Entry: Sendable {
        /// What a network does with pictures.
        public enum Task: Sendable {
            /// It gives the probability of each class.
            case classification
            /// It gives the scores of all classes for each pixel.
            case segmentation
            /// It finds objects.
            case detection
        }

        /// The name, such as `squeezenet1_1`.
        public let name: String
        /// Other names by which it is found.
        public let aliases: [String]
        /// A description of one line.
        public let summary: String
        /// What it does with pictures.
        public let task: Task
        /// The customary height and width of its pictures.
        public let extent: Int
        private let make: @Sendable (Int) throws(GraphError) -> Graph

        init(
            _ name: String, aliases: [String] = [], task: Task = .classification, _ subject: String, extent: Int,
            make: @escaping @Sendable (Int) throws(GraphError) -> Graph
        ) {
            self.name = name
            self.aliases = aliases
            self.task = task
            summary = "\(subject), \(extent) × \(extent)"
            self.extent = extent
            self.make = make
        }

        /// Whether it detects objects in pictures.
        public var findsObjects: Bool { task == .detection }

        /// Builds the network.
        public func build() throws(GraphError) -> Graph { try make(extent) }

        /// Builds the network for pictures of another size.
        ///
        /// - Parameter extent: The height and width of the pictures.
        /// - Throws: ``GraphError`` when the network does not take such pictures.
        public func build(extent: Int) throws(GraphError) -> Graph { try make(extent) }
    }

    /// Every network, in alphabetical order.
    public static let all: [Entry] = [
        Entry("convnext_tiny", "ConvNeXt-T, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try convNeXtTiny(extent: extent)
        },
        Entry(
            "deeplab_v3_mobilenet_v3_large", aliases: ["deeplabv3_mobilenet_v3_large"], task: .segmentation,
            "DeepLab v3 on MobileNet v3 Large, COCO", extent: 520
        ) { (extent) throws(GraphError) in
            try deepLabV3MobileNetV3Large(extent: extent)
        },
        Entry("densenet121", "DenseNet-121, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try denseNet121(extent: extent)
        },
        Entry("efficientnet_b0", "EfficientNet-B0, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try efficientNetB0(extent: extent)
        },
        Entry("efficientnet_v2_s", "EfficientNet v2-S, ImageNet", extent: 384) { (extent) throws(GraphError) in
            try efficientNetV2S(extent: extent)
        },
        Entry("inception_v1", aliases: ["googlenet"], "Inception v1 (GoogLeNet), ImageNet", extent: 224) {
            (extent) throws(GraphError) in
            try inceptionV1(extent: extent)
        },
        Entry("inception_v3", "Inception v3, ImageNet", extent: 299) { (extent) throws(GraphError) in
            try inceptionV3(extent: extent)
        },
        Entry("mobilenet_v1", "MobileNet v1, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try mobileNetV1(extent: extent)
        },
        Entry("mobilenet_v2", "MobileNet v2, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try mobileNetV2(extent: extent)
        },
        Entry("mobilenet_v3_large", "MobileNet v3 Large, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try mobileNetV3Large(extent: extent)
        },
        Entry("regnet_y_1_6gf", "RegNetY-1.6GF, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try regNetY1_6GF(extent: extent)
        },
        Entry("resnet101", "ResNet-101 v1.5, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try resNet101(extent: extent)
        },
        Entry("resnet18", "ResNet-18, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try resNet18(extent: extent)
        },
        Entry("resnet34", "ResNet-34, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try resNet34(extent: extent)
        },
        Entry("resnet50", "ResNet-50 v1.5, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try resNet50(extent: extent)
        },
        Entry("resnext50_32x4d", "ResNeXt-50 32x4d, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try resNeXt50_32x4d(extent: extent)
        },
        Entry("squeezenet1_0", "SqueezeNet 1.0, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try squeezeNet1_0(extent: extent)
        },
        Entry("squeezenet1_1", "SqueezeNet 1.1, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try squeezeNet1_1(extent: extent)
        },
        Entry("swin_t", "Swin-T, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try swinT(extent: extent)
        },
        Entry("unet", task: .segmentation, "U-Net", extent: 256) { (extent) throws(GraphError) in
            try uNet(extent: extent)
        },
        Entry("vgg16", "VGG-16, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try vgg16(extent: extent)
        },
        Entry("vit_b_16", "ViT-B/16, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try vitB16(extent: extent)
        },
        Entry("vit_s_16", "ViT-S/16, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try vitS16(extent: extent)
        },
        Entry("vit_ti_16", "ViT-Ti/16, ImageNet", extent: 224) { (extent) throws(GraphError) in
            try vitTi16(extent: extent)
        },
        Entry("yolov3", task: .detection, "YOLOv3, COCO", extent: 416) { (extent) throws(GraphError) in
            try yoloV3(extent: extent)
        },
        Entry("yolov3_tiny", task: .detection, "YOLOv3-Tiny, COCO", extent: 416) { (extent) throws(GraphError) in
            try yoloV3Tiny(extent: extent)
        },
        Entry("yolov8n", task: .detection, "YOLOv8n, COCO", extent: 640) { (extent) throws(GraphError) in
            try yoloV8n(extent: extent)
        },
    ]

    /// The network called `name`, when there is one.
    public static func find(_ name: String) -> Entry? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }
}
