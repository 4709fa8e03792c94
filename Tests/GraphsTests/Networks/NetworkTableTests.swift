import Graphs
import Tensors
import Testing

/// The published figures of a network: its parameters, and its multiply-adds for one image.
struct PublishedNetwork: Sendable, CustomTestStringConvertible {
    let name: String
    /// The height and width of the image.
    let extent: Int
    let parameters: Int
    /// Billions of multiply-adds.
    let multiplyAdds: Double
    /// The unit of the last published digit of `multiplyAdds`.
    let lastDigit: Double
    let source: String

    init(
        _ name: String, extent: Int = 224, parameters: Int, multiplyAdds: Double, lastDigit: Double = 0.001,
        source: String
    ) {
        self.name = name
        self.extent = extent
        self.parameters = parameters
        self.multiplyAdds = multiplyAdds
        self.lastDigit = lastDigit
        self.source = source
    }

    var testDescription: String { name }

    /// A model of torchvision, whose documentation lists `num_params` and GFLOPS, meaning multiply-adds; its source in
    /// https://github.com/pytorch/vision/tree/main/torchvision/models has one digit more, in `_ops`.
    static func torchvision(
        _ name: String, page: String? = nil, extent: Int = 224, parameters: Int, multiplyAdds: Double
    ) -> Self {
        Self(
            name, extent: extent, parameters: parameters, multiplyAdds: multiplyAdds,
            source: "https://pytorch.org/vision/stable/models/generated/torchvision.models.\(page ?? name).html")
    }

    /// A detector of https://pjreddie.com/darknet/yolo, which lists operations, two for each multiply-add. The number
    /// of trainable weights is that of Keras in https://github.com/zzh8829/yolov3-tf2.
    static func darknet(_ name: String, parameters: Int, operations: Double) -> Self {
        Self(
            name, extent: 416, parameters: parameters, multiplyAdds: operations / 2, lastDigit: 0.02,
            source: "https://pjreddie.com/darknet/yolo, https://github.com/zzh8829/yolov3-tf2")
    }

    /// A vision transformer of DeiT, whose paper rounds its parameters to millions; their number is that of timm's
    /// model, such as `vit_tiny_patch16_224`, in https://github.com/huggingface/pytorch-image-models. The multiply-adds
    /// are those in the tables of Touvron et al.
    static func deit(_ name: String, parameters: Int, multiplyAdds: Double) -> Self {
        Self(
            name, parameters: parameters, multiplyAdds: multiplyAdds, lastDigit: 0.1,
            source: "https://arxiv.org/abs/2012.12877, https://arxiv.org/abs/2204.07118")
    }

    static let all = [
        torchvision("convnext_tiny", parameters: 28_589_128, multiplyAdds: 4.456),
        // The documentation says 11,029,328 and 10.452, which include 3,851 and 0.016 of the auxiliary classifier.
        torchvision(
            "deeplab_v3_mobilenet_v3_large", page: "segmentation.deeplabv3_mobilenet_v3_large", extent: 520,
            parameters: 11_029_328 - 3_851, multiplyAdds: 10.452 - 0.016),
        torchvision("densenet121", parameters: 7_978_856, multiplyAdds: 2.834),
        torchvision("efficientnet_b0", parameters: 5_288_548, multiplyAdds: 0.386),
        torchvision("efficientnet_v2_s", extent: 384, parameters: 21_458_488, multiplyAdds: 8.366),
        Self(
            "inception_v1", parameters: 6_998_552, multiplyAdds: 1.58, lastDigit: 0.01,
            source: "https://github.com/HewlettPackard/dlcookbook-dlbs/blob/master/docs/models/models.md (parameters); "
                + "https://dgschwend.github.io/netscope/#/preset/googlenet (multiply-adds)"),
        // The documentation says 27,161,264, which includes 3,326,696 of the auxiliary classifier.
        torchvision("inception_v3", extent: 299, parameters: 27_161_264 - 3_326_696, multiplyAdds: 5.713),
        Self(
            "mobilenet_v1", parameters: 4_231_976, multiplyAdds: 0.569,
            source: "https://github.com/osmr/imgclsmob (parameters); "
                + "https://github.com/tensorflow/models/blob/master/research/slim/nets/mobilenet_v1.md (multiply-adds)"),
        torchvision("mobilenet_v2", parameters: 3_504_872, multiplyAdds: 0.301),
        torchvision("mobilenet_v3_large", parameters: 5_483_032, multiplyAdds: 0.217),
        torchvision("regnet_y_1_6gf", parameters: 11_202_430, multiplyAdds: 1.612),
        torchvision("resnet101", parameters: 44_549_160, multiplyAdds: 7.801),
        torchvision("resnet18", parameters: 11_689_512, multiplyAdds: 1.814),
        torchvision("resnet34", parameters: 21_797_672, multiplyAdds: 3.664),
        torchvision("resnet50", parameters: 25_557_032, multiplyAdds: 4.089),
        torchvision("resnext50_32x4d", parameters: 25_028_904, multiplyAdds: 4.23),
        torchvision("squeezenet1_0", parameters: 1_248_424, multiplyAdds: 0.819),
        torchvision("squeezenet1_1", parameters: 1_235_496, multiplyAdds: 0.349),
        torchvision("swin_t", parameters: 28_288_354, multiplyAdds: 4.491),
        // Its authors publish neither number: they are those that PyTorch counts in the layers of this source.
        Self(
            "unet", extent: 256, parameters: 31_037_698, multiplyAdds: 48.172,
            source: "https://github.com/milesial/Pytorch-UNet, torch.utils.flop_counter"),
        torchvision("vgg16", parameters: 138_357_544, multiplyAdds: 15.47),
        torchvision("vit_b_16", parameters: 86_567_656, multiplyAdds: 17.564),
        deit("vit_s_16", parameters: 22_050_664, multiplyAdds: 4.6),
        deit("vit_ti_16", parameters: 5_717_416, multiplyAdds: 1.3),
        darknet("yolov3", parameters: 61_949_149, operations: 65.86),
        darknet("yolov3_tiny", parameters: 8_852_366, operations: 5.56),
        Self(
            "yolov8n", extent: 640, parameters: 3_157_200, multiplyAdds: 8.7 / 2, lastDigit: 0.05,
            source: "https://docs.ultralytics.com/models/yolov8"),
    ]
}

