import Tensors

/// A network: named values, and the nodes that compute them from one another.
///
/// A graph is an immutable value. It comes from a model file or from ``build(_:_:)``; it can be printed, planned many
/// times, and sent between tasks.
///
/// Invariants, checked by `validate()`: nodes are in topological order; every value has at most one origin (an input,
/// an initializer, a weight still to be loaded, or one node's output); every value that a node reads has an origin.
public struct Graph: Sendable {
    /// Identifies a value of one graph.
    public struct ValueID: Sendable, Hashable {
        package let index: Int
        package init(_ index: Int) { self.index = index }
    }

    /// A named array that flows through the network.
    public struct Value: Sendable {
        /// The name, unique in its graph.
        public var name: String
        /// The element type, when declared or inferred.
        public var elementType: ElementType?
        /// The extents, when declared or inferred.
        public var shape: Shape?
        /// The meaning of the value's integers, when it is quantized.
        public var quantization: Quantization?

        package init(name: String, elementType: ElementType? = nil, shape: Shape? = nil) {
            self.name = name
            self.elementType = elementType
            self.shape = shape
        }
    }

    /// One application of an operator.
    public struct Node: Sendable {
        /// The name, unique in its graph.
        public var name: String
        package var operation: any Operator
        /// The values that the operator reads; nil where an optional input is absent.
        public var inputs: [ValueID?]
        /// The values that the operator computes; nil where an optional output is not needed.
        public var outputs: [ValueID?]

        package init(name: String, operation: any Operator, inputs: [ValueID?], outputs: [ValueID?]) {
            self.name = name
            self.operation = operation
            self.inputs = inputs
            self.outputs = outputs
        }

        /// The operator's ONNX name, such as `Conv`.
        public var operatorName: String { type(of: operation).name }
    }

    /// The network's name.
    public var name: String
    /// Every value, indexed by ``ValueID``.
    public package(set) var values: [Value] = []
    /// The nodes, each after the nodes it reads from.
    public package(set) var nodes: [Node] = []
    /// The values that a caller provides.
    public package(set) var inputs: [ValueID] = []
    /// The values that a caller receives.
    public package(set) var outputs: [ValueID] = []
    /// Weights and other arrays that are part of the network.
    public package(set) var initializers: [ValueID: Tensor] = [:]
    /// Weights that are declared but not loaded yet, in the order of their use; a graph with any cannot be run.
    public package(set) var missingWeights: [ValueID] = []
    /// The file's metadata: producer, version, description and custom properties.
    public package(set) var metadata: [String: String] = [:]

    package init(name: String) {
        self.name = name
    }

    /// The value that `id` identifies.
    public subscript(id: ValueID) -> Value { values[id.index] }

    /// The first value called `name`.
    public func value(named name: String) -> ValueID? {
        values.firstIndex { $0.name == name }.map(ValueID.init)
    }

    /// Adds a value; the caller keeps names unique.
    package mutating func addValue(
        _ name: String, elementType: ElementType? = nil, shape: Shape? = nil
    ) -> ValueID {
        values.append(Value(name: name, elementType: elementType, shape: shape))
        return ValueID(values.count - 1)
    }

    /// Adds an initializer; the caller keeps names unique.
    package mutating func addInitializer(_ name: String, _ tensor: Tensor) -> ValueID {
        let id = addValue(name, elementType: tensor.elementType, shape: Shape(tensor.shape))
        initializers[id] = tensor
        return id
    }

    /// The number of elements in all weights that training adjusts. It does not include the statistics of batch
    /// normalisations, the scales of resizing, anchors, single numbers by which values are multiplied or divided, and
    /// scales and zero points of quantized values.
    public var parameterCount: Int {
        let constants = constants
        let fixed = Set(
            nodes.flatMap { node -> ArraySlice<ValueID?> in
                switch node.operation {
                case is BatchNormalization: node.inputs.dropFirst(3)
                case is Resize, is QuantizeLinear, is DequantizeLinear: node.inputs.dropFirst()
                case is Mul, is Div: node.inputs.filter { $0.flatMap { constants[$0] }?.elementCount == 1 }[...]
                case is QLinearConv, is QLinearMatMul: node.inputs[1...2] + node.inputs[4...7]
                case is DetectionPostProcess: node.inputs.dropFirst(2)
                default: []
                }
            }.compactMap { $0 })
        let integers = integerWeights
        let loaded = constants.filter { id, tensor in
            !fixed.contains(id) && (tensor.elementType.isFloatingPoint || integers.contains(id))
        }
        let missing = missingWeights.filter { !fixed.contains($0) }
        return loaded.values.reduce(0) { $0 + $1.elementCount }
            + missing.reduce(0) { $0 + (self[$1].shape?.fixed?.reduce(1, *) ?? 0) }
    }

    /// The arrays that are part of the network: initializers and the results of Constant nodes.
    package var constants: [ValueID: Tensor] {
        nodes.reduce(into: initializers) { constants, node in
            guard let constant = node.operation as? Constant, let output = node.outputs.first ?? nil else { return }
            constants[output] = constant.value
        }
    }

    /// The values that layers read as integer weights or biases.
    private var integerWeights: Set<ValueID> {
        Set(
            nodes.flatMap { node -> [ValueID?] in
                switch node.operation {
                case is DequantizeLinear: Array(node.inputs.prefix(1))
                case is QLinearConv, is QLinearMatMul: [node.inputs[3]] + node.inputs.dropFirst(8)
                case is IntegerConv: Array(node.inputs.dropFirst())
                case is ConvInteger, is ConvIntegerToFloat, is MatMulInteger, is MatMulNBits: [node.inputs[1]]
                default: []
                }
            }.compactMap { $0 })
    }
}
