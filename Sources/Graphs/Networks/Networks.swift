/// Networks written in Swift, without weights.
public enum Networks {
    /// A network of the zoo.
    public struct Entry: Sendable {
        /// The name, such as `squeezenet1_1`.
        public let name: String
        /// Other names by which it is found.
        public let aliases: [String]
        /// A description of one line.
        public let summary: String
        /// Whether it detects objects in pictures; otherwise it classifies pictures.
        public let findsObjects: Bool
        /// Builds the network.
        public let build: @Sendable () throws(GraphError) -> Graph

        init(
            _ name: String, aliases: [String] = [], findsObjects: Bool = false, _ summary: String,
            build: @escaping @Sendable () throws(GraphError) -> Graph
        ) {
            self.name = name
            self.aliases = aliases
            self.summary = summary
            self.findsObjects = findsObjects
            self.build = build
        }
    }

    /// Every network, in alphabetical order.
    public static let all: [Entry] = [
        Entry("inception_v1", aliases: ["googlenet"], "Inception v1 (GoogLeNet), ImageNet, 224 × 224") {
            () throws(GraphError) in try inceptionV1()
        },
        Entry("inception_v3", "Inception v3, ImageNet, 299 × 299") { () throws(GraphError) in try inceptionV3() },
        Entry("mobilenet_v1", "MobileNet v1, ImageNet, 224 × 224") { () throws(GraphError) in try mobileNetV1() },
        Entry("mobilenet_v2", "MobileNet v2, ImageNet, 224 × 224") { () throws(GraphError) in try mobileNetV2() },
        Entry("resnet101", "ResNet-101 v1.5, ImageNet, 224 × 224") { () throws(GraphError) in try resNet101() },
        Entry("resnet18", "ResNet-18, ImageNet, 224 × 224") { () throws(GraphError) in try resNet18() },
        Entry("resnet34", "ResNet-34, ImageNet, 224 × 224") { () throws(GraphError) in try resNet34() },
        Entry("resnet50", "ResNet-50 v1.5, ImageNet, 224 × 224") { () throws(GraphError) in try resNet50() },
        Entry("squeezenet1_0", "SqueezeNet 1.0, ImageNet, 224 × 224") { () throws(GraphError) in try squeezeNet1_0() },
        Entry("squeezenet1_1", "SqueezeNet 1.1, ImageNet, 224 × 224") { () throws(GraphError) in try squeezeNet1_1() },
        Entry("vgg16", "VGG-16, ImageNet, 224 × 224") { () throws(GraphError) in try vgg16() },
        Entry("yolov3", findsObjects: true, "YOLOv3, COCO, 416 × 416") { () throws(GraphError) in try yoloV3() },
        Entry("yolov3_tiny", findsObjects: true, "YOLOv3-Tiny, COCO, 416 × 416") { () throws(GraphError) in
            try yoloV3Tiny()
        },
    ]

    /// The network called `name`, when there is one.
    public static func find(_ name: String) -> Entry? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }
}
