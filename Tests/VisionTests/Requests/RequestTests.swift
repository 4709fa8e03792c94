import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Requests on one picture")
struct RequestTests {
    @Test("Classes over a confidence, as the classifier gives them")
    func classes() async throws {
        let classifier = try await Classifier(TestedNetworks.squeezeNet())
        let handler = try ImageRequestHandler(.file(TestedNetworks.photo("coffee.png")))
        let expected = try await classifier.predict(.file(TestedNetworks.photo("coffee.png"))).top(5)
        let answer = try await handler.perform(PredictionRequest(classifier))
        let found = answer.top(5)
        #expect(found.map(\.index) == expected.map(\.index))
        #expect(found.map(\.confidence) == expected.map(\.confidence))
        #expect(found.first?.identifier == expected.first?.label)
        #expect(answer.top(5, minimumConfidence: 0.2).map(\.identifier) == ["espresso"])
    }

    @Test("Several requests decode once, and resize once where they agree")
    func sharing() async throws {
        let model = try TestedNetworks.squeezeNet()
        let classifier = try await Classifier(model)
        let handler = try ImageRequestHandler(.file(TestedNetworks.photo("rocket.jpg")))
        var steps = classifier.preprocessing
        steps.mean = [0.5]
        let (first, features, differently, fitted) = try await handler.perform(
            PredictionRequest(classifier), PredictionRequest(OutputReader(model)),
            PredictionRequest(OutputReader(model, preprocessing: steps)),
            PredictionRequest(classifier, cropAndScale: .scaleFit))
        #expect(await handler.work == (decoded: 1, resized: 2))
        let scores = try #require(features.outputs.first).tensor.elements(as: Float.self)
        #expect(scores.indices.max { scores[$0] < scores[$1] } == first.best.index)
        #expect(differently.outputs.first?.tensor.elements(as: Float.self) != scores)
        #expect(fitted.confidence != first.confidence)
    }

    @Test("Features of a request have the shapes that a reader of outputs gives")
    func shapes() async throws {
        let photo = ImageSource.file(TestedNetworks.photo("rocket.jpg"))
        let depth = try Model(contentsOf: TestedNetworks.fixtures.appending(path: "tasks/depth.onnx").path)
        for model in [try TestedNetworks.squeezeNet(), depth] {
            let features = try await ImageRequestHandler(photo).perform(PredictionRequest(OutputReader(model)))
            let read = try await OutputReader(model).predict(photo)
            #expect(features.outputs.count == read.outputs.count)
            for output in read.outputs {
                let feature = try #require(features[output.name])
                #expect(feature.shape == output.tensor.shape)
                #expect(feature.elements(as: Float.self) == output.tensor.elements(as: Float.self))
            }
        }
    }

    @Test(
        "Raw pixels of every format, with gaps between rows, are the same picture",
        arguments: PixelBuffer.Format.allCases)
    func pixels(_ format: PixelBuffer.Format) async throws {
        let (width, height, stride) = (3, 2, 16)
        var bytes = [UInt8](repeating: 99, count: stride + width * format.byteCount)
        var expected: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                let color: [UInt8] = format == .gray ? [7, 7, 7] : [UInt8(row * 100), UInt8(column * 50), 200]
                expected += color
                let start = row * stride + column * format.byteCount
                switch format {
                case .bgra: bytes.replaceSubrange(start..<start + 4, with: [color[2], color[1], color[0], 0])
                case .rgb: bytes.replaceSubrange(start..<start + 3, with: color)
                case .gray: bytes[start] = 7
                }
            }
        }
        let buffer = PixelBuffer(bytes, width: width, height: height, format: format, bytesPerRow: stride)
        #expect(try await ImageRequestHandler(buffer).image().pixels == expected)
        let turned = try await ImageRequestHandler(buffer, orientation: .right).image()
        #expect(turned.size == ImageSize(width: height, height: width))
        #expect(Array(turned.pixels[0..<3]) == Array(expected[width * 3..<width * 3 + 3]))
        let short = PixelBuffer(
            Array(bytes.dropLast()), width: width, height: height, format: format, bytesPerRow: stride)
        #expect(throws: ImageError.self) { try ImageRequestHandler(short) }
        let overflowing = PixelBuffer(bytes, width: width, height: height, format: format, bytesPerRow: .max)
        #expect(throws: ImageError.self) { try ImageRequestHandler(overflowing) }
    }

    @Test("A picture at fault is an error of every request")
    func badPicture() async throws {
        let classifier = try await Classifier(TestedNetworks.small())
        let handler = try ImageRequestHandler(Data([1, 2, 3]))
        for _ in 0..<2 {
            await #expect(throws: RecordError.self) { try await handler.perform(PredictionRequest(classifier)) }
        }
        #expect(await handler.work.decoded == 1)
    }
}
