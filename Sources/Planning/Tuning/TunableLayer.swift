import Graphs
import Tensors

/// A layer that lowerings of measurable devices contend for.
package struct TunableLayer: Sendable {
    package let signature: LayerSignature
    /// The name of the first node.
    package let name: String
    /// How many nodes of the network have the signature.
    package internal(set) var count: Int
    package let operatorName: String
    package let inputShapes: [[Int]]
    package let outputShapes: [[Int]]
    /// The lowerings worth measuring, expected fastest first.
    let contenders: [Contender]
    /// The images of the batch that the layer is planned for.
    let images: Int
    let request: LoweringRequest

    /// More would rarely hold the fastest.
    private static let (mostLowerings, mostContenders) = (6, 24)
    /// A lowering that is expected to take so many times as long as the favourite is not worth measuring.
    private static let hopelessRatio = 6.0

    /// - Parameter isComparedAcross: Whether the measured time also decides on which side the layer runs, so that a
    ///   layer with one contender is measured too.
    /// - Returns: nil when there is nothing to choose or measure.
    init?(_ operation: Draft.Operation, isComparedAcross: Bool) {
        guard let signature = operation.ranking.signature, operation.isMeasurable else { return nil }
        let contenders = operation.choice.contenders
        guard let favourite = contenders.favourite, favourite.isMeasurable else { return nil }
        let hopeful = contenders.filter {
            $0.isMeasurable && $0.expectedTotal <= Self.hopelessRatio * favourite.expectedTotal
        }
        // The order of equal times is that of the backends, as in choosing.
        let ranked = hopeful.enumerated().sorted {
            ($0.element.expectedTotal, $0.offset) < ($1.element.expectedTotal, $1.offset)
        }
        guard ranked.count >= (isComparedAcross ? 1 : 2) else { return nil }
        self.signature = signature
        var lowerings: [String] = []
        let best = ranked.map(\.element).filter { contender in
            let name = "\(contender.backend.name)/\(contender.lowering.name)"
            if !lowerings.contains(name), lowerings.count < Self.mostLowerings { lowerings.append(name) }
            return lowerings.contains(name)
        }
        self.contenders = Array(best.prefix(Self.mostContenders))
        request = operation.request
        images = operation.request.imageCount(comparedWith: operation.ranking)
        name = operation.node.name
        count = 1
        operatorName = operation.node.fusedOperatorName
        inputShapes = operation.inputTypes.compactMap { $0?.shape }
        outputShapes = request.outputs.map(\.shape)
    }

    /// What is known of one of the contenders.
    package struct CandidateTimes: Sendable {
        package let backend: String
        package let lowering: String
        /// Which way of the lowering it is, where there are several.
        package let variant: String?
        /// Expected microseconds of one image on one thread.
        package let expected: Double
        package let measured: MeasuredTime?
    }

    /// Whether a device runs the layer, and not the processor.
    package var isOnDevice: Bool { contenders.contains { $0.backend.space == .device } }

    /// The contenders, expected fastest first.
    package var candidates: [CandidateTimes] {
        contenders.map {
            CandidateTimes(
                backend: $0.backend.name, lowering: $0.lowering.name, variant: $0.candidate.variant,
                expected: $0.expected, measured: $0.measured)
        }
    }

    /// The position in ``candidates`` of the one that the planner chooses.
    package var chosen: Int {
        let chosen = contenders.chosen
        return contenders.firstIndex {
            $0.backend.name == chosen?.backend.name && $0.recordName == chosen?.recordName
        } ?? 0
    }

    /// Whether every contender was measured with so many threads and images.
    package func isMeasured(threads: Int, images: Int) -> Bool {
        contenders.allSatisfy { $0.measured?.threads == threads && $0.measured?.images == images }
    }
}

extension Contender {
    /// Whether it has a step that runs on a device whose times can be kept.
    fileprivate var isMeasurable: Bool {
        backend.measurementKey != nil && !candidate.isInPlace
    }
}

extension Draft.Operation {
    /// Whether random numbers can stand for the layer's inputs.
    fileprivate var isMeasurable: Bool {
        request.inputs.indices.allSatisfy { index in
            let elementType = request.inputs[index]?.elementType ?? .float32
            return request.constants[index] != nil || [.float32, .int8, .uint8].contains(elementType)
        }
    }
}
