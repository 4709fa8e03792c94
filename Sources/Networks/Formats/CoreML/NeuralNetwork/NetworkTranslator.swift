import Graphs
import Tensors

/// Translates layers into nodes, in order. Layers refer to values by names, which later layers may reassign.
///
/// Under the older rules every value has the axes [sequence, batch, channels, height, width]. They become [N, C, H, W],
/// or [N, C] where height and width are 1. N is the batch or, in a network with layers that run along the sequence, the
/// sequence; the other of the two is 1.
final class NetworkTranslator {
    /// The relation between the shapes of inputs and of values.
    enum ShapeRule {
        /// Five axes, as described for ``NetworkTranslator``.
        case fiveAxes
        /// The declared axes.
        case exact
    }

    let rule: ShapeRule
    var writer: LayerWriter
    /// The number of networks around this one.
    let depth: Int
    /// The network of which this one is a branch or body.
    private let parent: NetworkTranslator?
    private var values: [String: Graph.ValueID] = [:]
    /// The values that were read from the surrounding network, in the order of the graph's inputs.
    private(set) var captures: [String] = []
    /// The names that layers assigned, in order.
    private(set) var assigned: [String] = []

    init(rule: ShapeRule, name: String, in parent: NetworkTranslator? = nil) {
        self.rule = rule
        self.parent = parent
        depth = parent.map { $0.depth + 1 } ?? 0
        writer = LayerWriter(name: name)
    }

    /// The maximum depth of nested branches and loops.
    static let depthLimit = 16

    /// Translates every layer of a network.
    func translate(_ network: CoreMLMessage) throws(FormatError) {
        for range in network.ranges(NetworkField.layers) {
            let layer = try Layer(try CoreMLMessage(network.content, range))
            do throws(FormatError) {
                try translate(layer)
            } catch {
                throw error.about("layer \"\(layer.name)\" (\(layer.kind.name))")
            }
        }
    }

    private func translate(_ layer: Layer) throws(FormatError) {
        switch layer.kind.support {
        case .refused(let reason): throw .unsupported(reason)
        case .translated(let translate):
            if rule == .fiveAxes, LayerKind.exactKinds.contains(layer.kind.field) {
                throw .unsupported("this kind of layer together with the shape rules of older versions")
            }
            writer.scope = layer.name
            try translate(layer, self)
        }
    }

    // MARK: Values

    /// Defines the name by which layers know a value.
    func define(_ name: String, _ id: Graph.ValueID) {
        values[name] = id
        assigned.append(name)
    }

    /// The value with this name, from this network or a surrounding one.
    func value(_ name: String) -> Graph.ValueID? {
        if let id = values[name] { return id }
        guard let parent, let outer = parent.value(name) else { return nil }
        captures.append(name)
        let id = writer.capture(name, from: parent.writer, outer)
        values[name] = id
        return id
    }

    /// An input of a layer.
    func input(_ layer: Layer, _ index: Int = 0) throws(FormatError) -> Graph.ValueID {
        guard index < layer.inputs.count else {
            throw .invalid("has \(layer.inputs.count) inputs; at least \(index + 1) are expected")
        }
        guard let id = value(layer.inputs[index]) else {
            throw .invalid("reads \"\(layer.inputs[index])\", which nothing before it provides")
        }
        return id
    }

    /// All inputs of a layer.
    func inputs(_ layer: Layer, atLeast count: Int = 1) throws(FormatError) -> [Graph.ValueID] {
        var ids: [Graph.ValueID] = []
        for index in 0..<max(layer.inputs.count, count) { ids.append(try input(layer, index)) }
        return ids
    }

    /// All inputs of a layer, as ``inputs(_:atLeast:)`` returns them; under the older rules with the same number of
    /// axes.
    func alignedInputs(_ layer: Layer, atLeast count: Int = 1) throws(FormatError) -> [Graph.ValueID] {
        var ids = try inputs(layer, atLeast: count)
        guard rule == .fiveAxes, Set(try shapes(ids).map(\.count)).count > 1 else { return ids }
        for index in ids.indices { ids[index] = try image(ids[index]) }
        return ids
    }

    func shape(_ id: Graph.ValueID) throws(FormatError) -> [Int] { try writer.shape(of: id) }

    /// The extents of a value, those of `axes` of which must not follow from an open axis of an input.
    func fixedShape(_ id: Graph.ValueID, axes: [Int]? = nil) throws(FormatError) -> [Int] {
        try writer.fixedShape(of: id, axes: axes)
    }

    private func shapes(_ ids: [Graph.ValueID]) throws(FormatError) -> [[Int]] {
        var shapes: [[Int]] = []
        for id in ids { shapes.append(try shape(id)) }
        return shapes
    }

    /// Defines the outputs of a layer.
    func output(_ layer: Layer, _ ids: Graph.ValueID...) throws(FormatError) {
        try output(layer, ids)
    }

    /// Defines the outputs of a layer, or only the first ones where fewer names are given.
    func output(_ layer: Layer, _ ids: [Graph.ValueID]) throws(FormatError) {
        guard !layer.outputs.isEmpty, layer.outputs.count <= ids.count else {
            throw .invalid("has \(layer.outputs.count) outputs; 1 to \(ids.count) are expected")
        }
        for (name, id) in zip(layer.outputs, ids) {
            writer.rename(id, name)
            define(name, id)
        }
    }

    // MARK: Shapes

    /// A value with the axes [N, C, H, W].
    func image(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        guard rule == .fiveAxes else { return id }
        let rank = try shape(id).count
        guard rank != 4 else { return id }
        guard rank == 2 else { throw .unsupported("a value with \(rank) axes is not an image") }
        return try writer.reshaped(id, [0, -1, 1, 1])
    }

    /// A value with the axes [N, C] where height and width are 1; otherwise the value unchanged.
    func vector(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        guard rule == .fiveAxes, try shape(id).count == 4, try shape(id)[2...].allSatisfy({ $0 == 1 }) else {
            return id
        }
        return try writer.apply(Flatten(), [id])
    }

    /// The position of an axis, given as in layers of the newer kind, in translated values.
    func axis(_ axis: Int64) throws(FormatError) -> Int {
        guard rule == .fiveAxes, axis >= 0 else { return Int(axis) }
        guard axis >= 2 else { throw .unsupported("axis \(axis) of [sequence, batch, channels, height, width]") }
        return Int(axis) - 1
    }

    /// Numbers of any type as float32, the type of all values of these networks.
    func floats(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .float32) }

    /// Integers stored as float32 as int64, the type of indices and shapes.
    func integers(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .int64) }

    /// Whether each number is not 0.
    func truth(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .bool) }

    /// The position of the channels, the third axis from the end.
    func channelAxis(_ id: Graph.ValueID) throws(FormatError) -> Int {
        guard rule == .exact else { return 1 }
        let shape = try shape(id)
        guard shape.count >= 3 else { throw .unsupported("channels of \(shape), which has fewer than three axes") }
        return shape.count - 3
    }
}

extension UInt64 {
    /// The number as a count of elements; a number that is too large is clamped and stays too large.
    var count: Int { Int(clamping: self) }
}

extension [UInt64] {
    /// The numbers as counts of elements, or `fallback` where there are none.
    func counts(or fallback: [Int] = []) -> [Int] { isEmpty ? fallback : map(\.count) }
}
