import Datasets
import Graphs
import Images
import Inference
import Models
import Platform
import Preparation
import Tensors
import Vision

/// The effect of quantizing a network on its answers.
public struct QuantizationReport: Sendable, Codable {
    /// A value of the network and the error that rounding caused in it.
    public struct Layer: Sendable, Codable {
        /// The value's name.
        public let name: String
        /// The root mean square of the difference, divided by that of the float network's value.
        public let relativeError: Double
    }

    /// A convolution or matrix product, and what happens to the network's output when it alone is rounded.
    public struct LayerEffect: Sendable, Codable {
        /// The layer's name.
        public let name: String
        /// The name of its operator.
        public let `operator`: String
        /// The number of its weights.
        public let weightCount: Int
        /// The root mean square of the change of the network's first output, divided by that of the output.
        public let outputError: Double
        /// Whether the layer has 8 bits in the quantized network.
        public let isRounded: Bool
    }

    /// The number of pictures that were used.
    public let imageCount: Int
    /// The number of records that were passed over because no picture could be read.
    public let unreadableCount: Int
    /// The number of pictures with the same best class in both networks; for a detector, of pictures in which both find
    /// as many objects of each class.
    public let agreementCount: Int
    /// The expected share of similar pictures that keep their best class, estimated from the changes of the margin
    /// between the two best scores. For a detector it is ``boxAgreement``.
    ///
    /// It varies less than ``agreement``, which nearly equal classes can change by several percent when there are only
    /// a hundred pictures.
    public let expectedAgreement: Double
    /// The mean average precision of the quantized detector's boxes when those of the float network count as marked,
    /// from 0 to 1 (COCO's, over overlaps from 0.5 to 0.95); nil for other networks, for detectors whose outputs no
    /// decoder reads, and where the float network finds nothing.
    public let boxAgreement: Double?
    /// Why a detector is judged by its best classes, where no decoder reads its outputs; nil where boxes decide, and
    /// for other networks.
    public let decodingProblem: String?
    /// The number of first convolutions and matrix products that stayed in float32. If it is not 0, the last one did
    /// too.
    public let floatLayerCount: Int
    /// The names of further layers that stayed in float32, because their input is 0 in all pictures.
    public let zeroInputLayers: [String]
    /// The values with the largest errors, worst first.
    public let layers: [Layer]
    /// What rounding each layer alone does, largest error first; nil where it was not measured.
    public let effects: [LayerEffect]?

    /// The share of pictures that ``agreementCount`` counts.
    public var agreement: Double { Double(agreementCount) / Double(max(imageCount, 1)) }
}

/// The progress of quantizing.
public struct QuantizationProgress: Sendable {
    /// The current step.
    public let stage: String
    /// The number of the current picture, from 1.
    public let picture: Int
    /// The maximum number of pictures in this step.
    public let imageCount: Int
}

