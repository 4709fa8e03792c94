import Graphs
import Testing

/// The networks of the zoo for tests that run each of them many times: those that would take long are built for smaller
/// images, which changes the extents of their layers, but not the layers.
enum SmallZoo {
    private static let extents = [
        "convnext_tiny": 96, "deeplab_v3_mobilenet_v3_large": 136, "densenet121": 96, "efficientnet_v2_s": 96,
        "regnet_y_1_6gf": 96, "resnext50_32x4d": 96, "unet": 48, "vit_b_16": 64, "vit_s_16": 96, "yolov8n": 160,
    ]

    static func build(_ name: String) throws -> Graph {
        let network = try #require(Networks.find(name))
        return try network.build(extent: extents[name] ?? network.extent)
    }
}
