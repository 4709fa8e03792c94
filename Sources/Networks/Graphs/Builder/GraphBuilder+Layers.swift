import Tensors

extension GraphBuilder {
    /// A weight that a layer declares.
    package struct Weight {
        var suffix: String
        var shape: [Int]

        package init(suffix: String, shape: [Int]) {
            self.suffix = suffix
            self.shape = shape
        }
    }

    /// A constant array that a layer adds.
    package struct Constant {
        var suffix: String
        var content: Tensor
        /// Which input it is; nil for the next one. Those that it skips are absent.
        let position: Int?

        package init(suffix: String, content: Tensor, position: Int? = nil) {
            self.suffix = suffix
            self.content = content
            self.position = position
        }
    }

    /// Adds a node and checks its shape rule.
    ///
    /// - Parameters:
    ///   - kind: The first part of its name, before the number.
    ///   - weights: Inputs to be loaded later.
    ///   - constants: Further inputs that are part of the network.
    package func append(
        _ operation: any Operator, kind: String, _ inputs: [Value], weights: [Weight] = [], constants: [Constant] = []
    ) -> Value {
        append(operation, kind: kind, inputs, weights: weights, constants: constants, resultCount: 1)[0]
    }

    /// Adds a node with `resultCount` results, which have the layer's name and, if they are several, a number.
    package func append(
        _ operation: any Operator, kind: String, _ inputs: [Value], weights: [Weight] = [], constants: [Constant] = [],
        resultCount: Int
    ) -> [Value] {
        append(
            Graph.Node(name: "", operation: operation, inputs: [], outputs: []), kind: kind, inputs, weights, constants,
            resultCount: resultCount)
    }

    /// Adds a node that has an operator only.
    ///
    /// As part of a node, the operator keeps the compiler from making a copy of this function for each kind.
    private func append(
        _ unnamed: Graph.Node, kind: String, _ inputs: [Value], _ weights: [Weight], _ constants: [Constant],
        resultCount: Int
    ) -> [Value] {
        let layer = nextLayer(kind)
        let name = layer.name
        func results(_ value: Value) -> [Value] { [Value](repeating: value, count: resultCount) }
        func fail(_ error: GraphError, _ layer: Layer) -> [Value] { results(self.fail(error, layer)) }
        var ids: [Graph.ValueID?] = []
        for input in inputs {
            guard let id = identify(input) else { return results(poisoned(layer)) }
            ids.append(id)
        }
        guard firstError == nil else { return results(poisoned(layer)) }
        var node = unnamed
        node.name = name
        node.inputs = ids
        for weight in weights {
            let elementType = inputs.first.flatMap { type(of: $0)?.elementType } ?? .float32
            do throws(TensorError) {
                _ = try Shape.byteCount(weight.shape, elementType)
            } catch {
                return fail(GraphError(node, .tensor(error)), layer)
            }
            guard let id = addValue("\(name).\(weight.suffix)", elementType, Shape(weight.shape)) else {
                return fail(GraphError(node, .invalid("the name is taken")), layer)
            }
            graph.missingWeights.append(id)
            for index in types.indices { types[index].append(TensorType(elementType, weight.shape)) }
            node.inputs.append(id)
        }
        for constant in constants {
            guard takenValueNames.insert("\(name).\(constant.suffix)").inserted else {
                return fail(GraphError(node, .invalid("the name is taken")), layer)
            }
            while let position = constant.position, node.inputs.count < position { node.inputs.append(nil) }
            node.inputs.append(graph.addInitializer("\(name).\(constant.suffix)", constant.content))
            for index in types.indices { types[index].append(TensorType(constant.content)) }
        }
        var found: [[TensorType]] = []
        for index in types.indices {
            do throws(GraphError) {
                found.append(try graph.inferTypes(of: node, types[index]))
            } catch {
                return fail(error, layer)
            }
        }
        guard resultCount >= 1, found.allSatisfy({ $0.count >= resultCount }) else {
            return fail(GraphError(node, .invalid("gives no result")), layer)
        }
        guard takenNodeNames.insert(name).inserted else {
            return fail(GraphError(node, .invalid("the name is taken")), layer)
        }
        for number in 0..<resultCount {
            guard let id = addValue(resultCount == 1 ? name : "\(name).\(number + 1)", nil, nil) else {
                return fail(GraphError(node, .invalid("the name is taken")), layer)
            }
            let probed = found.map { $0[number] }
            for (index, type) in probed.enumerated() { types[index].append(type) }
            let symbolic = SymbolicType(probed: probed, symbol: symbol ?? Dimension.batch.description)
            graph.values[id.index].elementType = probed.first?.elementType
            graph.values[id.index].shape = symbolic?.shape
            node.outputs.append(id)
        }
        graph.nodes.append(node)
        let finished = layer.ending(in: graph)
        return node.outputs.map { Value(builder: self, id: $0, layer: finished) }
    }

    /// Records an error instead of adding a layer.
    func refuse(_ operatorName: String, kind: String, _ message: String, after value: Value) -> Value {
        let layer = nextLayer(kind)
        guard firstError == nil, identify(value) != nil else { return poisoned(layer) }
        return fail(
            .node(name: layer.name, operatorName: operatorName, message: message, isUnsupported: false), layer)
    }

    /// The extents of a value for every batch size; an extent that follows the batch size is nil.
    func extents(of value: Value) -> [Int?]? {
        guard let id = value.id else { return nil }
        let shapes = types.compactMap { $0[id.index]?.shape }
        guard let first = shapes.first, shapes.allSatisfy({ $0.count == first.count }) else { return nil }
        return first.indices.map { axis in shapes.allSatisfy { $0[axis] == first[axis] } ? first[axis] : nil }
    }

    /// The type of a value for the first probed batch size.
    func type(of value: Value) -> TensorType? { value.id.flatMap { types[0][$0.index] } }

    func poisoned(_ layer: Layer) -> Value { Value(builder: self, id: nil, layer: layer) }

    func fail(_ error: GraphError, _ layer: Layer) -> Value {
        if firstError == nil { firstError = error }
        return poisoned(layer)
    }

    func identify(_ value: Value) -> Graph.ValueID? {
        if value.builder !== self {
            _ = fail(.value(name: value.layer.name, message: "belongs to another network"), value.layer)
        }
        return firstError == nil ? value.id : nil
    }

    func addValue(_ name: String, _ elementType: ElementType?, _ shape: Shape?) -> Graph.ValueID? {
        guard takenValueNames.insert(name).inserted else { return nil }
        return graph.addValue(name, elementType: elementType, shape: shape)
    }
}
