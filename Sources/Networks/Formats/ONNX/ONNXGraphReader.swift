import Graphs
import Tensors

/// Turns a decoded `GraphProto` into a graph: names become value identifiers, and each value has one origin.
struct ONNXGraphReader {
    /// The origin of a value.
    private enum Origin {
        case input, initializer
        case node(Int)
    }

    /// The scope of names in the graph.
    let scope: ONNXScope
    let functions: ONNXFunctions
    let tensors: ONNXTensorReader
    /// The number of enclosing graphs.
    let depth: Int
    private var graph: Graph
    private var identifiers: [String: Graph.ValueID] = [:]
    private var origins: [Graph.ValueID: Origin] = [:]
    private var nodeNames = UniqueNames()

    init(name: String, scope: ONNXScope, functions: ONNXFunctions, tensors: ONNXTensorReader, depth: Int = 0) {
        self.scope = scope
        self.functions = functions
        self.tensors = tensors
        self.depth = depth
        graph = Graph(name: name)
    }

    /// Reads the whole graph. Weights are removed from `contents` as they are read, so that few exist twice at a time.
    ///
    /// - Parameter rawData: For each initializer, the elements that its message does not contain.
    mutating func read(_ contents: inout ONNXGraphProto, _ rawData: [ONNXRawData?]) throws(FormatError) -> Graph {
        if let sparse = contents.sparseInitializer.first {
            throw .unsupported("initializer \"\(sparse.values.name)\": sparse tensors are not supported")
        }
        var types = ONNXTypeReader(namesIn: contents.input + contents.output)
        try addInputs(contents, &types)
        for index in contents.initializer.indices {
            try addInitializer(contents.initializer[index], rawData[index])
            contents.initializer[index] = ONNXTensorProto()
        }
        graph.nodes.reserveCapacity(contents.node.count)
        try addNodes(contents.node)
        try addOutputs(contents.output, &types)
        return graph
    }

    /// Adds the values that a caller provides. An input with an initializer is a weight: before version 4 of the format
    /// all weights are listed as inputs, and in later versions the initializer is the input's default.
    private mutating func addInputs(_ contents: ONNXGraphProto, _ types: inout ONNXTypeReader) throws(FormatError) {
        let initializers = Set(contents.initializer.map(\.name))
        for message in contents.input where !initializers.contains(message.name) {
            let subject = "input \"\(message.name)\""
            guard !message.name.isEmpty else { throw .invalid("an input has no name") }
            let id = identifier(scope.name(message.name))
            guard origins.updateValue(.input, forKey: id) == nil else { throw .invalid("\(subject) is listed twice") }
            graph.inputs.append(id)
            // Inside a node, the type follows from the value that is passed.
            if depth > 0, message.type.value == nil { continue }
            do throws(FormatError) {
                let (elementType, shape) = try types.tensorType(message)
                graph.values[id.index].elementType = elementType
                graph.values[id.index].shape = shape
            } catch {
                throw error.about(subject)
            }
        }
    }

    private mutating func addInitializer(_ message: ONNXTensorProto, _ rawData: ONNXRawData?) throws(FormatError) {
        let subject = "initializer \"\(message.name)\""
        guard !message.name.isEmpty else { throw .invalid("an initializer has no name") }
        let id = identifier(scope.name(message.name))
        guard origins.updateValue(.initializer, forKey: id) == nil else {
            throw .invalid("\(subject) is listed twice")
        }
        do throws(FormatError) {
            let tensor = try tensors.tensor(message, rawData)
            graph.values[id.index].elementType = tensor.elementType
            graph.values[id.index].shape = Shape(tensor.shape)
            graph.initializers[id] = tensor
        } catch {
            throw error.about(subject)
        }
    }

    /// The name and operator of a node for errors; the name is made unique.
    mutating func label(_ message: ONNXNodeProto, _ scope: ONNXScope) -> ONNXNodeLabel {
        let preferred = message.name.isEmpty ? message.output.first { !$0.isEmpty } ?? message.opType : message.name
        return ONNXNodeLabel(name: nodeNames.make(scope.prefix + preferred), operatorName: message.opType)
    }

    /// Adds a node that applies an operator.
    ///
    /// - Parameter scope: The scope of names in the node.
    mutating func addNode(_ message: ONNXNodeProto, _ scope: ONNXScope) throws(FormatError) {
        let label = label(message, scope)
        let (operation, form, captures) = try operation(message, scope, label)
        let inputs = form.inputs.enumerated().map { position, name -> Graph.ValueID? in
            if let constant = form.constants[position] {
                return graph.addInitializer("\(label.name).input\(position)", constant)
            }
            return name.isEmpty ? nil : identifier(name)
        }
        var outputs: [Graph.ValueID?] = []
        for name in message.output.map(scope.name) {
            guard !name.isEmpty else {
                outputs.append(nil)
                continue
            }
            let id = identifier(name)
            if let other = origins.updateValue(.node(graph.nodes.count), forKey: id) {
                throw label.invalid("output \"\(name)\" is already \(text(other, label))")
            }
            outputs.append(id)
        }
        graph.nodes.append(
            Graph.Node(
                name: label.name, operation: operation, inputs: inputs + captures.map { identifier($0) },
                outputs: outputs))
    }

    /// The values without an origin in the graph.
    var unprovided: [Graph.ValueID] {
        graph.values.indices.map(Graph.ValueID.init).filter { origins[$0] == nil }
    }

    private func text(_ origin: Origin, _ label: ONNXNodeLabel) -> String {
        switch origin {
        case .input: "an input of the graph"
        case .initializer: "an initializer"
        case .node(let index):
            "computed by node \"\(graph.nodes.indices.contains(index) ? graph.nodes[index].name : label.name)\""
        }
    }

    private mutating func addOutputs(
        _ messages: [ONNXValueInfoProto], _ types: inout ONNXTypeReader
    ) throws(FormatError) {
        guard !messages.isEmpty else { throw .invalid("the graph has no outputs") }
        var listed: Set<String> = []
        for message in messages {
            let subject = "output \"\(message.name)\""
            guard listed.insert(message.name).inserted else {
                addRepeatedOutput(message.name)
                continue
            }
            let id = identifier(scope.name(message.name))
            let origin = origins[id]
            guard origin != nil || depth > 0 else { throw .invalid("\(subject): nothing provides it") }
            graph.outputs.append(id)
            guard case .node = origin, message.type.value != nil else { continue }
            do throws(FormatError) {
                let (elementType, shape) = try types.tensorType(message)
                graph.values[id.index].elementType = elementType
                graph.values[id.index].shape = shape
            } catch {
                throw error.about(subject)
            }
        }
    }

    /// Adds a copy of an output that is listed once more: in a body each place has a meaning of its own. Outputs of the
    /// whole network are found by their names, of which one suffices.
    private mutating func addRepeatedOutput(_ name: String) {
        guard depth > 0 else { return }
        let value = identifier(scope.name(name))
        let copy = graph.addValue("\(graph[value].name).copy\(graph.outputs.count)")
        origins[copy] = .node(graph.nodes.count)
        graph.nodes.append(
            Graph.Node(
                name: nodeNames.make("\(graph[value].name).copy"), operation: Identity(), inputs: [value],
                outputs: [copy]))
        graph.outputs.append(copy)
    }

    private mutating func identifier(_ name: String) -> Graph.ValueID {
        if let id = identifiers[name] { return id }
        let id = graph.addValue(name)
        identifiers[name] = id
        return id
    }
}
