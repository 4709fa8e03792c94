import Graphs
import Tensors

/// How a network is quantized.
public struct QuantizationOptions: Sendable {
    /// How many pictures of the dataset are looked at, from its begin.
    public var pictureCount = 128
    /// The part of a value's numbers that may lie beyond each end of its range.
    public var leftOut = 0.00001
    /// Whether the first and the last convolution or product stay as they are; nil tries both and keeps the better.
    public var keepsEnds: Bool?
    /// How runs are made.
    public var session = Session.Options()

    /// Makes options.
    public init() {}
}

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
    public let pictureCount: Int
    /// How many of them have the same best class in both networks.
    public let agreementCount: Int
    /// Whether the first and the last convolution or product stayed as they were.
    public let keepsEnds: Bool
    /// The values that rounding moved most, the worst first.
    public let layers: [Layer]

    /// The part of the pictures with the same best class.
    public var agreement: Double { Double(agreementCount) / Double(max(pictureCount, 1)) }
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
    /// - Throws: ``ApusError`` when no picture of the dataset can be read; otherwise as ``Classifier/classify(_:)``.
    public func quantized(
        calibratingWith dataset: some Dataset, options: QuantizationOptions = QuantizationOptions(),
        preprocessing: Preprocessing? = nil
    ) async throws -> (model: Model, report: QuantizationReport) {
        // Additions stay nodes of their own, which are rounded too.
        let rewrites = Rewrites.exportable.filter { !($0 is FuseAddend) && !($0 is FuseProductAddend) }
        let graph = try Rewrites.declutter(source, using: rewrites).graph
        let preparation = try PicturePreparation(
            try ImageInput(self, preprocessing: preprocessing), Image.DecodingOptions(), options.session)
        var pictures: [Tensor] = []
        for try await record in try dataset.records() {
            if pictures.count == options.pictureCount { break }
            if case .success(let picture) = try await preparation.prepare(record, within: nil, StageTimes()) {
                pictures.append(picture.tensor)
            }
        }
        guard !pictures.isEmpty else { throw ApusError.usage("the dataset has no picture to calibrate with") }
        let everything = QuantizationPlan(graph, keepsEnds: false)
        let owners = Set(everything.values.map(\.scaleOf)).union(
            QuantizationPlan(graph, keepsEnds: true).values.map(\.scaleOf))
        let observed = try await ranges(graph, Array(owners), pictures, options)
        var limits: [Graph.ValueID: (low: Float, high: Float)] = [:]
        for (id, range) in observed { limits[id] = range.limits(leavingOut: options.leftOut) }
        let expected = try await classes(of: self, pictures, options)
        var best: (model: Model, agreement: Int, keepsEnds: Bool)?
        for keepsEnds in options.keepsEnds.map({ [$0] }) ?? [false, true] {
            let plan = QuantizationPlan(graph, keepsEnds: keepsEnds)
            var candidate = try Model(try graph.quantized(plan, limits: limits), name: name)
            (candidate.preprocessing, candidate.labels) = (self.preprocessing, labels)
            let found = try await classes(of: candidate, pictures, options)
            let agreement = zip(expected, found).count { $0 == $1 }
            if best.map({ agreement > $0.agreement }) ?? true { best = (candidate, agreement, keepsEnds) }
        }
        guard let best else { throw ApusError.bug("no quantized network") }
        let layers = try await errors(graph, best.model, pictures, options)
        return (
            best.model,
            QuantizationReport(
                pictureCount: pictures.count, agreementCount: best.agreement, keepsEnds: best.keepsEnds, layers: layers)
        )
    }

    private func classes(
        of model: Model, _ pictures: [Tensor], _ options: QuantizationOptions
    ) async throws -> [Int?] {
        let session = try await Session(model, options: options.session)
        let names = (input: model.graph[model.graph.inputs[0]].name, output: model.graph[model.graph.outputs[0]].name)
        var classes: [Int?] = []
        for picture in pictures {
            let scores = try await session.predict([names.input: picture])[names.output]?.elements(as: Float.self) ?? []
            classes.append(scores.indices.max { scores[$0] < scores[$1] })
        }
        return classes
    }

    /// What numbers values take over the pictures.
    private func ranges(
        _ graph: Graph, _ ids: [Graph.ValueID], _ pictures: [Tensor], _ options: QuantizationOptions
    ) async throws -> [Graph.ValueID: ActivationRange] {
        let names = ids.filter { !graph.inputs.contains($0) }.map { graph[$0].name }
        let session = try await Session(Model(graph, name: name).fetching(names), options: options.session)
        var ranges: [Graph.ValueID: ActivationRange] = [:]
        for picture in pictures {
            var values = try await session.predict([graph[graph.inputs[0]].name: picture])
            values[graph[graph.inputs[0]].name] = picture
            for id in ids {
                guard let value = values[graph[id].name] else { continue }
                ranges[id, default: ActivationRange()].add(value.elements(as: Float.self))
            }
        }
        return ranges
    }

    /// How far rounding moves each value that is rounded, over a few pictures; the worst first.
    private func errors(
        _ graph: Graph, _ quantized: Model, _ pictures: [Tensor], _ options: QuantizationOptions
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
