import Graphs
import Tensors

/// Writes a graph node by node, and infers the output types of each node for one image, which the next nodes may need.
struct GraphWriter {
    var graph: Graph
    /// The known type of each value for one image, indexed like the graph's values.
    private(set) var types: [TensorType?] = []
    /// The types of each value for other extents of the inputs' open axes, nil where the network does not take them.
    /// Types are inferred for a few extents and compared, because shape rules work on numbers.
    private var probedTypes: [[TensorType?]] = Array(repeating: [], count: Self.probeCount)
    /// Whether each value follows from an input with open axes.
    private var isOpen: [Bool] = []
    /// The names of open axes, in the order in which they were met.
    private var openAxes: [String] = []
    private var valueNames = UniqueNames()
    private var nodeNames = UniqueNames()
    /// The number of operations that shape arithmetic on known content may still take.
    private var work = 20_000_000
    private var probingWork = 20_000_000

    private static let maximumNodeCount = 500_000
    private static let probeCount = 2

    init(name: String) {
        graph = Graph(name: name)
    }

    /// A name that no other value has, beginning with `name`.
    mutating func makeValueName(_ name: String) -> String { valueNames.make(name) }

    /// Adds a value that is neither a constant nor a node's result, under exactly this name.
    ///
    /// - Parameter type: The known type of the value for one image.
    mutating func addValue(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        addValue(name, type, probed: Array(repeating: type, count: Self.probeCount), isOpen: false)
    }

    /// Adds a value of a surrounding graph under exactly this name, without its content.
    mutating func addValue(_ name: String, from outer: GraphWriter, _ id: Graph.ValueID) -> Graph.ValueID {
        func withoutContent(_ type: TensorType?) -> TensorType? { type.map { TensorType($0.elementType, $0.shape) } }
        return addValue(
            name, withoutContent(outer.types[id.index]),
            probed: outer.probedTypes.map { withoutContent($0[id.index]) }, isOpen: outer.isOpen[id.index])
    }

    private mutating func addValue(
        _ name: String, _ type: TensorType?, probed: [TensorType?], isOpen: Bool
    ) -> Graph.ValueID {
        types.append(type)
        for (index, type) in probed.enumerated() { probedTypes[index].append(type) }
        self.isOpen.append(isOpen)
        return graph.addValue(name)
    }

    /// Adds an input under exactly this name.
    ///
    /// - Parameters:
    ///   - shape: The declared shape, possibly with symbols.
    ///   - extents: The extents for one image.
    mutating func addInput(
        _ name: String, _ elementType: ElementType, _ shape: Shape, extents: [Int]
    ) -> Graph.ValueID {
        let symbols = shape.dimensions.map { dimension -> String? in
            if case .symbol(let symbol) = dimension { symbol } else { nil }
        }
        let probed = (0..<Self.probeCount).map { probe in
            TensorType(
                elementType,
                zip(symbols, extents).enumerated().map { axis, pair in
                    pair.0.map { probedExtent(of: $0, isFirst: axis == 0, probe) } ?? pair.1
                })
        }
        let id = addValue(
            name, TensorType(elementType, extents), probed: probed, isOpen: symbols.contains { $0 != nil })
        graph.values[id.index].elementType = elementType
        graph.values[id.index].shape = shape
        graph.inputs.append(id)
        return id
    }

    /// The extent of an open axis that a probe tries: a few images, and sides that common strides divide.
    private mutating func probedExtent(of symbol: String, isFirst: Bool, _ probe: Int) -> Int {
        let index = openAxes.firstIndex(of: symbol) ?? openAxes.count
        if index == openAxes.count { openAxes.append(symbol) }
        return isFirst ? 2 + 3 * probe + index : 128 * ((probe + 1) * (probe + 2) + index)
    }

    /// Adds an array that is part of the network.
    mutating func addConstant(_ tensor: Tensor, named name: String) -> Graph.ValueID {
        addConstant(tensor, exactlyNamed: valueNames.make(name))
    }

    /// Adds an array that is part of the network under exactly this name.
    mutating func addConstant(_ tensor: Tensor, exactlyNamed name: String) -> Graph.ValueID {
        let type = TensorType(tensor, keepingContent: tensor.elementCount <= Graph.followedElementCount)
        types.append(type)
        for index in probedTypes.indices { probedTypes[index].append(type) }
        isOpen.append(false)
        return graph.addInitializer(name, tensor)
    }

