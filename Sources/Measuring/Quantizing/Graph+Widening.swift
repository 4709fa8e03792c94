import Graphs
import Models
import Platform
import Tensors

extension Model {
    /// The model with float32 in place of float16, from which weights and values are rounded; nil where it has no
    /// float16.
    ///
    /// - Throws: ``ApusError`` when the network does not fit together in float32.
    func widened() throws -> Model? {
        guard source.usesFloat16 else { return nil }
        var model = try Model(source.widened(), name: name)
        model.describe(as: self)
        model.preprocessing = preprocessing
        return model
    }
}

extension Graph {
    /// Whether a value, or an attribute of a node, is float16.
    fileprivate var usesFloat16: Bool {
        values.contains { $0.elementType == .float16 } || initializers.values.contains { $0.elementType == .float16 }
            || nodes.contains { $0.operation.attributes.values.contains(where: \.isFloat16) }
    }

    /// The network with float32 in place of float16. What a file says of the types of its values goes with it.
    fileprivate func widened() throws -> Graph {
        var graph = self
        for (id, tensor) in initializers where tensor.elementType == .float16 {
            graph.initializers[id] = try tensor.converted(to: .float32)
        }
        for index in graph.values.indices where graph.values[index].elementType == .float16 {
            graph.values[index].elementType = .float32
        }
        for (index, node) in nodes.enumerated() {
            let attributes = node.operation.attributes
            guard attributes.values.contains(where: \.isFloat16) else { continue }
            var reader = AttributeReader(try attributes.mapValues { try $0.widened() })
            graph.nodes[index].operation = try type(of: node.operation).init(&reader)
        }
        return graph
    }
}

extension AttributeValue {
    fileprivate var isFloat16: Bool {
        switch self {
        case .tensor(let tensor): tensor.elementType == .float16
        case .elementType(let type): type == .float16
        default: false
        }
    }

    fileprivate func widened() throws -> AttributeValue {
        switch self {
        case .tensor(let tensor) where tensor.elementType == .float16: .tensor(try tensor.converted(to: .float32))
        case .elementType(.float16): .elementType(.float32)
        default: self
        }
    }
}
