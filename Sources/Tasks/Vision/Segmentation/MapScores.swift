import Glibc
import Graphs
import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// What the maps of a network hold, and how they become the classes of pixels.
struct MapScores: Sendable {
    /// What the numbers of maps are.
    enum Content: Equatable {
        /// A map of scores for each class.
        case scores
        /// One map with shares of the foreground.
        case shares
        /// One map with the logarithms of the odds of the foreground.
        case logits
        /// One map with numbers that become shares of the foreground: the least of a picture is 0, and the largest 1.
        case stretched
        /// One map with the classes themselves.
        case classes

        /// The content in a few words.
        var description: String {
            switch self {
            case .scores: "a map of scores for each class"
            case .shares: "one map with the foreground's share in each pixel"
            case .logits: "one map, whose sigmoid is the foreground's share in each pixel"
            case .stretched: "one map, whose numbers from least to largest are the foreground's share in each pixel"
            case .classes: "the class of each pixel"
            }
        }
    }

    let content: Content
    private let model: String
    private let layout: Preprocessing.Layout
    private let quantization: Quantization?

    /// - Throws: ``ApusError/usage(_:)`` for an output without maps.
    init(_ model: Model, _ layout: Preprocessing.Layout, _ output: PictureOutputs.Output?) throws(ApusError) {
        guard let id = model.graph.outputs.first, let output, let extents = output.extents,
            extents.count == 3 || extents.count == 2
        else {
            throw .usage("\(model.name): the output has no maps; --task raw gives it as it is")
        }
        self.layout = layout
        self.model = model.name
        quantization = output.quantization
        let channels = extents.count == 2 ? 1 : layout == .channelsFirst ? extents[0] : extents[2]
        let isInteger = model.graph[id].elementType?.isFloatingPoint == false && quantization == nil
        if isInteger {
            guard channels == 1 else { throw .usage("\(model.name): the output has integers, but \(extents) of them") }
            content = .classes
        } else if channels == 1, let family = model.family as? any MatteFamily {
            content = family.content
        } else if channels == 1 {
            let isShare = model.endsInSigmoid(at: output.name) || model.ends(in: ["Clip"], at: output.name)
            content = isShare ? .shares : .logits
        } else {
            content = .scores
        }
    }

    /// Refuses labels for another number of classes than there are maps. A matte may have a name for its foreground, or
    /// one for each side.
    ///
    /// - Throws: ``ApusError/usage(_:)``.
    func check(_ labels: Labels?, of model: Model, _ output: PictureOutputs.Output?) throws(ApusError) {
        guard let labels else { return }
        switch content {
        case .scores:
            guard let extents = output?.extents, let count = layout == .channelsFirst ? extents.first : extents.last,
                let count
            else { return }
            try labels.check(classCount: count, model: model.name, origin: model.origin(of: labels))
        case .shares, .logits, .stretched:
            if labels.count == 1 { return }
            try labels.check(classCount: 2, model: model.name, origin: model.origin(of: labels))
        case .classes: return
        }
    }

    /// The name of the first output that has maps.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when none has.
    static func output(of model: Model, _ layout: Preprocessing.Layout) throws(ApusError) -> String {
        let outputs = PictureOutputs(model).outputs
        func hasMaps(_ output: PictureOutputs.Output) -> Bool {
            guard let extents = output.extents, extents.count == 3 || extents.count == 2 else { return false }
            let size = extents.count == 2 ? extents[...] : layout == .channelsFirst ? extents[1...] : extents[..<2]
            return size.allSatisfy { $0.map { $0 > 1 } ?? true }
        }
        if let name = (outputs.first { $0.extents?.count == 3 && hasMaps($0) } ?? outputs.first(where: hasMaps))?.name {
            return name
        }
        throw .usage("\(model.name): no output has maps; --task raw gives the outputs as they are")
    }

