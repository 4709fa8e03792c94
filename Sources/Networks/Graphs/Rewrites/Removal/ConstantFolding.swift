import Tensors

/// Evaluates nodes whose inputs are all constants.
///
/// A node stays when its result is an output or would be larger than the limit. It also stays when its evaluation
/// fails; the error then appears when the network is planned or run. A few bytes of a file can demand any amount of
/// work, so the work is limited in proportion to the number of weights.
package struct ConstantFolding: Rewrite {
    package static let name = "ConstantFolding"
    package static let summary = "Evaluates nodes whose inputs are all constants."

    /// The maximum bytes of one folded value.
    package var byteLimit: Int

    /// Makes the rewrite; by default a value may take 512 MiB.
    package init(byteLimit: Int = 512 << 20) {
        self.byteLimit = byteLimit
    }

    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        var work = Self.workLimit(weightElementCount: edit.weightElementCount)
        for index in edit.indices {
            if let node = edit.node(index) { try visit(node, at: index, in: &edit, work: &work) }
        }
    }

    /// The maximum number of operations: some for every weight, and about a second's worth for generated values.
    private static func workLimit(weightElementCount: Int) -> Int {
        let (most, overflow) = weightElementCount.multipliedReportingOverflow(by: 64)
        return overflow || most > .max - 200_000_000 ? .max : most + 200_000_000
    }

    private func visit(
        _ node: Graph.Node, at index: Int, in edit: inout GraphEdit, work: inout Int
    ) throws(GraphError) {
        var inputs: [Tensor?] = []
        for input in node.inputs {
            let content = edit.constant(input)
            guard input == nil || content != nil else { return }
            inputs.append(content)
        }
        let outputs = node.outputs.compactMap { $0 }
        guard outputs.allSatisfy({ !edit.isOutput($0) }) else { return }
        if let needed = operationCount(node, inputs) {
            guard needed <= work else {
                throw GraphError(
                    node, .unsupported("constants whose computation takes too many operations"))
            }
            work -= needed
        }
        do {
            let types = try node.operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
            guard types.count >= node.outputs.count else { return }
            for type in types {
                guard try Shape.byteCount(type.shape, type.elementType) <= byteLimit else { return }
            }
            let results = try node.operation.evaluateInBudget(inputs, outputTypes: types)
            guard results.count >= node.outputs.count else { return }
            edit.settle(index, as: results)
            edit.note(node, "evaluated to \(types.prefix(outputs.count).map(\.description).joined(separator: ", "))")
        } catch {
            return
        }
    }

    private func operationCount(_ node: Graph.Node, _ inputs: [Tensor?]) -> Int? {
        let types = inputs.map { $0.map { TensorType($0) } }
        guard let outputs = try? node.operation.outputTypes(for: types),
            outputs.allSatisfy({ (try? Shape.byteCount($0.shape, .float64)) != nil })
        else { return nil }
        return node.operation.cost(inputs: types, outputs: outputs).operationCount
    }
}
