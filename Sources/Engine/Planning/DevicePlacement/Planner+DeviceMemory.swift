import Graphs

extension Planner {
    /// Makes a draft, and moves its largest layers off the device as far as the device's memory requires it.
    ///
    /// - Parameters:
    ///   - make: Drafts the network while the given nodes stay off the device.
    /// - Returns: The draft. Layers of equal size are moved together or not at all; where nothing fits, all are moved.
    func fitting(
        _ device: any Device, nodeCount: Int, _ make: (_ excluded: Set<Int>) throws(PlanningError) -> Draft
    ) throws(PlanningError) -> Draft {
        let whole = try make([])
        guard let limit = deviceMemoryLimit, whole.usesDevice, !whole.fits(device, limit: limit) else { return whole }
        let footprints = whole.deviceFootprints
        let sizes = Set(footprints.values).sorted(by: >)
        if sizes.isEmpty { return whole }
        func excluded(_ count: Int) -> Set<Int> {
            count == sizes.count ? Set(0..<nodeCount) : Set(footprints.filter { $0.value >= sizes[count - 1] }.keys)
        }
        // The fewest distinct sizes whose removal makes the rest fit; removing more keeps it fitting.
        var (least, most) = (1, sizes.count)
        while least < most {
            let middle = (least + most) / 2
            if try make(excluded(middle)).fits(device, limit: limit) { most = middle } else { least = middle + 1 }
        }
        let moved = excluded(least)
        var draft = try make(moved)
        for index in draft.operations.indices where !(draft.operations[index].node.operation is Reorder) {
            guard let node = draft.operations[index].nodeIndex, moved.contains(node), let size = footprints[node],
                draft.operations[index].transfer == nil
            else { continue }
            draft.operations[index].deviceReason =
                "too large for the device: \(size) bytes of \(limit) that a plan may take"
        }
        return draft
    }
}

extension Draft {
    /// Whether the plan fits in the device's memory: values between layers, transfers, and the weights as the network
    /// has them.
    fileprivate func fits(_ device: any Device, limit: Int) -> Bool {
        guard usesDevice else { return true }
        let arena = MemoryPlan(self).deviceArenaByteCount
        let staging = operations.reduce(0) { sum, operation in
            guard operation.transfer != nil, let type = operation.request.outputs.first else { return sum }
            return sum + (type.byteCount + 63) / 64 * 64
        }
        guard max(arena, staging) <= device.maximumBlockByteCount else { return false }
        let constants = Set(operations.filter { $0.backend.space == .device }.flatMap { $0.inputs.compactMap { $0 } })
        let weights = constants.reduce(0) { sum, value in
            if case .constant = values[value].source { sum + values[value].type.byteCount } else { sum }
        }
        return arena + staging + weights <= limit
    }

    /// For each node on the device, the bytes that it needs while it runs: inputs, outputs, weights and scratch memory.
    fileprivate var deviceFootprints: [Int: Int] {
        var footprints: [Int: Int] = [:]
        for operation in operations where operation.backend.space == .device && operation.transfer == nil {
            guard let node = operation.nodeIndex else { continue }
            let operands = operation.inputs.compactMap { $0 } + operation.outputs
            let byteCount = operands.reduce(operation.candidate.scratchByteCount) { $0 + values[$1].type.byteCount }
            footprints[node] = max(footprints[node] ?? 0, byteCount)
        }
        return footprints
    }
}