extension Model {
    /// Quantizes the network's weights and values to 8 bits. The result is ONNX with QuantizeLinear and
    /// DequantizeLinear.
    ///
    ///     let (quantized, report) = try await model.quantized(calibratingWith: .imageFolder("photos"))
    ///     try quantized.export(to: "q.onnx")
    ///
    /// Weights have a scale for each output channel. Each value has one scale, from its range over the pictures.
    /// Normalizations are folded into weights first. Of a transformer, the inputs and weights of products with constant
    /// weights are rounded; what follows them, and products of two computed values, are computed in float32. So is what
    /// a network of float16 does not round.
    ///
    /// The new model keeps the model's metadata about pictures, classes and objects, and the preprocessing that was
    /// used.
    ///
    /// - Parameter preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError`` when no picture of the dataset can be read, there is nothing to quantize, or the options
    ///   ask for objects that no decoder reads; otherwise as ``PicturePredictor/predict(_:)``.
    public func quantized(
        calibratingWith dataset: some Dataset, options: Model.QuantizationOptions = Model.QuantizationOptions(),
        preprocessing: Preprocessing? = nil, progress: @escaping (QuantizationProgress) -> Void = { _ in }
    ) async throws -> (model: Model, report: QuantizationReport) {
        if let model = try widened() {
            return try await model.quantized(
                calibratingWith: dataset, options: options, preprocessing: preprocessing, progress: progress)
        }
        guard graph.inputs.count == 1 else {
            throw ApusError.usage("\(name): has \(graph.inputs.count) inputs; networks of one input are quantized")
        }
        func show(_ stage: String) -> (Int, Int) -> Void {
            { progress(QuantizationProgress(stage: stage, picture: $0, imageCount: $1)) }
        }
        // Additions stay separate nodes, because they are quantized too.
        let rewrites = Rewrites.exportable.filter { !($0 is FuseAddend) && !($0 is FuseProductAddend) }
        var graph = try Rewrites.declutter(source, using: rewrites).graph
        let steps = try calibrationSteps(preprocessing, options)
        let preparation = try PicturePreparation(
            try ImageInput(self, preprocessing: steps), Image.DecodingOptions(), options.session)
        let (pictures, unreadableCount) = try await calibrationPictures(
            dataset, preparation, options, show("reading"))
        let (reader, decodingProblem) = try detectionReader(options, pictures)
        if let strength = options.balancing {
            let places = graph.balanceableNormalizations
            let observed = try await ranges(
                graph, places.map(\.result), pictures, options, show("measuring channels"))
            for place in places {
                guard let magnitudes = observed[place.result]?.channelMagnitudes else { continue }
                try graph.balance(place, magnitudes: magnitudes, strength: strength)
            }
        }
        let products = QuantizationPlan.products(of: graph)
        try options.checkNames(among: products.map { graph.nodes[$0].name })
        let plans = candidates(graph, options).map {
            ($0, QuantizationPlan(graph, floatLayerCount: $0, keeping: options.floatLayers))
        }
        let single = options.measuresEffects ? products.map { QuantizationPlan(graph, rounding: [$0]) } : []
        guard plans.contains(where: { !$0.1.products.isEmpty }) else {
            throw ApusError.usage("\(name): no convolution or product is left to round\(graph.unroundedProducts)")
        }
        let owners = Set((plans.map(\.1) + single).flatMap { $0.values.map(\.scaleOf) })
        let multiplied = (plans.map(\.1) + single).flatMap { $0.products.compactMap { graph.nodes[$0].inputs[0] } }
        let observed = try await ranges(
            graph, Array(owners.union(multiplied)), pictures, options, show("measuring ranges"))
        var limits: [Graph.ValueID: (low: Float, high: Float)] = [:]
        for id in owners { limits[id] = observed[id]?.roundingLimits(leavingOut: options.leftOut) }
        let means = observed.mapValues(\.channelMeans)
        let expected = try await CalibrationAnswers(
            of: self, pictures, reader, keepsScores: options.measuresEffects, options,
            show("running the float network"))
        var best: (model: Model, agreement: CalibrationAnswers.Agreement, floatLayerCount: Int, products: Set<Int>)?
        for (floatLayerCount, plan) in plans {
            var candidate = try Model(try graph.quantized(plan, limits: limits, means: means), name: name)
            candidate.describe(as: self)
            candidate.preprocessing = steps ?? self.preprocessing
            let stage = "trying \(floatLayerCount) float layers"
            let agreement = try expected.agreement(
                of: try await CalibrationAnswers(of: candidate, pictures, reader, options, show(stage)))
            if best.map({ agreement.expected > $0.agreement.expected }) ?? true {
                best = (candidate, agreement, floatLayerCount, plan.products)
            }
            if agreement.expected >= options.minimumAgreement { break }
        }
        guard let best else { throw ApusError.bug("no quantized network") }
        let unrounded = best.products.filter { index in
            graph.nodes[index].inputs[0].map { owners.contains($0) && limits[$0] == nil } ?? false
        }
        let layers = try await errors(graph, best.model, pictures, options)
        var effects: [QuantizationReport.LayerEffect]?
        if options.measuresEffects {
            let rounding = LayerRounding(
                graph: graph, limits: limits, means: means, rounded: best.products.subtracting(unrounded))
            effects = try await rounding.effects(
                of: single, pictures, expected.scores, options, show("rounding one layer"))
        }
        return (
            best.model,
            QuantizationReport(
                imageCount: pictures.count, unreadableCount: unreadableCount,
                agreementCount: best.agreement.count, expectedAgreement: best.agreement.expected,
                boxAgreement: best.agreement.ofBoxes, decodingProblem: decodingProblem,
                floatLayerCount: best.floatLayerCount,
                zeroInputLayers: unrounded.sorted().map { graph.nodes[$0].name }, layers: layers, effects: effects
            )
        )
    }

    /// The preprocessing of pictures; nil when only the network itself defines it.
    private func calibrationSteps(
        _ given: Preprocessing?, _ options: Model.QuantizationOptions
    ) throws(ApusError) -> Preprocessing? {
        if options.inputShapes.isEmpty, let given { return given }
        var size: ImageSize?
        if !options.inputShapes.isEmpty {
            let input = try ImageInput(self, preprocessing: given)
            let shapes = try inputShapes(forBatch: 1, given: options.inputShapes)
            guard let position = graph.inputs.firstIndex(where: { graph[$0].name == input.name }) else { return given }
            size = input.extent(ofShape: shapes[position])
        }
        var configuration = detection ?? DetectionConfiguration()
        configuration.inputSize = size ?? configuration.inputSize
        var steps = given ?? preprocessing
        if given == nil, options.findsObjects ?? findsObjects {
            steps = try ObjectDetector.customaryPreprocessing(of: self, configuration)
        }
        guard let size, steps?.fixedOutputSize != size else { return steps }
        let guess = try guessedInput().preprocessing
        var sized = steps ?? guess
        switch sized.resizing {
        case .letterbox(_, let color, let letterbox):
            sized.setResizing(.fit, to: size, color: color, letterbox: letterbox)
        default: sized.setResizing(sized.crop == nil ? .fill : .centerCrop, to: size)
        }
        return sized
    }

