import Foundation
import Graphs
import Tensors

/// Writes a convolutional classifier as a Core ML model: one layer for each node.
struct CoreMLWriter {
    /// How weights are stored.
    enum Weights: Sendable, CaseIterable { case float32, float16 }

    private let graph: Graph
    private let weights: Weights

    init(_ graph: Graph, weights: Weights) {
        self.graph = graph
        self.weights = weights
    }

    /// The file of a classifier of pictures in BGR.
    ///
    /// - Parameter bias: The numbers added to blue, green and red.
    func classifier(labels: [String], bias: [Float]) throws -> Data {
        var network = Bytes()
        for node in graph.nodes { network.message(1, try layer(node)) }
        var scaler = Bytes()
        scaler.float(10, 1)
        for (field, value) in zip([20, 21, 22], bias) { scaler.float(field, value) }
        var preprocessing = Bytes()
        preprocessing.text(1, "image")
        preprocessing.message(10, scaler)
        network.message(2, preprocessing)
        var classes = Bytes()
        for label in labels { classes.text(1, label) }
        network.message(100, classes)

        var description = Bytes()
        var image = Bytes()
        image.number(1, 227)
        image.number(2, 227)
        image.number(3, 30)
        description.message(1, feature("image", type: 4, image))
        var keys = Bytes()
        keys.message(2, Bytes())
        description.message(10, feature("classLabelProbs", type: 6, keys))
        description.message(10, feature("classLabel", type: 3, Bytes()))
        description.text(11, "classLabel")
        description.text(12, "classLabelProbs")
        var metadata = Bytes()
        metadata.text(1, "What a picture shows")
        metadata.text(3, "The authors of SqueezeNet")
        description.message(100, metadata)
        var model = Bytes()
        model.number(1, 1)
        model.message(2, description)
        model.message(403, network)
        return Data(model.bytes)
    }

    private func feature(_ name: String, type: Int, _ content: Bytes) -> Bytes {
        var kind = Bytes()
        kind.message(type, content)
        var feature = Bytes()
        feature.text(1, name)
        feature.message(3, kind)
        return feature
    }

    private func layer(_ node: Graph.Node) throws -> Bytes {
        var layer = Bytes()
        layer.text(1, node.name)
        let id = try required(node.inputs.first)
        let isInput = graph.inputs.contains(id)
        let values = node.inputs.compactMap { $0 }.filter { graph.initializers[$0] == nil }
        for value in values { layer.text(2, isInput ? "image" : graph[value].name) }
        layer.text(3, graph[try required(node.outputs.first)].name)
        let (field, parameters) = try parameters(node)
        layer.message(field, parameters)
        return layer
    }

    private func parameters(_ node: Graph.Node) throws -> (Int, Bytes) {
        var bytes = Bytes()
        switch node.operation {
        case let convolution as Conv:
            let w = try weight(node, 1)
            bytes.number(1, w.shape[0])
            bytes.number(2, w.shape[1])
            bytes.number(10, convolution.group)
            for extent in w.shape[2...] { bytes.number(20, extent) }
            for stride in convolution.window.strides { bytes.number(30, stride) }
            bytes.message(50, padding(convolution.window.pads))
            bytes.number(70, 1)
            bytes.message(90, stored(w))
            bytes.message(91, stored(try weight(node, 2)))
            return (100, bytes)
        case let pool as MaxPool:
            for extent in pool.window.kernel { bytes.number(10, extent) }
            for stride in pool.window.strides { bytes.number(20, stride) }
            bytes.message(30, padding(pool.window.pads))
            return (120, bytes)
        case is GlobalAveragePool:
            bytes.number(1, 1)
            bytes.number(60, 1)
            return (120, bytes)
        case is Relu:
            bytes.message(10, Bytes())
            return (130, bytes)
        case is Softmax: return (175, bytes)
        case is Concat: return (320, bytes)
        case is Flatten, is Reshape: return (301, bytes)
        default: throw Unknown(name: node.operatorName)
        }
    }

    struct Unknown: Error { let name: String }

    private func padding(_ pads: [Int]) -> Bytes {
        var amounts = Bytes()
        for axis in 0..<pads.count / 2 {
            var edges = Bytes()
            edges.number(1, pads[axis])
            edges.number(2, pads[axis + pads.count / 2])
            amounts.message(10, edges)
        }
        var padding = Bytes()
        padding.message(1, amounts)
        return padding
    }

    private func stored(_ tensor: Tensor) -> Bytes {
        var bytes = Bytes()
        let numbers = tensor.elements(as: Float.self)
        switch weights {
        case .float32: bytes.bytes(1, numbers.withUnsafeBytes(Array.init))
        case .float16: bytes.bytes(2, numbers.map { Float16($0) }.withUnsafeBytes(Array.init))
        }
        return bytes
    }

    private func weight(_ node: Graph.Node, _ index: Int) throws -> Tensor {
        guard let tensor = graph.initializers[try required(node.inputs[index])] else { throw Unknown(name: "weight") }
        return tensor
    }

    private func required(_ id: Graph.ValueID??) throws -> Graph.ValueID {
        guard let id = id.flatMap({ $0 }) else { throw Unknown(name: "value") }
        return id
    }
}

/// The bytes of one protobuf message.
struct Bytes {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: Int, _ value: Int) {
        varint(UInt64(field) << 3)
        varint(UInt64(value))
    }

    mutating func float(_ field: Int, _ value: Float) {
        varint(UInt64(field) << 3 | 5)
        bytes += withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init)
    }

    mutating func text(_ field: Int, _ value: String) { bytes(field, Array(value.utf8)) }

    mutating func message(_ field: Int, _ value: Bytes) { bytes(field, value.bytes) }

    mutating func bytes(_ field: Int, _ value: [UInt8]) {
        varint(UInt64(field) << 3 | 2)
        varint(UInt64(value.count))
        bytes += value
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
