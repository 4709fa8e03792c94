import Tensors

extension Graph {
    /// The graph with pixels as input, which computes number = (pixel · scale − mean) / deviation itself.
    ///
    /// The input keeps its name and extents; its elements become `uint8`.
    ///
    /// - Parameters:
    ///   - means: One number, or one for each channel; `deviations` likewise.
    ///   - channelAxis: The axis of the channels, counted from the end: 3 or 1 for an image.
    /// - Throws: ``GraphError`` when the input is also an output.
    package func takingPixels(
        of input: ValueID, scale: Float, means: [Float], deviations: [Float], channelAxis: Int
    ) throws(GraphError) -> Graph {
        let name = self[input].name
        guard !outputs.contains(input) else {
            throw .input(name: name, message: "is an output as well, and cannot become pixels")
        }
        var graph = self
        graph.values[input.index].name = graph.unusedName("\(name)/numbers")
        let pixels = graph.addValue(name, elementType: .uint8, shape: self[input].shape)
        graph.inputs = inputs.map { $0 == input ? pixels : $0 }

        var steps: [(name: String, operation: any Operator, numbers: [Float]?)] = [("Cast", Cast(to: .float32), nil)]
        if scale != 1 { steps.append(("scale", Mul(), [scale])) }
        if means.contains(where: { $0 != 0 }) { steps.append(("mean", Sub(), means)) }
        if deviations.contains(where: { $0 != 1 }) { steps.append(("deviation", Div(), deviations)) }
        var value = pixels
        var nodes: [Node] = []
        for (index, step) in steps.enumerated() {
            let stepName = graph.unusedName("\(name)/\(step.name)")
            var operands = [value]
            if let numbers = step.numbers {
                let shape = numbers.count == 1 ? [] : [numbers.count] + Array(repeating: 1, count: channelAxis - 1)
                do {
                    operands.append(graph.addInitializer(stepName, try Tensor(numbers, shape: shape)))
                } catch {
                    throw .input(name: name, message: "\(error)")
                }
            }
            value = index == steps.count - 1 ? input : graph.addValue(graph.unusedName("\(stepName)/result"))
            nodes.append(Node(name: stepName, operation: step.operation, inputs: operands, outputs: [value]))
        }
        graph.nodes = nodes + graph.nodes
        return graph
    }

    /// A name that no value and no node has.
    private func unusedName(_ wanted: String) -> String {
        let taken = Set(values.map(\.name)).union(nodes.map(\.name))
        var name = wanted
        while taken.contains(name) { name += "_" }
        return name
    }
}
