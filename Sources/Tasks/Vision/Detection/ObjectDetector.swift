import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the objects in them.
///
///     let detector = try await ObjectDetector(Model(contentsOf: "yolox_tiny.onnx"))
///     for object in try await detector.predict(.file("street.jpg")).objects {
///         print(object.identifier, object.confidence, object.box)
///     }
///
/// The way from outputs to boxes is given by `NAME.postprocess.json` beside the model, by its metadata, or by the
/// outputs themselves; see ``DetectionConfiguration``. A model without preprocessing gets the usual one of the
/// decoder's family.
///
/// Every method may be called from any task.
public final class ObjectDetector: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// How outputs become objects.
    ///
    /// The least confidence and the overlap are those of the decoder's family where nothing gives others.
    public let configuration: DetectionConfiguration
    /// The name of the decoder, as ``Catalog/decoderNames`` lists it.
    public var decoderName: String { type(of: reader.decoder).name.rawValue }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }
    /// Whether the preprocessing is the usual one of the decoder's family, since neither the model nor the caller gave
    /// any.
    public let isPreprocessingCustomary: Bool

    package let pictures: PicturePreparation
    private let reader: DetectionReader
    /// Where the labels come from, for people.
    private let labelsOrigin: String?
    /// The thresholds among the inputs, by name.
    private let thresholds: [String: Tensor]

    /// Starts a detector.
    ///
    /// - Parameters:
    ///   - configuration: Overrides that of the sidecar or the model.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder recognises its
    ///   outputs; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), configuration: DetectionConfiguration? = nil,
        preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let model = model.describedByFamily()
        let configuration = configuration ?? model.detection ?? DetectionConfiguration()
        thresholds = try Self.thresholds(of: model, configuration)
        let others = try Self.inputsBesidePicture(of: model, configuration)
        let customary = try Self.customaryPreprocessing(of: model, configuration)
        isPreprocessingCustomary = preprocessing == nil && model.preprocessing == nil
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary, besides: others)
        reader = try DetectionReader(model, configuration, input)
        self.configuration = reader.configuration
        self.labels = labels ?? configuration.labels ?? model.labels ?? type(of: reader.decoder).customaryLabels
        labelsOrigin = model.origin(of: self.labels)
        if let count = reader.classCount {
            try self.labels?.check(classCount: count, model: model.name, origin: labelsOrigin)
        }
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The objects in the outputs of one run for all pictures, or of one run for each.
    private func detections(
        _ outputs: [[String: Tensor]], _ pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<ObjectDetection, RecordError>] {
        let model = session.model
        do {
            let runs = try outputs.map { try reader.ordered($0) }
            return try await self.pictures.executor.run { [self] in
                try pictures.indices.map { index in
                    let own =
                        try runs.count == pictures.count
                        ? runs[index] : runs[0].map { try $0.sliced(axis: 0, index..<index + 1) }
                    return RecordError.catching { try objects(own, pictures[index]) }
                }
            }
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    /// The objects in the outputs of one picture.
    private func objects(_ outputs: [Tensor], _ picture: PreparedPicture) throws -> ObjectDetection {
        let inputSize = pictures.input.extent(of: picture.tensor)
        let found = try reader.objects(in: outputs, inputSize: inputSize)
        if let count = found.lazy.map(\.scores.count).first(where: { $0 > 0 }) {
            try RecordError.checkLabels(
                labels, classCount: count, model: session.model.name, origin: labelsOrigin)
        }
        let objects = found.compactMap {
            candidate -> RecognizedObject? in
            let corners = candidate.rotated?.corners(
                picture.placement, inputSize: inputSize, in: picture.size ?? inputSize)
            let box = corners.map { NormalizedBox(around: $0).clipped } ?? candidate.box(picture.placement)
            return box.map { box in
                var object = RecognizedObject(confidence: candidate.confidence, box: box, labels: ranked(candidate))
                object.corners = corners ?? []
                let whole = candidate.wholeBox(picture.placement)
                if corners == nil, whole != box { object.wholeBox = whole }
                object.points = candidate.points.map { point in
                    let place = picture.placement.original(x: Double(point.x), y: Double(point.y))
                    return SIMD2(Float(place.x), Float(place.y))
                }
                return object
            }
        }
        return ObjectDetection(objects, imageSize: picture.size)
    }

    /// The maximum number of classes of an object.
    private static let labelCount = 5

    private func ranked(_ candidate: ObjectCandidate) -> [ClassificationObservation] {
        let best = (index: candidate.classIndex, score: candidate.confidence)
        let others = candidate.scores.enumerated()
            .filter { $0.offset != candidate.classIndex && $0.element > 0 }
            .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
            .prefix(Self.labelCount - 1).map { (index: $0.offset, score: min($0.element, 1)) }
        return ([best] + others).map { entry in
            ClassificationObservation(index: entry.index, label: labels?[entry.index], confidence: entry.score)
        }
    }
}

extension ObjectDetector {
    /// The steps that the model's files give, or else the usual ones of its decoder's family; nil where neither the
    /// network nor the configuration fixes the input's size.
    package static func customaryPreprocessing(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> Preprocessing? {
        let others = try inputsBesidePicture(of: model, configuration)
        let guess = try ImageInput(model, preprocessing: nil, besides: others)
        guard let size = guess.size ?? configuration.inputSize else { return model.preprocessing }
        if var steps = model.preprocessing {
            // A center crop, which is usual in some formats, is for classes; objects may be anywhere.
            if model.origins.preprocessing == .model, steps.crop != nil { steps.setResizing(.fill, to: size) }
            // Metadata of TensorFlow Lite give the numbers of pixels, but not how pictures are placed.
            if model.origins.preprocessing == .metadata("TFLITE_METADATA") {
                let signature = DetectorSignature(model, inputSize: size)
                let customary = try? decoder(for: signature, configuration.decoder).customaryPreprocessing(to: size)
                steps.resizing = customary?.resizing ?? steps.resizing
                steps.filter = customary?.filter ?? steps.filter
            }
            return steps
        }
        let signature = DetectorSignature(model, inputSize: size)
        var steps = try decoder(for: signature, configuration.decoder).customaryPreprocessing(to: size)
        if guess.preprocessing.channelOrder == .gray { steps.channelOrder = .gray }
        if guess.takesPixels { (steps.scale, steps.mean, steps.standardDeviation) = (1, [0], [1]) }
        return steps
    }

    /// The name of the decoder that reads a model's outputs.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when no decoder recognises them.
    package static func decoderName(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> String {
        try decoder(for: signature(of: model, configuration), configuration.decoder).name.rawValue
    }

    /// The names of the decoders that recognise a model's outputs as well as the first that does, where nothing tells
    /// that one from them.
    static func otherDecoderNames(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> [String] {
        let signature = try signature(of: model, configuration)
        let fitting = Catalog.decoders.filter { $0.recognizes(signature) }
        guard configuration.decoder == nil, let first = fitting.first, !first.isToldByNames(signature),
            !first.isToldByShapes(signature), !first.isToldByHead(signature)
        else { return [] }
        return fitting.dropFirst().map { $0.name.rawValue }
    }

    private static func signature(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> DetectorSignature {
        let others = try inputsBesidePicture(of: model, configuration)
        let size = try ImageInput(model, preprocessing: nil, besides: others).size ?? configuration.inputSize
        return DetectorSignature(model, inputSize: size)
    }

    /// The decoder of a name, or the first that recognises the outputs.
    static func decoder(
        for signature: DetectorSignature, _ name: String?
    ) throws(ApusError) -> any ObjectDecoder.Type {
        let names = Catalog.decoderNames.joined(separator: ", ")
        if let name {
            // Metadata of Ultralytics name turned boxes alike, whether or not the export ends with the boxes
            // themselves.
            if name == DecoderName.yoloOBB.rawValue, YOLOOBBEndToEndDecoder.recognizes(signature) {
                return YOLOOBBEndToEndDecoder.self
            }
            if let decoder = DecoderName(rawValue: name)?.decoder { return decoder }
            throw .usage("decoder \(name): there is no such decoder; there are \(names)")
        }
        if let decoder = Catalog.decoders.first(where: { $0.recognizes(signature) }) { return decoder }
        throw .usage("\(signature.model): no decoder knows the outputs; name one of \(names)")
    }

    /// The names of the inputs that are no pictures.
    static func inputsBesidePicture(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> Set<String> {
        Set(try thresholds(of: model, configuration).keys)
    }

    /// The thresholds that a Core ML pipeline takes as inputs, by name.
    static func thresholds(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> [String: Tensor] {
        let values = [
            "iouThreshold": configuration.suppression.threshold,
            "confidenceThreshold": configuration.minimumConfidence,
        ]
        var tensors: [String: Tensor] = [:]
        for id in model.graph.inputs {
            let input = model.graph[id]
            guard let value = values[input.name] else { continue }
            do {
                let shape = [Int](repeating: 1, count: input.shape?.dimensions.count ?? 0)
                tensors[input.name] = try Tensor([value], shape: shape).converted(to: input.elementType ?? .float32)
            } catch {
                throw ApusError(error, model: model.name)
            }
        }
        return tensors
    }
}

extension DetectionConfiguration {
    /// The configuration with the numbers that are customary for a decoder's family where none are given.
    func customary(for decoder: any ObjectDecoder) -> DetectionConfiguration {
        var configuration = self
        if let confidence = decoder.customaryConfidence, !isConfidenceGiven {
            configuration.minimumConfidence = confidence
        }
        let family = type(of: decoder)
        if let overlap = family.customaryWeightedOverlap ?? family.customaryOverlap, !suppression.isThresholdGiven {
            configuration.suppression.threshold = overlap
        }
        return configuration
    }
}

extension ObjectDetector: TaskPredictor {
    public var core: PredictorCore<ObjectDetection> { PredictorCore(self) }

    package var categoryIDs: [Int]? { configuration.categoryIDs }
    package var hasCorners: Bool { type(of: reader.decoder).isRotated }

    package var settings: [String: String] {
        let suppression = configuration.suppression
        return [
            "decoder":
                "\(decoderName) \(configuration.boxFormat?.rawValue ?? "") \(configuration.boxUnits?.rawValue ?? "")",
            "min-confidence": "\(configuration.minimumConfidence)",
            "suppression": "\(suppression.threshold), \(suppression.maximumCount)"
                + (suppression.isClassAgnostic ? ", class-agnostic" : ""),
        ]
    }

    package func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]] {
        let takesOne = type(of: reader.decoder).takesSinglePictures || self.pictures.input.takesSinglePictures
        let runsAlone = takesOne || pictures.count > 1 && !session.takesBatches
        let groups = runsAlone ? pictures.map { [$0] } : [pictures]
        return try groups.map { (group) throws(ApusError) in
            try joined(group).merging(thresholds, uniquingKeysWith: { first, _ in first })
        }
    }

    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<ObjectDetection, RecordError>] {
        try await detections(outputs, pictures)
    }
}
