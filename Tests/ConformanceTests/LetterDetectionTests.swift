import Apus
import CPUBackend
import Foundation
import Measuring
import Quantizing
import Testing
import TestSupport

@Suite("Finding drawn letters", .ownThreads)
struct LetterDetectionTests {
    private struct Letter: Decodable {
        let letter: String
        let x: Float
        let y: Float
        let width: Float
        let height: Float
    }

    private static let folder = FetchedModels.folder.deletingLastPathComponent()
        .appending(path: "Tests/Fixtures/detection")

    @Test(
        "YOLOX finds the letters that its reference finds, where they are, however the picture lies",
        arguments: [
            "letters.png", "turned.jpg",
        ])
    func letters(_ picture: String) async throws {
        guard let file = try FetchedModels.file("ddddocr/common_det.onnx") else { return }
        // With YOLOX's own preprocessing, onnxruntime does not find the M either.
        let letters = try JSONDecoder().decode(
            [Letter].self, from: Data(contentsOf: Self.folder.appending(path: "boxes.json"))
        ).filter { $0.letter != "M" }
        let detector = try await ObjectDetector(Model(contentsOf: file.path))
        #expect(detector.decoderName == "yolox")
        let path = Self.folder.appending(path: picture).path
        let objects = try await detector.predict(.file(path)).objects
        #expect(objects.count == letters.count)
        for letter in letters {
            let box = NormalizedBox(
                x: letter.x / 480, y: letter.y / 300, width: letter.width / 480, height: letter.height / 300)
            let best = objects.map { $0.box.intersectionOverUnion(with: box) }.max() ?? 0
            #expect(best >= 0.7, "\(letter.letter): \(best)")
        }
        // A request with the same fit gives the same result.
        let request = PredictionRequest(detector, cropAndScale: .scaleFit)
        #expect(try await ImageRequestHandler(.file(path)).perform(request).objects == objects)
    }

    /// Left, top, right and bottom in pixels of `letters.png`, and the confidence, by the functions of ddddocr 1.6.1
    /// (`DetectionEngine.multiclass_nms`).
    private static let boxesOfPackage: [[Float]] = [
        [39.293438, 53.356686, 77.987946, 101.157211, 0.875057],
        [171.236435, 164.070618, 208.096832, 209.553345, 0.861836],
        [60.717384, 213.925888, 93.706741, 258.010712, 0.861273],
        [300.257599, 64.421021, 336.777008, 107.797913, 0.841641],
        [395.862183, 204.081696, 439.507904, 248.084015, 0.149159],
    ]

    @Test("The boxes of family ddddocr-det are those of its package")
    func family() async throws {
        guard let file = try FetchedModels.file("ddddocr/common_det.onnx") else { return }
        let model = try Model(contentsOf: file.path)
        #expect(model.purpose.evidence == "the last operators are those of decoder yolox")
        let detector = try await ObjectDetector(model.describedByFamily("ddddocr-det"))
        let objects = try await detector.predict(.file(Self.folder.appending(path: "letters.png").path)).objects
        #expect(objects.count == Self.boxesOfPackage.count)
        for (object, expected) in zip(objects, Self.boxesOfPackage) {
            let box = object.box
            let found = [
                box.x * 480, box.y * 300, (box.x + box.width) * 480, (box.y + box.height) * 300, object.confidence,
            ]
            for (found, (expected, limit)) in zip(found, zip(expected, [0.3, 0.3, 0.3, 0.3, 1e-3] as [Float])) {
                #expect(abs(found - expected) < limit)
            }
        }
    }

    /// The model, with the decoder that its files do not name; nil where the model cannot be fetched.
    private static func model() throws -> Model? {
        guard let file = try FetchedModels.file("ddddocr/common_det.onnx") else { return nil }
        var model = try Model(contentsOf: file.path)
        var configuration = DetectionConfiguration()
        configuration.decoder = "yolox"
        model.detection = configuration
        return model
    }

    private static var pictures: FileDataset {
        FileDataset(paths: ["letters.png", "turned.jpg"].map { folder.appending(path: $0).path })
    }

    @Test("The boxes of a detector decide how many first layers stay in float32")
    func quantizesByBoxes() async throws {
        guard let model = try Self.model() else { return }
        var options = Model.QuantizationOptions()
        options.floatLayerCount = 0
        let (quantized, all) = try await model.quantized(calibratingWith: Self.pictures, options: options)
        let boxes = try #require(all.boxAgreement)
        #expect(boxes > 0.3 && boxes == all.expectedAgreement && all.floatLayerCount == 0)

        let detectors = (try await ObjectDetector(model), try await ObjectDetector(quantized))
        var sameCount = 0
        for path in ["letters.png", "turned.jpg"].map({ Self.folder.appending(path: $0).path }) {
            let objects = try await detectors.0.predict(.file(path)).objects
            sameCount += try await detectors.1.predict(.file(path)).objects.count == objects.count ? 1 : 0
        }
        #expect(all.agreementCount == sameCount)

        options.floatLayerCount = nil
        options.minimumAgreement = 1
        let (_, best) = try await model.quantized(calibratingWith: Self.pictures, options: options)
        #expect(try #require(best.boxAgreement) >= boxes)
        let html = QuantizationPage(best, of: model).html
        #expect(html.contains("pictures keep their number of objects of each class."))
    }

    @Test(
        "The boxes of a detector decide which layers are computed in bfloat16",
        .enabled("the processor multiplies bfloat16") { ProductPrecision.bfloat16.isSupported(by: .chosen) })
    func choosesPrecisionsByBoxes() async throws {
        guard let model = try Self.model() else { return }
        let steps = try #require(
            try ObjectDetector.customaryPreprocessing(of: model, model.detection ?? DetectionConfiguration()))
        let inputs = try await model.comparisonInputs(from: Self.pictures, preprocessing: steps).inputs
        func report(agreement: Double) async throws -> PrecisionReport {
            try await model.choosePrecisions(
                options: .init(tuning: .none), on: inputs, tolerance: 1e3, minimumAgreement: agreement)
        }
        let any = try await report(agreement: 0)
        #expect(any.comparesBoxes && any.roundedCount == any.layers.count)
        let found = try #require(any.agreement)
        #expect(found > 0.5 && found <= 1)
        let strict = try await report(agreement: 0.999)
        #expect(try #require(strict.agreement) >= 0.999)
        #expect(found >= 0.999 ? strict.roundedCount == any.roundedCount : strict.roundedCount < any.roundedCount)
    }
}
