import Graphs
import Tensors

extension Planner {
    /// Stores values in bfloat16 where all steps that write and read them can do so. Values that share memory, as
    /// slices and views do, and those that a step takes only so, are stored alike.
    func storeInBFloat16(_ draft: inout Draft) {
        guard backends.contains(where: { $0.bfloat16Values != .none }) else { return }
        let groups = Self.groupsStoredAlike(draft)
        var isRefused = [Bool](repeating: false, count: draft.values.count)
        for (index, value) in draft.values.enumerated() {
            guard case .operation = value.source, value.type.elementType == .float32, value.space == .host,
                value.contiguousExtent % 2 == 0
            else {
                isRefused[groups[index]] = true
                continue
            }
        }
        for output in draft.outputs {
            isRefused[groups[output]] = true
            // So is what was copied into an output.
            guard case .operation(let index) = draft.values[output].source, draft.operations[index].nodeIndex == nil
            else { continue }
            for case let input? in draft.operations[index].inputs { isRefused[groups[input]] = true }
        }
        for operation in draft.operations where !operation.candidate.isInPlace {
            let operands = operation.candidate.bfloat16Operands
            let choice = operation.backend.bfloat16Values
            for case (let position, let input?) in operation.inputs.enumerated() {
                let isRead = choice == .all && operands?.read.contains(position) == true
                if choice == .none || !isRead && operands?.rounded.contains(position) != true {
                    isRefused[groups[input]] = true
                }
            }
            if choice == .none || operands?.isWritten != true {
                for output in operation.outputs { isRefused[groups[output]] = true }
            }
        }
        for index in draft.values.indices where !isRefused[groups[index]] {
            draft.values[index].type = TensorType(.bfloat16, draft.values[index].type.shape)
        }
    }

    /// For each value, one that stands for all values that are stored alike.
    private static func groupsStoredAlike(_ draft: Draft) -> [Int] {
        var parents = Array(draft.values.indices)
        func root(_ value: Int) -> Int {
            var value = value
            while parents[value] != value {
                // The path gets half as long, so that long chains of values take no quadratic time.
                parents[value] = parents[parents[value]]
                value = parents[value]
            }
            return value
        }
        for operation in draft.operations {
            let candidate = operation.candidate
            let inputs: [Int?]
            if let operands = candidate.bfloat16Operands, !operands.alike.isEmpty {
                inputs = operation.inputs.enumerated().map { operands.alike.contains($0.offset) ? $0.element : nil }
            } else if candidate.concatenationAxis != nil {
                inputs = operation.inputs
            } else if candidate.isInPlace {
                // Further inputs of a view tell its shape.
                inputs = [operation.inputs.first ?? nil]
            } else {
                continue
            }
            for value in inputs.compactMap(\.self) + operation.outputs.dropFirst() {
                parents[root(operation.outputs[0])] = root(value)
            }
        }
        return draft.values.indices.map(root)
    }
}

extension Draft.Value {
    /// The number of elements that lie side by side.
    fileprivate var contiguousExtent: Int {
        let shape = type.shape
        let isChannelsLast = layout == .channelsLast || shape.count >= 3 && Layout.coincide(shape)
        return isChannelsLast && shape.count >= 3 ? shape[1] : shape.last ?? 1
    }
}
