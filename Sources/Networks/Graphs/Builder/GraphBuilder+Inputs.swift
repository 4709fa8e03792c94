import Tensors

extension GraphBuilder {
    /// Declares an array that callers provide.
    ///
    /// - Parameters:
    ///   - name: The name that callers use.
    ///   - elementType: The type of its elements.
    ///   - shape: The extents, outermost first; the first may be ``Dimension/batch``.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a name that is taken; a negative extent; a symbol that is
    /// not the first extent, or two different symbols.
    public func input(_ name: String, _ elementType: ElementType = .float32, _ shape: Shape) -> Value {
        guard firstError == nil else { return poisoned(Layer(name)) }
        for (axis, dimension) in shape.dimensions.enumerated() {
            guard case .symbol(let text) = dimension else { continue }
            guard axis == 0, symbol == nil || symbol == text else {
                return fail(
                    .input(name: name, message: "the shape \(shape) may only name the batch size, at its front"),
                    Layer(name))
            }
            symbol = text
        }
        for probe in SymbolicType.probes {
            do throws(TensorError) {
                _ = try Shape.byteCount(extents(shape, batch: probe), elementType)
            } catch {
                return fail(.input(name: name, message: error.description), Layer(name))
            }
        }
        guard takenValueNames.insert(name).inserted else {
            return fail(.input(name: name, message: "the name is taken"), Layer(name))
        }
        let id = graph.addValue(name, elementType: elementType, shape: shape)
        graph.inputs.append(id)
        for (index, probe) in SymbolicType.probes.enumerated() {
            types[index].append(TensorType(elementType, extents(shape, batch: probe)))
        }
        return Value(builder: self, id: id, layer: Layer(name))
    }

    /// Gives a value to callers under `name`.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a name that is taken; a value of another builder.
    public func output(_ name: String, _ value: Value) {
        guard var id = identify(value) else { return }
        if graph.inputs.contains(id) || graph.outputs.contains(id) || graph.initializers[id] != nil {
            guard let copy = append(Identity(), kind: "identity", [value]).id else { return }
            id = copy
        }
        guard graph[id].name == name || takenValueNames.insert(name).inserted else {
            _ = fail(.value(name: name, message: "cannot be an output: the name is taken"), value.layer)
            return
        }
        if graph[id].name != name { takenValueNames.remove(graph[id].name) }
        graph.values[id.index].name = name
        graph.outputs.append(id)
    }

    /// Adds an array that is part of the network, such as a mean to subtract.
    public func constant(_ name: String, _ tensor: Tensor) -> Value {
        guard firstError == nil else { return poisoned(Layer(name)) }
        let full = path(name)
        guard takenValueNames.insert(full).inserted else {
            return fail(.value(name: full, message: "the name is taken"), Layer(full))
        }
        let id = graph.addInitializer(full, tensor)
        let type = TensorType(tensor, keepingContent: tensor.elementCount <= Graph.followedElementCount)
        for index in types.indices { types[index].append(type) }
        return Value(builder: self, id: id, layer: Layer(full))
    }

    /// Declares an array that training adjusts, such as the positions of a transformer; like the weights of layers, it
    /// is loaded later.
    ///
    ///     tokens.added(to: net.weight("positions", [1, 197, 768]))
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a name that is taken; an extent below 1.
    public func weight(_ name: String, _ extents: [Int], elementType: ElementType = .float32) -> Value {
        guard firstError == nil else { return poisoned(Layer(name)) }
        let layer = Layer(path(name))
        do throws(TensorError) {
            _ = try Shape.byteCount(extents, elementType)
        } catch {
            return fail(.value(name: layer.name, message: error.description), layer)
        }
        guard let id = addValue(layer.name, elementType, Shape(extents)) else {
            return fail(.value(name: layer.name, message: "the name is taken"), layer)
        }
        graph.missingWeights.append(id)
        for index in types.indices { types[index].append(TensorType(elementType, extents)) }
        return Value(builder: self, id: id, layer: layer)
    }

    private func extents(_ shape: Shape, batch: Int) -> [Int] { shape.dimensions.map { $0.value ?? batch } }
}
