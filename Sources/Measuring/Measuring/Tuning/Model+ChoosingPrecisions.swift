import CPUBackend
import Inference
import Models
import Planning
import Platform
import Runs
import Tensors
import Vision

extension Model {
    /// Chooses the layers that are computed in 16 bits under ``Precision/automatic``, so that outputs stay within a
    /// tolerance on given pictures, and keeps the choice in the file of measured times.
    ///
    ///     let inputs = try await model.comparisonInputs(from: .imageFolder("photos"), limit: 64).inputs
    ///     let report = try await model.choosePrecisions(on: inputs, tolerance: 1e-2)
    ///     let session = try await Session(model, options: .init(precision: .automatic))
    ///
    /// Errors are relative: |x − r| ÷ max(|r|, m), where r is the same element in float32, and m the root of the mean
    /// of all r². When all layers together exceed the tolerance, each layer is measured alone, on 8 pictures at most.
    /// Those layers are chosen that save the most time for the square of their error, as many as stay within the
    /// tolerance together on all pictures.
    ///
    /// - Parameters:
    ///   - options: The threads, and the file that ``Session/Options/tuning`` names.
    ///   - inputs: The pictures, as inputs of the network.
    ///   - tolerance: The largest relative error of any output.
    ///   - minimumAgreement: The minimum share of pictures that keep their best class, where the network has a single
    ///     output of scores, `[1, C]`. For a detector of objects, the least mean average precision of its boxes when
    ///     those in float32 count as marked.
    ///   - progress: Called before each measurement.
    /// - Throws: ``ApusError/backend(name:message:)`` where the processor multiplies neither bfloat16 nor
    ///   float16; ``ApusError/usage(_:)`` without pictures, or for numbers out of range;
    ///   ``ApusError/file(path:message:)`` when the file cannot be written; as `Session.init` otherwise.
    public func choosePrecisions(
        options: Session.Options = Session.Options(), on inputs: [Comparison.Input], tolerance: Double = 1e-2,
        minimumAgreement: Double = 0.999, progress: (@Sendable (PrecisionProgress) -> Void)? = nil
    ) async throws(ApusError) -> PrecisionReport {
        guard !inputs.isEmpty else { throw .usage("choosing precisions needs pictures") }
        guard tolerance >= 0, tolerance.isFinite, (0...1).contains(minimumAgreement) else {
            throw .usage("a tolerance must be at least 0, and an agreement from 0 to 1")
        }
        let file = TuningFile(options.tuning)
        // Writing nothing detects an unwritable file before anything is measured.
        try file?.add(TuningCache())
        let trial = try await PrecisionTrial(
            self, options, inputs, tolerance: tolerance, minimumAgreement: minimumAgreement, progress)
        let (choice, errorOfAll) = try await trial.choice()
        if let key = trial.processor.measurementKey {
            var records = TuningCache()
            records[key, network: fingerprint] = choice
            try file?.add(records)
        }
        return PrecisionReport(
            model: name, precision: choice.precisionName, pictures: inputs.count, tolerance: tolerance,
            minimumAgreement: minimumAgreement, error: choice.error, agreement: choice.agreement,
            comparesBoxes: choice.measure == .boxes,
            errorOfAll: errorOfAll, file: file?.path,
            layers: trial.layers.map { layer in
                PrecisionReport.Layer(
                    name: layer.name, operator: layer.operator,
                    isRounded: choice.layers[layer.name]?.isRounded ?? false,
                    error: choice.layers[layer.name]?.error, savedMicroseconds: layer.savedMicroseconds)
            })
    }
}

/// A network that runs with different layers in bfloat16 or float16.
private struct PrecisionTrial: Sendable {
    /// A layer that kernels of 16 bits can compute.
    struct Layer: Sendable {
        let name: String
        let `operator`: String
        let savedMicroseconds: Double
    }

    /// The difference from float32.
    struct Difference {
        var error = 0.0
        /// The share of pictures that keep their best class, or the mean average precision of boxes; nil where outputs
        /// are neither.
        var agreement: Double?
    }

    let model: Model
    let processor: CPUBackend
    let layers: [Layer]
    private let options: Session.Options
    private let inputs: [Comparison.Input]
    private let tolerance: Double
    private let minimumAgreement: Double
    /// The outputs in float32 for each input.
    private let references: [[String: Tensor]]
    /// Reads the boxes of a detector; nil for other networks.
    private let reader: DetectionReader?
    private let progress: (@Sendable (PrecisionProgress) -> Void)?

    /// The number of pictures on which a layer is measured alone.
    private static let picturesOfALayer = 8

    init(
        _ model: Model, _ options: Session.Options, _ inputs: [Comparison.Input], tolerance: Double,
        minimumAgreement: Double, _ progress: (@Sendable (PrecisionProgress) -> Void)?
    ) async throws(ApusError) {
        progress?(.reference)
        var options = options
        options.backends = [.cpu]
        let (processor, rounded) = try await Self.rounded(model, options, inputs[0])
        options.precision = .f32
        let float = try await Session(model, options: options)
        var references: [[String: Tensor]] = []
        for input in inputs { references.append(try await float.predict(input.tensors)) }
        let before = try await float.plan(forInputs: inputs[0].tensors)
        let times = Dictionary(
            before.layers.map { ($0.name, $0.microseconds) }, uniquingKeysWith: { first, _ in first })
        let suffix = "-\(processor.precision.rawValue)"
        layers = try await rounded.plan(forInputs: inputs[0].tensors).layers
            .filter { $0.lowering.hasSuffix(suffix) }
            .map { layer in
                Layer(
                    name: layer.name, operator: layer.operator,
                    savedMicroseconds: max(0, (times[layer.name] ?? 0) - layer.microseconds))
            }
        self.model = model
        self.processor = processor
        self.options = options
        self.inputs = inputs
        self.tolerance = tolerance
        self.minimumAgreement = minimumAgreement
        self.references = references
        reader = model.purpose.task == .detect ? try? DetectionReader(model, inputs: inputs[0].tensors) : nil
        self.progress = progress
    }

