import Foundation

/// Describes an ONNX file for a test; every part may be wrong.
struct ModelBytes {
    var irVersion: Int64? = 8
    var operatorSets: [(domain: String, version: Int64)] = [("", 13)]
    var hasGraph = true
    var nodes: [[UInt8]] = []
    var initializers: [[UInt8]] = []
    var inputs: [[UInt8]] = []
    var outputs: [[UInt8]] = []
    var extraGraphFields: [UInt8] = []
    var extraFields: [UInt8] = []

    /// A graph from `x` to `y`, two by three, with `nodes` between.
    init(
        _ nodes: [[UInt8]], initializers: [[UInt8]] = [], inputs: [[UInt8]] = [value("x", dimensions: [2, 3])],
        outputs: [[UInt8]] = [value("y", dimensions: [2, 3])]
    ) {
        self.nodes = nodes
        self.initializers = initializers
        self.inputs = inputs
        self.outputs = outputs
    }

    /// A graph with one Relu from `x` to `y`.
    static var relu: ModelBytes { ModelBytes([node("Relu", ["x"], ["y"])]) }

    var data: Data {
        Data(
            serialized { model in
                if let irVersion { model.varint(1, irVersion) }
                if hasGraph { model.bytes(7, graph) }
                for set in operatorSets {
                    model.message(8) {
                        if !set.domain.isEmpty { $0.string(1, set.domain) }
                        $0.varint(2, set.version)
                    }
                }
            } + extraFields)
    }

    private var graph: [UInt8] {
        serialized { graph in
            for node in nodes { graph.bytes(1, node) }
            graph.string(2, "test")
            for initializer in initializers { graph.bytes(5, initializer) }
            for input in inputs { graph.bytes(11, input) }
            for output in outputs { graph.bytes(12, output) }
        } + extraGraphFields
    }
}

/// An extent in a file: a number or a name.
enum WireDimension: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case value(Int64)
    case symbol(String)
    case missing

    init(integerLiteral value: Int64) { self = .value(value) }
    init(stringLiteral value: String) { self = .symbol(value) }
}

func node(
    _ operatorName: String, _ inputs: [String], _ outputs: [String], name: String = "", domain: String = "",
    attributes: [[UInt8]] = []
) -> [UInt8] {
    serialized { node in
        for input in inputs { node.string(1, input) }
        for output in outputs { node.string(2, output) }
        if !name.isEmpty { node.string(3, name) }
        node.string(4, operatorName)
        for attribute in attributes { node.bytes(5, attribute) }
        if !domain.isEmpty { node.string(7, domain) }
    }
}

func value(_ name: String, type: Int64 = 1, dimensions: [WireDimension]?) -> [UInt8] {
    serialized { value in
        value.string(1, name)
        value.message(2) {
            $0.message(1) { tensor in
                tensor.varint(1, type)
                guard let dimensions else { return }
                tensor.message(2) { shape in
                    for dimension in dimensions {
                        shape.message(1) {
                            switch dimension {
                            case .value(let number): $0.varint(1, number)
                            case .symbol(let symbol): $0.string(2, symbol)
                            case .missing: break
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A tensor whose remaining fields `write` adds.
func tensor(
    _ name: String, type: Int64 = 1, dimensions: [Int64], _ write: (inout ProtobufWriter) -> Void = { _ in }
) -> [UInt8] {
    serialized { tensor in
        for dimension in dimensions { tensor.varint(1, dimension) }
        tensor.varint(2, type)
        tensor.string(8, name)
        write(&tensor)
    }
}

/// A tensor whose bytes are in another file.
func externalTensor(_ name: String, dimensions: [Int64], _ entries: KeyValuePairs<String, String>) -> [UInt8] {
    tensor(name, dimensions: dimensions) { tensor in
        for (key, value) in entries {
            tensor.message(13) {
                $0.string(1, key)
                $0.string(2, value)
            }
        }
        tensor.varint(14, 1)
    }
}

/// An attribute of a given type whose value `write` adds.
func attribute(_ name: String, type: Int64, _ write: (inout ProtobufWriter) -> Void = { _ in }) -> [UInt8] {
    serialized { attribute in
        attribute.string(1, name)
        write(&attribute)
        attribute.varint(20, type)
    }
}

/// A function of the domain `local`, as a field of the model.
func function(_ name: String, _ inputs: [String], _ outputs: [String], _ nodes: [[UInt8]]) -> [UInt8] {
    serialized {
        $0.message(25) { function in
            function.string(1, name)
            for input in inputs { function.string(4, input) }
            for output in outputs { function.string(5, output) }
            for node in nodes { function.bytes(7, node) }
            for (domain, version) in [("", Int64(13)), ("local", 1)] {
                function.message(9) {
                    $0.string(1, domain)
                    $0.varint(2, version)
                }
            }
            function.string(10, "local")
        }
    }
}