    /// The tensors of the first pictures, and the number of unreadable records.
    private func calibrationPictures(
        _ dataset: some Dataset, _ preparation: PicturePreparation, _ options: Model.QuantizationOptions,
        _ show: (Int, Int) -> Void
    ) async throws -> (pictures: [Tensor], unreadableCount: Int) {
        var pictures: [Tensor] = []
        var failures: (count: Int, first: ApusError?) = (0, nil)
        for try await record in try dataset.records() {
            if pictures.count == options.imageCount { break }
            show(pictures.count + 1, options.imageCount)
            switch try await preparation.prepare(record.source, id: record.id, within: nil, StageTimes()) {
            case .success(let picture): pictures.append(picture.tensor)
            case .failure(let error):
                failures.count += 1
                failures.first =
                    failures.first
                    ?? .file(
                        path: record.id.printable, message: "\(error.message), and no other picture to calibrate with")
            }
        }
        if pictures.isEmpty {
            throw failures.first ?? ApusError.usage("there is no picture to calibrate with: the dataset is empty")
        }
        return (pictures, failures.count)
    }

    /// The numbers of first products in float32 to try, in rising order.
    private func candidates(_ graph: Graph, _ options: Model.QuantizationOptions) -> [Int] {
        if let count = options.floatLayerCount { return [max(0, count)] }
        let maximum = QuantizationPlan(graph, floatLayerCount: 0).products.count / 4
        return [0] + sequence(first: 1) { $0 * 2 }.prefix { $0 <= maximum }
    }

    /// The reader of a detector's objects; nil for networks of other kinds. If no decoder reads the outputs, the error
    /// where the options ask for objects, and otherwise its text.
    private func detectionReader(
        _ options: Model.QuantizationOptions, _ pictures: [Tensor]
    ) throws(ApusError) -> (reader: DetectionReader?, problem: String?) {
        guard options.findsObjects ?? findsObjects else { return (nil, nil) }
        do throws(ApusError) {
            return (try DetectionReader(self, inputs: [graph[graph.inputs[0]].name: pictures[0]]), nil)
        } catch {
            if options.findsObjects == true { throw error }
            return (nil, "\(error)")
        }
    }

    /// The ranges of values over the pictures.
    private func ranges(
        _ graph: Graph, _ ids: [Graph.ValueID], _ pictures: [Tensor], _ options: Model.QuantizationOptions,
        _ show: (Int, Int) -> Void
    ) async throws -> [Graph.ValueID: ActivationRange] {
        if ids.isEmpty { return [:] }
        let names = ids.filter { !graph.inputs.contains($0) }.map { graph[$0].name }
        // Products of rows have their channels along the last axis.
        let rows = Set(graph.nodes.filter { $0.operation is MatMul }.compactMap { $0.inputs.first ?? nil })
        let session = try await Session(Model(graph, name: name).fetching(names), options: options.session)
        var ranges: [Graph.ValueID: ActivationRange] = [:]
        for (index, picture) in pictures.enumerated() {
            show(index + 1, pictures.count)
            var values = try await session.predict([graph[graph.inputs[0]].name: picture])
            values[graph[graph.inputs[0]].name] = picture
            for id in ids {
                guard let value = values[graph[id].name] else { continue }
                ranges[id, default: ActivationRange(channelsLast: rows.contains(id))].add(value)
            }
        }
        return ranges
    }

    /// The error of each quantized value over a few pictures, worst first.
    private func errors(
        _ graph: Graph, _ quantized: Model, _ pictures: [Tensor], _ options: Model.QuantizationOptions
    ) async throws -> [QuantizationReport.Layer] {
        let suffix = "/rounded"
        let inputs = Set(graph.inputs.map { graph[$0].name })
        let names = quantized.source.values.map(\.name).filter { $0.hasSuffix(suffix) }
            .map { String($0.dropLast(suffix.count)) }.filter { !inputs.contains($0) }
        let float = try await Session(Model(graph, name: name).fetching(names), options: options.session)
        let rounded = try await Session(
            quantized.fetching(names.map { $0 + suffix }), options: options.session)
        var sums: [String: (difference: Double, size: Double)] = [:]
        for picture in pictures.prefix(4) {
            let input = [graph[graph.inputs[0]].name: picture]
            let (expected, found) = (try await float.predict(input), try await rounded.predict(input))
            for name in names {
                guard let a = expected[name]?.elements(as: Float.self),
                    let b = found[name + suffix]?.elements(as: Float.self)
                else { continue }
                for (x, y) in zip(a, b) {
                    sums[name, default: (0, 0)].difference += Double((x - y) * (x - y))
                    sums[name, default: (0, 0)].size += Double(x * x)
                }
            }
        }
        let layers = sums.map { name, sum in
            QuantizationReport.Layer(
                name: name, relativeError: (sum.difference / max(sum.size, .leastNormalMagnitude)).squareRoot())
        }
        return layers.sorted { ($1.relativeError, $0.name) < ($0.relativeError, $1.name) }
    }
}