@Suite("Networks")
struct NetworkTableTests {
    @Test("A network has the parameters and multiply-adds that are published of it", arguments: PublishedNetwork.all)
    func size(_ published: PublishedNetwork) throws {
        let graph = try #require(Networks.find(published.name)).build()
        let shape = [1, 3, published.extent, published.extent]
        #expect(try graph.inputShapes(binding: ["N": 1]) == [shape])
        #expect(graph.parameterCount == published.parameters, "\(published.source)")
        let multiplyAdds = try graph.costs(inputShapes: [shape]).reduce(0) { $0 + $1.multiplyAdds }
        let difference = abs(Double(multiplyAdds) / 1e9 - published.multiplyAdds)
        #expect(difference < published.lastDigit, "\(multiplyAdds): \(published.source)")
    }

    @Test("The table has every network, in alphabetical order")
    func list() {
        #expect(Networks.all.map(\.name) == PublishedNetwork.all.map(\.name))
        #expect(Networks.all.map(\.name) == Networks.all.map(\.name).sorted())
        #expect(Networks.find("googlenet")?.name == "inception_v1")
        let names = Networks.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
    }

    @Test("Detectors give numbers for three anchors in every cell of their grids")
    func heads() throws {
        for (name, extents) in [
            ("yolov3", ["coarse": 13, "medium": 26, "fine": 52]), ("yolov3_tiny", ["coarse": 13, "medium": 26]),
        ] {
            let graph = try #require(Networks.find(name)).build()
            #expect(graph.outputs.count == extents.count)
            for id in graph.outputs {
                let extent = try #require(extents[graph[id].name])
                #expect(graph[id].shape == [.batch, 255, .fixed(extent), .fixed(extent)])
            }
        }
    }

    @Test("Segmentations give scores for every pixel, a detector without anchors gives a column for every place")
    func otherHeads() throws {
        for (name, output, shape) in [
            ("unet", "scores", [2, 256, 256]), ("deeplab_v3_mobilenet_v3_large", "scores", [21, 520, 520]),
            ("yolov8n", "objects", [84, 8400]),
        ] {
            let graph = try #require(Networks.find(name)).build()
            #expect(graph.outputs.map { graph[$0].name } == [output])
            #expect(graph.outputs.map { graph[$0].shape } == [Shape([.batch] + shape.map { .fixed($0) })])
        }
    }

    @Test("A network can be built for pictures of another size")
    func sizes() throws {
        let graph = try #require(Networks.find("resnet18")).build(extent: 64)
        #expect(try graph.inputShapes(binding: ["N": 1]) == [[1, 3, 64, 64]])
        #expect(throws: GraphError.self) { try Networks.swinT(extent: 200) }
        #expect(throws: GraphError.self) { try Networks.uNet(extent: 100) }
    }

    @Test(
        "Every classifier gives probabilities of its classes under one name",
        arguments: Networks.all.filter { $0.task == .classification }.map(\.name))
    func ends(_ name: String) throws {
        let graph = try #require(Networks.find(name)).build()
        #expect(graph.name == name)
        #expect(graph.inputs.map { graph[$0].name } == ["data"])
        #expect(graph.outputs.map { graph[$0].name } == ["prob"])
        #expect(graph.outputs.map { graph[$0].shape } == [[.batch, 1000]])
        #expect(graph.nodes.last?.operatorName == "Softmax")
    }
}
