import Datasets
import Graphs
import Images
import Inference
import Platform
import Tensors
import Vision

/// What quantizing a network did to its answers.
public struct QuantizationReport: Sendable, Codable {
    /// A value of the network and how far rounding moved it.
    public struct Layer: Sendable, Codable {
        /// The value's name.
        public let name: String
        /// The root of the mean squared difference over that of the float network's numbers.
        public let relativeError: Double
    }

    /// How many pictures were looked at.
    public let imageCount: Int
    /// How many records of the dataset were passed over, since no picture could be read.
    public let unreadableCount: Int
    /// How many of them have the same best class in both networks.
    public let agreementCount: Int
    /// The part of pictures like these that is expected to keep its best class, from how far rounding moves the best score
    /// from the second.
    ///
    /// The count of a hundred pictures may be off by several where two classes are nearly equal; this moves less.
    public let expectedAgreement: Double
    /// How many of the first convolutions and products stayed as they were, and with them the last one.
    public let floatLayerCount: Int
    /// The values that rounding moved most, the worst first.
    public let layers: [Layer]

    /// The part of the pictures with the same best class.
    public var agreement: Double { Double(agreementCount) / Double(max(imageCount, 1)) }
}

/// How far quantizing has come.
public struct QuantizationProgress: Sendable {
    /// What is done.
    public let stage: String
    /// The picture that it is done with, from 1.
    public let picture: Int
    /// How many pictures it is done with, at the most.
    public let imageCount: Int
}

extension Model {
    /// The network with weights and values of 8 bits: ONNX with QuantizeLinear and DequantizeLinear.
    ///
    ///     let (quantized, report) = try await model.quantized(calibratingWith: .imageFolder("photos"))
    ///     try quantized.export(to: "q.onnx")
    ///
    /// Weights have a scale for each output channel, values one each, from the numbers that they take over the pictures.
    /// Normalizations are folded into weights first.
    ///
    /// What the model says about pictures, classes and objects holds for the new one too, as do the steps by which pictures
    /// were prepared.
    ///
    /// - Parameter preprocessing: Overrides the model's own.
    /// - Throws: ``ApusError`` when no picture of the dataset can be read, or nothing is left to round; otherwise as
    ///   ``Classifier/predict(_:)``.
    public func quantized(
        calibratingWith dataset: some Dataset, options: Model.QuantizationOptions = Model.QuantizationOptions(),
        preprocessing: Preprocessing? = nil, progress: @escaping (QuantizationProgress) -> Void = { _ in }
    ) async throws -> (model: Model, report: QuantizationReport) {
        func show(_ stage: String) -> (Int, Int) -> Void {
            { progress(QuantizationProgress(stage: stage, picture: $0, imageCount: $1)) }
        }
        // Additions stay nodes of their own, which are rounded too.
        let rewrites = Rewrites.exportable.filter { !($0 is FuseAddend) && !($0 is FuseProductAddend) }
        let graph = try Rewrites.declutter(source, using: rewrites).graph
        let steps = try calibrationSteps(preprocessing, options)
        let preparation = try PicturePreparation(
            try ImageInput(self, preprocessing: steps), Image.DecodingOptions(), options.session)
        let (pictures, unreadableCount) = try await calibrationPictures(
            dataset, preparation, options, show("reading"))
        let plans = candidates(graph, options).map { ($0, QuantizationPlan(graph, floatLayerCount: $0)) }
        guard plans.contains(where: { !$0.1.products.isEmpty }) else {
            throw ApusError.usage("no convolution or product is left to round")
        }
        let owners = Set(plans.flatMap { $0.1.values.map(\.scaleOf) })
        let multiplied = plans.flatMap { plan in plan.1.products.compactMap { graph.nodes[$0].inputs[0] } }
        let observed = try await ranges(
            graph, Array(owners.union(multiplied)), pictures, options, show("measuring ranges"))
        var limits: [Graph.ValueID: (low: Float, high: Float)] = [:]
        for id in owners { limits[id] = observed[id]?.limits(leavingOut: options.leftOut) }
        let means = observed.mapValues(\.channelMeans)
        let expected = try await scores(of: self, pictures, options, show("running the float network"))
        var best: (model: Model, margins: ScoreMargins, floatLayerCount: Int)?
        for (floatLayerCount, plan) in plans {
            var candidate = try Model(try graph.quantized(plan, limits: limits, means: means), name: name)
            candidate.describe(as: self)
            candidate.preprocessing = steps ?? self.preprocessing
            let stage = "trying \(floatLayerCount) float layers"
            let margins = ScoreMargins(
                expected, rounded: try await scores(of: candidate, pictures, options, show(stage)))
            if best.map({ margins.expectedAgreement > $0.margins.expectedAgreement }) ?? true {
                best = (candidate, margins, floatLayerCount)
            }
            if margins.expectedAgreement >= options.leastAgreement { break }
        }
        guard let best else { throw ApusError.bug("no quantized network") }
        let layers = try await errors(graph, best.model, pictures, options)
        return (
            best.model,
            QuantizationReport(
                imageCount: pictures.count, unreadableCount: unreadableCount,
                agreementCount: best.margins.agreementCount,
                expectedAgreement: best.margins.expectedAgreement, floatLayerCount: best.floatLayerCount, layers: layers
            )
        )
    }

    /// The steps from pictures to numbers; nil where nothing but the network says them.
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

    /// The numbers of the first pictures, and how many records had none.
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

    /// How many of the first products may stay as they are, the fewest first.
    private func candidates(_ graph: Graph, _ options: Model.QuantizationOptions) -> [Int] {
        if let count = options.floatLayerCount { return [max(0, count)] }
        let most = QuantizationPlan(graph, floatLayerCount: 0).products.count / 4
        return [0] + sequence(first: 1) { $0 * 2 }.prefix { $0 <= most }
    }

    /// The scores of every picture.
    private func scores(
        of model: Model, _ pictures: [Tensor], _ options: Model.QuantizationOptions, _ show: (Int, Int) -> Void
    ) async throws -> [[Float]] {
        let session = try await Session(model, options: options.session)
        let names = (input: model.graph[model.graph.inputs[0]].name, output: model.graph[model.graph.outputs[0]].name)
        var scores: [[Float]] = []
        for (index, picture) in pictures.enumerated() {
            show(index + 1, pictures.count)
            scores.append(
                try await session.predict([names.input: picture])[names.output]?.elements(as: Float.self) ?? [])
        }
        return scores
    }

    /// What numbers values take over the pictures.
    private func ranges(
        _ graph: Graph, _ ids: [Graph.ValueID], _ pictures: [Tensor], _ options: Model.QuantizationOptions,
        _ show: (Int, Int) -> Void
    ) async throws -> [Graph.ValueID: ActivationRange] {
        let names = ids.filter { !graph.inputs.contains($0) }.map { graph[$0].name }
        let session = try await Session(Model(graph, name: name).fetching(names), options: options.session)
        var ranges: [Graph.ValueID: ActivationRange] = [:]
        for (index, picture) in pictures.enumerated() {
            show(index + 1, pictures.count)
            var values = try await session.predict([graph[graph.inputs[0]].name: picture])
            values[graph[graph.inputs[0]].name] = picture
            for id in ids {
                guard let value = values[graph[id].name] else { continue }
                ranges[id, default: ActivationRange()].add(value)
            }
        }
        return ranges
    }

    /// How far rounding moves each value that is rounded, over a few pictures; the worst first.
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
