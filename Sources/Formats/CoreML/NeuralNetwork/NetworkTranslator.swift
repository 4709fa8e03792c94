import Graphs
import Tensors

/// Turns layers into nodes, one after the other; layers refer to values by names that later layers may give anew.
///
/// By the older rules every value has the axes [sequence, batch, channels, height, width]. Here they become
/// [N, C, H, W], or [N, C] where height and width are 1: N is the batch, or the sequence in a network that has layers
/// along it, since the other of the two is 1.
final class NetworkTranslator {
    /// How the shapes of inputs become those of values.
    enum ShapeRule {
        /// Five axes, as described above.
        case fiveAxes
        /// As declared.
        case exact
    }

    let rule: ShapeRule
    var writer: LayerWriter
    /// How many networks lie around this one.
    let depth: Int
    /// The network that this one is a branch or body of.
    private let parent: NetworkTranslator?
    private var values: [String: Graph.ValueID] = [:]
    /// What was read of the network around, in the order of the graph's inputs.
    private(set) var captures: [String] = []
    /// The names that layers gave, in order.
    private(set) var assigned: [String] = []

    init(rule: ShapeRule, name: String, in parent: NetworkTranslator? = nil) {
        self.rule = rule
        self.parent = parent
        depth = parent.map { $0.depth + 1 } ?? 0
        writer = LayerWriter(name: name)
    }

    /// How deep branches and loops may lie within one another.
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

    /// Gives a value a name that layers know it by.
    func define(_ name: String, _ id: Graph.ValueID) {
        values[name] = id
        assigned.append(name)
    }

    /// The value called `name`, here or in the networks around.
    func value(_ name: String) -> Graph.ValueID? {
        if let id = values[name] { return id }
        guard let parent, let outer = parent.value(name) else { return nil }
        captures.append(name)
        let id = writer.capture(name, parent.writer.type(of: outer))
        values[name] = id
        return id
    }

    /// What a layer reads.
    func input(_ layer: Layer, _ index: Int = 0) throws(FormatError) -> Graph.ValueID {
        guard index < layer.inputs.count else {
            throw .invalid("has \(layer.inputs.count) inputs; at least \(index + 1) are expected")
        }
        guard let id = value(layer.inputs[index]) else {
            throw .invalid("reads \"\(layer.inputs[index])\", which nothing before it provides")
        }
        return id
    }

    /// All that a layer reads.
    func inputs(_ layer: Layer, atLeast count: Int = 1) throws(FormatError) -> [Graph.ValueID] {
        var ids: [Graph.ValueID] = []
        for index in 0..<max(layer.inputs.count, count) { ids.append(try input(layer, index)) }
        return ids
    }

    /// As ``inputs(_:atLeast:)``; by the older rules all with the same number of axes.
    func alignedInputs(_ layer: Layer, atLeast count: Int = 1) throws(FormatError) -> [Graph.ValueID] {
        var ids = try inputs(layer, atLeast: count)
        guard rule == .fiveAxes, Set(try shapes(ids).map(\.count)).count > 1 else { return ids }
        for index in ids.indices { ids[index] = try image(ids[index]) }
        return ids
    }

    func shape(_ id: Graph.ValueID) throws(FormatError) -> [Int] { try writer.shape(of: id) }

    private func shapes(_ ids: [Graph.ValueID]) throws(FormatError) -> [[Int]] {
        var shapes: [[Int]] = []
        for id in ids { shapes.append(try shape(id)) }
        return shapes
    }

    /// What a layer gives.
    func output(_ layer: Layer, _ ids: Graph.ValueID...) throws(FormatError) {
        try output(layer, ids)
    }

    /// What a layer gives, or the first of it where fewer names are given.
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

    /// A value with the axes [N, C], where height and width are 1; otherwise as it is.
    func vector(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        guard rule == .fiveAxes, try shape(id).count == 4, try shape(id)[2...].allSatisfy({ $0 == 1 }) else {
            return id
        }
        return try writer.apply(Flatten(), [id])
    }

    /// An axis as layers of the newer kind count it, on the values as they are here.
    func axis(_ axis: Int64) throws(FormatError) -> Int {
        guard rule == .fiveAxes, axis >= 0 else { return Int(axis) }
        guard axis >= 2 else { throw .unsupported("axis \(axis) of [sequence, batch, channels, height, width]") }
        return Int(axis) - 1
    }

    /// Numbers of any type as float32, which is what all values of these networks are.
    func floats(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .float32) }

    /// Whole numbers among float32 as int64, as indices and shapes are.
    func integers(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .int64) }

    /// Whether numbers are not 0.
    func truth(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID { try writer.cast(id, to: .bool) }

    /// The position of the channels, which are the third axis from the end.
    func channelAxis(_ id: Graph.ValueID) throws(FormatError) -> Int {
        guard rule == .exact else { return 1 }
        let shape = try shape(id)
        guard shape.count >= 3 else { throw .unsupported("channels of \(shape), which has fewer than three axes") }
        return shape.count - 3
    }
}

extension UInt64 {
    /// As a number of elements; more than there can be stays more.
    var count: Int { Int(clamping: self) }
}

extension [UInt64] {
    /// As numbers of elements, or `fallback` where there are none.
    func counts(or fallback: [Int] = []) -> [Int] { isEmpty ? fallback : map(\.count) }
}
