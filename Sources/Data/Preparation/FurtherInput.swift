import FoundationEssentials
import Graphs
import Images
import Models
import Platform
import Tensors

/// An input of a network beside the picture, and how values become its elements.
struct FurtherInput: Sendable {
    /// What does not fit, as the end of a sentence that begins with the input.
    struct Misfit: Error, CustomStringConvertible {
        let message: String
        var description: String { message }
    }

    let name: String
    let model: Model
    private let elementType: ElementType
    /// The declared extents; nil when the network declares none.
    private let dimensions: [Dimension]?
    private let quantization: Quantization?

    init(_ model: Model, _ id: Graph.ValueID) {
        let value = model.graph[id]
        self.model = model
        name = value.name
        elementType = value.elementType ?? .float32
        dimensions = value.shape?.dimensions
        quantization = value.quantization
    }

    /// The input with its type and extents, for messages.
    var text: String { Self.text(name, elementType, dimensions.map(Shape.init)) }

    static func text(_ name: String, _ elementType: ElementType?, _ shape: Shape?) -> String {
        "\"\(name.printable)\" \(elementType?.rawValue ?? "")\(shape?.description ?? " of any shape")"
    }

    var rank: Int? { dimensions?.count }

    /// Whether the network leaves the first extent open.
    var hasOpenFirstAxis: Bool { if case .symbol? = dimensions?.first { true } else { false } }

    /// Whether the first axis is that of the batch: it has the symbol of the first axis of another input, which may be
    /// a picture. Where every input declares a first extent of 1, it is, too.
    var hasBatchAxis: Bool {
        guard case .symbol(let symbol)? = dimensions?.first else { return model.hasFixedBatchOfOne }
        return model.graph.inputs.contains { id in
            let (other, extents) = (model.graph[id].name, model.graph[id].shape?.dimensions ?? [])
            return other != name && extents.count >= 3 && extents.first == .symbol(symbol)
        }
    }

    /// The elements of a list of numbers: one for all elements, or one for each of those for one picture.
    func tensor(_ numbers: [Double]) throws -> Tensor {
        try forOnePicture(tensor(Tensor(numbers, shape: numbers.count == 1 ? [] : [numbers.count])))
    }

    /// The elements, which are those for one picture.
    private func forOnePicture(_ tensor: Tensor) throws -> Tensor {
        guard hasBatchAxis, let count = tensor.shape.first, count != 1 else { return tensor }
        throw Misfit(message: "is given values for \(count) pictures; it takes those for one")
    }

    /// The elements of an array: a number for all elements, a list with one for each, or an array of the input's
    /// extents, with or without that of the batch and others of 1.
    func tensor(_ array: Tensor) throws -> Tensor {
        guard let dimensions else { return try converted(array) }
        let shape = array.shape
        func fits(_ extents: [Int], _ dimensions: some Collection<Dimension>) -> Bool {
            extents.count == dimensions.count
                && zip(extents, dimensions).allSatisfy { $1.value == nil || $0 == $1.value }
        }
        if fits(shape, dimensions) { return try converted(array) }
        let mayLackFirst = dimensions.first.map { $0.value == nil || $0.value == 1 } ?? false
        if mayLackFirst, fits(shape, dimensions.dropFirst()) { return try converted(array).reshaped(to: [1] + shape) }
        if shape.count <= 1, let extents = closed(dimensions, for: array.elementCount) {
            let count = try Shape.elementCount(extents)
            if shape.isEmpty { return try converted(array).broadcast(to: extents).contiguous() }
            if count == array.elementCount { return try converted(array).reshaped(to: extents) }
        }
        // Axes of one element may be added or left out.
        if let extents = closed(dimensions, for: array.elementCount),
            extents.filter({ $0 != 1 }) == shape.filter({ $0 != 1 })
        {
            return try converted(array).reshaped(to: extents)
        }
        let counted = shape.count == 1 ? "a list of \(shape[0]) numbers" : "\(array.elementType)\(shape)"
        throw Misfit(message: "does not take \(shape.isEmpty ? "one number, as it leaves extents open" : counted)")
    }

    /// The extents with 1 for the first where it is open, and what `count` leaves for one other that is; nil where more
    /// are open.
    private func closed(_ dimensions: [Dimension], for count: Int) -> [Int]? {
        var extents = dimensions.enumerated().map { $0.element.value ?? ($0.offset == 0 ? 1 : nil) }
        let open = extents.indices.filter { extents[$0] == nil }
        guard open.count <= 1 else { return nil }
        if let axis = open.first {
            let rest = extents.reduce(1) { $0.multipliedReportingOverflow(by: $1 ?? 1).partialValue }
            guard count > 1, rest > 0, count % rest == 0 else { return nil }
            extents[axis] = count / rest
        }
        return extents.compactMap { $0 }
    }

    /// The numbers as elements of the input's type.
    private func converted(_ numbers: Tensor) throws -> Tensor {
        if numbers.elementType == elementType { return try numbers.contiguous() }
        guard !elementType.isFloatingPoint else { return try numbers.converted(to: elementType) }
        if numbers.elementType.isFloatingPoint, let quantization {
            let quantize = AffineQuantize(
                scale: quantization.scale ?? 1, zeroPoint: Int32(clamping: quantization.zeroPoint ?? 0),
                elementType: elementType)
            return try quantize.evaluate([numbers.converted(to: .float32)], outputTypes: [])[0]
        }
        let converted = try numbers.converted(to: elementType)
        let (before, after) = (numbers.elements(as: Double.self), converted.elements(as: Double.self))
        if let place = before.indices.first(where: { before[$0] != after[$0] }) {
            throw Misfit(message: "takes no \(before[place])")
        }
        return converted
    }

    /// The elements of a picture.
    ///
    /// - Parameter steps: Those of the main picture, which hold where the model file has none for this input.
    func tensor(_ image: Image, _ steps: Preprocessing, _ options: Image.DecodingOptions) throws -> Tensor {
        let input = try ImageInput(model, furtherNamed: name, beside: steps)
        return try input.batch([input.prepared(.image(image), options).tensor])
    }

    /// The elements of the value of a record.
    func tensor(
        _ source: ImageSource, _ steps: Preprocessing, _ options: Image.DecodingOptions
    ) throws -> Tensor {
        do {
            switch try source.resolved() {
            case .array(let array): return try forOnePicture(tensor(array))
            case .file(let path):
                return try tensor(
                    content: FileContent.read(path, atMost: FileContent.maximumPictureByteCount), steps, options)
            case .data(let data): return try tensor(content: data, steps, options)
            case let source: return try tensor(source.image(options), steps, options)
            }
        } catch let misfit as Misfit {
            throw RecordError(stage: "preprocess", code: "shape", message: "it \(misfit.message)")
        }
    }

    private func tensor(
        content data: Data, _ steps: Preprocessing, _ options: Image.DecodingOptions
    ) throws -> Tensor {
        switch try InputValue(content: data, decoding: options) {
        case .tensor(let array): try forOnePicture(tensor(array))
        case .image(let image): try tensor(image, steps, options)
        case .numbers, .ofRecord: throw ApusError.bug("the content of a file is neither an array nor a picture")
        }
    }
}