    /// The processor in its fastest precision of 16 bits that can hold the weights, and the network in it.
    private static func rounded(
        _ model: Model, _ options: Session.Options, _ input: Comparison.Input
    ) async throws(ApusError) -> (CPUBackend, Session) {
        var options = options
        var processor = try Catalog.processor(.automatic)
        if processor.precision == .float16 {
            options.precision = .f16
            do throws(ApusError) {
                let session = try await Session(model, options: options)
                _ = try await session.plan(forInputs: input.tensors)
                return (processor, session)
            } catch {
                guard error.description.contains("beyond the range of float16"),
                    let other = try? Catalog.processor(.bf16)
                else { throw error }
                processor = other
            }
        }
        if let refusal = processor.roundingRefusal {
            throw .backend(name: BackendName.cpu.rawValue, message: "no layer gains by 16 bits: \(refusal)")
        }
        options.precision = .bf16
        return (processor, try await Session(model, options: options))
    }

    /// Chooses layers.
    ///
    /// - Returns: The choice, and the error with all layers rounded.
    func choice() async throws(ApusError) -> (PrecisionChoice, errorOfAll: Double) {
        progress?(.layers(count: layers.count, of: layers.count))
        let all = try await difference(rounding: layers.map(\.name))
        if isAllowed(all) { return (choice(rounding: layers.map(\.name), [:], all), all.error) }
        var errors: [String: Double] = [:]
        for (number, layer) in layers.enumerated() {
            progress?(.layer(number: number + 1, of: layers.count, name: layer.name))
            let alone = try await difference(rounding: [layer.name], pictures: Self.picturesOfALayer)
            errors[layer.name] = alone.error
        }
        var trials = [ErrorBudget(layers.map { ($0.name, errors[$0.name] ?? 0, $0.savedMicroseconds) }, tolerance)]
        var best = (names: [String](), saved: 0.0, difference: Difference(agreement: all.agreement.map { _ in 1 }))
        while let trial = trials.popLast() {
            let names = trial.names
            progress?(.layers(count: names.count, of: layers.count))
            let difference = try await difference(rounding: names)
            let fits = isAllowed(difference)
            if fits, trial.saved > best.saved { best = (names, trial.saved, difference) }
            if let next = trial.next(isAllowed: fits) { trials.append(next) }
        }
        return (choice(rounding: best.names, errors, best.difference), all.error)
    }

    private func isAllowed(_ difference: Difference) -> Bool {
        difference.error <= tolerance && difference.agreement ?? 1 >= minimumAgreement
    }

    private func choice(
        rounding rounded: [String], _ errors: [String: Double], _ difference: Difference
    ) -> PrecisionChoice {
        let names = Set(rounded)
        let measured = layers.map { layer in
            (layer.name, PrecisionChoice.Layer(isRounded: names.contains(layer.name), error: errors[layer.name]))
        }
        return PrecisionChoice(
            layers: Dictionary(measured, uniquingKeysWith: { first, _ in first }), tolerance: tolerance,
            pictures: inputs.count, error: difference.error, agreement: difference.agreement,
            measure: reader == nil ? nil : .boxes, precisionName: processor.precision.rawValue)
    }

    /// Runs the network on the first `pictures`, with the named layers rounded.
    private func difference(rounding names: [String], pictures: Int = .max) async throws(ApusError) -> Difference {
        let choice = choice(rounding: names, [:], Difference())
        let backends: [any Backend] = [processor.rounding(choice), ReferenceBackend()]
        let session = try await Session(model, options: options, selection: BackendSelection(backends: backends))
        var difference = Difference()
        var kept: [Bool] = []
        var found: [[ObjectCandidate]] = []
        var expectedObjects: [[ObjectCandidate]] = []
        for (input, reference) in zip(inputs, references).prefix(pictures) {
            let outputs = try await session.predict(input.tensors)
            for (name, expected) in reference where expected.elementType.isFloatingPoint {
                guard let found = outputs[name] else { continue }
                let (numbers, others) = (found.elements(as: Double.self), expected.elements(as: Double.self))
                let error = Agreement(numbers, reference: others).largestRelativeError
                // Infinity cannot be written as JSON.
                difference.error = max(difference.error, min(error, .greatestFiniteMagnitude))
                if reader == nil, reference.count == 1, Self.holdsScores(expected) {
                    kept.append(numbers.indexOfLargest == others.indexOfLargest)
                }
            }
            if let reader {
                found.append(try reader.objects(in: outputs, of: input.tensors))
                expectedObjects.append(try reader.objects(in: reference, of: input.tensors))
            }
        }
        if reader != nil {
            difference.agreement = try DetectionEvaluation.agreement(of: found, with: expectedObjects)
        }
        if !kept.isEmpty { difference.agreement = Double(kept.count(where: { $0 })) / Double(kept.count) }
        return difference
    }

    /// Whether an output looks like scores of classes for one image: `[1, C]` or `[1, C, 1, 1]`.
    private static func holdsScores(_ output: Tensor) -> Bool {
        output.shape.count >= 2 && output.shape[0] == 1 && output.shape[1] > 1
            && output.shape.dropFirst(2).allSatisfy { $0 == 1 }
    }
}

extension [Double] {
    fileprivate var indexOfLargest: Int? { indices.max { self[$0] < self[$1] } }
}