    /// The classes of the pixels of one picture.
    ///
    /// - Parameters:
    ///   - output: [channels, height, width], [height, width, channels] with channels last, or [height, width].
    ///   - size: The picture's size.
    ///   - placement: The place of the picture in the input.
    /// - Throws: ``RecordError`` for other shapes, `TensorError` when memory runs out.
    func segmentation(
        of output: Tensor, size: ImageSize, placement: ImagePlacement, threshold: Float, labels: Labels?
    ) throws -> Segmentation {
        let numbers = if let quantization { try output.dequantized(quantization) } else { output }
        let isFlat = numbers.shape.count == 2
        let shape = isFlat ? (layout == .channelsFirst ? [1] + numbers.shape : numbers.shape + [1]) : numbers.shape
        guard shape.count == 3, shape.allSatisfy({ $0 > 0 }), size.pixelCount != nil else {
            throw RecordError(stage: "predict", code: "shape", message: "the output has no maps, but \(output.shape)")
        }
        // The copy of the maps, and the numbers of pixels.
        let (byteCount, overflow) = size.width.multipliedReportingOverflow(by: size.height * 12)
        let (claimed, sumOverflow) = byteCount.addingReportingOverflow(numbers.elementCount * 4)
        guard !overflow, !sumOverflow else { throw TensorError.overflow(shape) }
        try MemoryBudget.process.reserve(claimed)
        defer { MemoryBudget.process.release(claimed) }
        let maps = Maps(try numbers.finiteElements(), shape: shape, layout)
        guard maps.channels == 1 || content == .scores else {
            throw RecordError(stage: "predict", code: "shape", message: "there are \(maps.channels) maps, not one")
        }
        if content == .scores {
            try RecordError.checkLabels(labels, classCount: maps.channels, model: model, origin: nil)
        }
        let x = MapSampling(count: size.width, extent: maps.width) { placement.place(x: $0, y: 0).x }
        let y = MapSampling(count: size.height, extent: maps.height) { placement.place(x: 0, y: $0).y }
        switch content {
        case .scores where maps.channels <= 255:
            return try segmentation(maps.classes(x, y, unseen: UInt8.max), size, labels)
        case .scores: return try segmentation(maps.classes(x, y, unseen: UInt16.max), size, labels)
        case .classes:
            if (maps.numbers.max() ?? 0) < 255 {
                return try segmentation(maps.nearest(x, y, unseen: UInt8.max), size, labels)
            }
            return try segmentation(maps.nearest(x, y, unseen: UInt16.max), size, labels)
        case .stretched:
            return try matte(maps.stretched.resized(x, y, unseen: 0), size, threshold, labels)
        case .shares, .logits:
            var shares = maps.resized(x, y, unseen: content == .shares ? 0 : -.infinity)
            if content == .logits { for index in shares.indices { shares[index] = Self.sigmoid(shares[index]) } }
            return try matte(shares, size, threshold, labels)
        }
    }

    private func segmentation<Element: FixedWidthInteger & TensorElement>(
        _ pixels: [Element], _ size: ImageSize, _ labels: Labels?
    ) throws -> Segmentation {
        let segments = ClassRuns(pixels, size: size).segments(besides: [Int(Element.max)]) { labels?[$0] }
        let classes = try Tensor(pixels, shape: [size.height, size.width])
        return Segmentation(imageSize: size, classes: classes, matte: nil, segments: segments)
    }

    private func matte(
        _ shares: [Float], _ size: ImageSize, _ threshold: Float, _ labels: Labels?
    ) throws -> Segmentation {
        let pixels = shares.map { UInt8($0 >= threshold ? 1 : 0) }
        let levels = shares.map { UInt8(min(max($0.isNaN ? 0 : $0, 0), 1) * 255 + 0.5) }
        let segments = ClassRuns(pixels, size: size).segments(besides: [0]) { index in
            labels?.count == 1 ? labels?[0] : labels?[index]
        }
        let shape = [size.height, size.width]
        return Segmentation(
            imageSize: size, classes: try Tensor(pixels, shape: shape), matte: try Tensor(levels, shape: shape),
            segments: segments)
    }

    private static func sigmoid(_ number: Float) -> Float { Float(1 / (1 + exp(-Double(number)))) }
}
