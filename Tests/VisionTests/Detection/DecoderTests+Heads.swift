import Apus
import Graphs
import Images
import Tensors
import Testing

/// What the last operators of a network tell.
extension DecoderTests {
    /// A network that ends in heads for the strides 8, 16 and 32, as YOLOX has them.
    private func model(classes: Int, areProbabilities: Bool = true) throws -> Model {
        let graph = try Graph.build("heads") { net in
            let image = net.input("images", .float32, [.batch, 3, 32, 64])
            let heads = [8, 16, 32].map { stride in
                let boxes = image.convolution(4, kernel: stride, stride: stride)
                let objectness = image.convolution(1, kernel: stride, stride: stride)
                let scores = image.convolution(classes, kernel: stride, stride: stride)
                return boxes.concat(
                    with: areProbabilities ? objectness.sigmoid() : objectness,
                    areProbabilities ? scores.sigmoid() : scores, axis: 1
                ).reshape([0, 5 + classes, -1])
            }
            net.output("output", net.concat(heads, axis: 2).transpose([0, 2, 1]))
        }
        return try Model(graph.seeded(1))
    }

    @Test("YOLOX is told by its heads, also of one class", arguments: [1, 3, 80])
    func yoloxHeads(classes: Int) throws {
        let purpose = try model(classes: classes).purpose
        #expect(purpose.task == .detect)
        #expect(purpose.evidence == "the last operators are those of decoder yolox")
        // Without Sigmoid behind them, nothing says what the rows are.
        let other = try model(classes: classes, areProbabilities: false).purpose
        #expect(other.task == nil && other.candidates.contains(.detect))
    }

    @Test("ddddocr's detection keeps boxes from a confidence of 0.1")
    func ddddOCRDetection() throws {
        let model = try model(classes: 1).describedByFamily("ddddocr-det")
        let detection = try #require(model.detection)
        #expect(detection.decoder == "yolox" && detection.givenConfidence == 0.1)
        #expect(model.preprocessing == YOLOXDecoder.customaryPreprocessing(to: Self.size))
    }

    @Test("NanoDet is told by its heads, and not read as YOLOX", arguments: [[8, 16, 32], [8, 16, 32, 64]])
    func nanoDetHeads(strides: [Int]) throws {
        let size = ImageSize(width: 128, height: 64)
        let graph = try Graph.build("heads") { net in
            let image = net.input("images", .float32, [.batch, 3, 64, 128])
            let heads = strides.map { stride in
                let scores = image.convolution(3, kernel: stride, stride: stride).sigmoid()
                return scores.concat(with: image.convolution(32, kernel: stride, stride: stride), axis: 1)
                    .reshape([0, 35, -1])
            }
            net.output("output", net.concat(heads, axis: 2).transpose([0, 2, 1]))
        }
        let model = try Model(graph.seeded(1))
        let name = strides.count == 4 ? "nanodet" : "nanodet-v0"
        #expect(model.purpose.evidence == "the last operators are those of decoder \(name)")
        #expect(try ObjectDetector.decoderName(of: model, DetectionConfiguration()) == name)
        let steps = try ObjectDetector.customaryPreprocessing(of: model, DetectionConfiguration())
        #expect(steps?.resizing == .letterbox(size, strides.count == 4 ? .mediapipeFill : .mediapipe))
    }
}
