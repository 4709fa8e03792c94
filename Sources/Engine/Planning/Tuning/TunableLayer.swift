import Graphs
import Tensors

/// A layer for which several lowerings of measurable devices contend.
package struct TunableLayer: Sendable {
    package let signature: LayerSignature
    /// The name of the first node.
    package let name: String
    /// The number of the network's nodes with this signature.
    package internal(set) var count: Int
    package let operatorName: String
    package let inputShapes: [[Int]]
    package let outputShapes: [[Int]]
    /// The lowerings worth measuring, expected fastest first.
    let contenders: [Contender]
    /// The number of images of the batch for which the layer is planned.
    let images: Int
    let request: LoweringRequest

    /// The maximum numbers of lowerings and contenders; more would rarely include the fastest.
    private static let (maximumLowerings, maximumContenders) = (6, 24)
    /// A lowering whose expected time exceeds the favourite's by this factor is not worth measuring.
    private static let hopelessRatio = 6.0

    /// - Parameter isComparedAcross: Whether the measured time also decides on which side the layer runs. A layer with
    ///   one contender is then measured too.
    /// - Returns: nil when there is nothing to choose or measure.
    init?(_ operation: Draft.Operation, isComparedAcross: Bool) {
        guard let signature = operation.ranking.signature, operation.isMeasurable else { return nil }
        let contenders = operation.choice.contenders
        guard let favourite = contenders.favourite, favourite.isMeasurable else { return nil }
        let hopeful = contenders.filter {
            $0.isMeasurable && $0.expectedTotal <= Self.hopelessRatio * favourite.expectedTotal
        }
        // Equal times keep the order of the backends, as in choosing.
        let ranked = hopeful.enumerated().sorted {
            ($0.element.expectedTotal, $0.offset) < ($1.element.expectedTotal, $1.offset)
        }
        guard ranked.count >= (isComparedAcross ? 1 : 2) else { return nil }
        self.signature = signature
        var lowerings: [String] = []
        let best = ranked.map(\.element).filter { contender in
            let name = "\(contender.backend.name)/\(contender.lowering.name)"
            if !lowerings.contains(name), lowerings.count < Self.maximumLowerings { lowerings.append(name) }
            return lowerings.contains(name)
        }
        self.contenders = Array(best.prefix(Self.maximumContenders))
        request = operation.request
        images = operation.request.imageCount(comparedWith: operation.ranking)
        name = operation.node.name
        count = 1
        operatorName = operation.node.fusedOperatorName
        inputShapes = operation.inputTypes.compactMap { $0?.shape }
        outputShapes = request.outputs.map(\.shape)
    }

    /// The known times of one contender.
    package struct CandidateTimes: Sendable {
        package let backend: String
        package let lowering: String
        /// The lowering's variant, where it has several.
        package let variant: String?
        /// Expected microseconds of one image on one thread.
        package let expected: Double
        package let measured: MeasuredTime?
    }

    /// Whether a device runs the layer rather than the processor.
    package var isOnDevice: Bool { contenders.contains { $0.backend.space == .device } }

    /// The contenders, expected fastest first.
    package var candidates: [CandidateTimes] {
        contenders.map {
            CandidateTimes(
                backend: $0.backend.name, lowering: $0.lowering.name, variant: $0.candidate.variant,
                expected: $0.expected, measured: $0.measured)
        }
    }

    /// The position in ``candidates`` of the planner's choice.
    package var chosen: Int {
        let chosen = contenders.chosen
        return contenders.firstIndex {
            $0.backend.name == chosen?.backend.name && $0.recordName == chosen?.recordName
        } ?? 0
    }

    /// Whether every contender was measured with this many threads and images.
    package func isMeasured(threads: Int, images: Int) -> Bool {
        contenders.allSatisfy { $0.measured?.threads == threads && $0.measured?.images == images }
    }
}

extension Contender {
    /// Whether its step runs on a device whose times can be kept.
    fileprivate var isMeasurable: Bool {
        backend.measurementKey != nil && !candidate.isInPlace
    }
}

extension Draft.Operation {
    /// Whether random numbers can replace the layer's inputs.
    fileprivate var isMeasurable: Bool {
        request.inputs.indices.allSatisfy { index in
            let elementType = request.inputs[index]?.elementType ?? .float32
            return request.constants[index] != nil || [.float32, .int8, .uint8].contains(elementType)
        }
    }
}