    /// Adds a node that applies an operator.
    ///
    /// - Parameter name: The name of the node and its outputs, as long as it is not in use.
    /// - Throws: ``GraphError`` naming the node when the operator's shape rule rejects its inputs.
    mutating func addNode(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], named name: String, outputCount: Int = 1
    ) throws(GraphError) -> [Graph.ValueID] {
        let name = nodeNames.make(name)
        var node = Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [])
        guard graph.nodes.count < Self.maximumNodeCount else {
            throw GraphError(node, .unsupported("the network has too many layers"))
        }
        let inferred = try inferredTypes(of: node)
        let isOpen = node.inputs.contains { $0.map { self.isOpen[$0.index] } ?? false }
        let probed = (0..<Self.probeCount).map { isOpen ? probe($0, node) : inferred }
        var outputs: [Graph.ValueID] = []
        for position in 0..<outputCount {
            func type(_ all: [TensorType]?) -> TensorType? { all.flatMap { position < $0.count ? $0[position] : nil } }
            outputs.append(
                addValue(valueNames.make(name), type(inferred), probed: probed.map(type), isOpen: isOpen))
        }
        node.outputs = outputs
        graph.nodes.append(node)
        return outputs
    }

    /// The output types of a node; nil where they are known only in a run.
    private mutating func inferredTypes(of node: Graph.Node) throws(GraphError) -> [TensorType]? {
        guard node.inputs.allSatisfy({ $0.map { types[$0.index] != nil } ?? true }) else { return nil }
        do throws(OperatorError) {
            return try graph.outputTypes(of: node, types, work: &work)
        } catch .undetermined {
            return nil
        } catch {
            throw GraphError(node, error)
        }
    }

    /// The output types of a node in a probe; nil where they are not known, or the node does not take its inputs.
    private mutating func probe(_ probe: Int, _ node: Graph.Node) -> [TensorType]? {
        guard node.inputs.allSatisfy({ $0.map { probedTypes[probe][$0.index] != nil } ?? true }) else { return nil }
        return try? graph.outputTypes(of: node, probedTypes[probe], work: &probingWork)
    }
}

/// What is the same whatever extents the open axes of the inputs have.
extension GraphWriter {
    /// The content of a value; nil where it is known only in a run, or follows from an open axis.
    func content(of id: Graph.ValueID) -> Tensor? {
        guard let content = types[id.index]?.constant, isOpen[id.index] else { return types[id.index]?.constant }
        let values = content.elements(as: Double.self)
        let isFixed = probedTypes.allSatisfy { types in
            guard let other = types[id.index]?.constant else { return false }
            return other.shape == content.shape && other.elements(as: Double.self) == values
        }
        return isFixed ? content : nil
    }

    /// The integers of a value, nil where they follow from an open axis.
    ///
    /// - Returns: nil where they, or their number, are known only in a run.
    func integers(of id: Graph.ValueID) -> [Int?]? {
        guard let content = types[id.index]?.constant else { return nil }
        let values = content.elements(as: Int64.self).map(Int.init)
        guard isOpen[id.index] else { return values }
        guard probedTypes.allSatisfy({ $0[id.index].map { $0.elementCount == values.count } ?? true }) else {
            return nil
        }
        let probed = probedTypes.map { $0[id.index]?.constant?.elements(as: Int64.self).map(Int.init) }
        return values.indices.map { index in
            probed.allSatisfy { $0?[index] == values[index] } ? values[index] : nil
        }
    }

    /// The extents of a value, nil where they follow from an open axis.
    ///
    /// - Returns: nil where they, or their number, are known only in a run.
    func extents(of id: Graph.ValueID) -> [Int?]? {
        guard let shape = types[id.index]?.shape else { return nil }
        guard isOpen[id.index] else { return shape }
        return shape.indices.map { axis in
            probedTypes.allSatisfy { types in
                types[id.index].map { $0.rank == shape.count && $0.shape[axis] == shape[axis] } ?? false
            } ? shape[axis] : nil
        }
    }

    /// The type of a value for the described extents and for others.
    ///
    /// - Returns: nil where one of them is not known.
    func allTypes(of id: Graph.ValueID) -> [TensorType]? {
        let all = [types[id.index]] + (isOpen[id.index] ? probedTypes.map { $0[id.index] } : [])
        let known = all.compactMap { $0 }
        return known.count == all.count ? known : nil
    }
}
