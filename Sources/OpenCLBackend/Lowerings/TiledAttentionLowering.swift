import Graphs
import Planning
import Tensors

/// Attention as one kernel, whose scores stay in local memory.
struct TiledAttentionLowering: Lowering {
    let name = "tiled-attention"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let attention = request.operation as? ScaledDotProductAttention else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.constants.prefix(3).allSatisfy({ $0 == nil }) else {
            return .decline("rows are part of the network")
        }
        let types = request.inputs.compactMap { $0 } + request.outputs
        guard types.allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let stack = (attention.isBatched ? request.outputs[0].shape[0] : 1) * attention.headCount
        let tiles = AttentionTiles.all.filter { $0.fits(attention, device) }
        let ranked = tiles.map { tiles in
            (
                tiles,
                speed.startMicroseconds
                    + tiles.microseconds(attention, stack: stack, request.cost.bytes, speed, device.kind)
            )
        }.sorted { $0.1 < $1.1 }
        let candidates = ranked.map { tiles, microseconds in
            Candidate(
                microseconds: microseconds, inputLayouts: request.inputs.map { _ in .rowMajor },
                outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false, variant: tiles.name,
                makeDeviceStep: { operands in KernelStep([try Self.call(attention, tiles, operands)]) })
        }
        guard let best = candidates.first else { return .decline("tiles of such rows exceed the local memory") }
        return .accept(best, alternatives: Array(candidates.dropFirst()))
    }

    private static func call(
        _ attention: ScaledDotProductAttention, _ tiles: AttentionTiles, _ operands: StepOperands
    ) throws -> KernelCall {
        let (query, key, value) = (attention.query, attention.key, attention.value)
        let (heads, rows) = (attention.headCount, query.rowCount)
        let output = operands.outputs[0]
        let images = attention.isBatched ? output.shape[0] : 1
        let views = [query, key, value]
        let parts = try views.enumerated().map { index, view in
            let operand = try operands.input(index)
            return operand.floats(from: view.offset, count: operand.elementCount - view.offset)
        }
        let bias = try operands.optionalInput(3)?.onDevice()
        var biasStrides = [0, 0, 0, 0]
        if let bias {
            biasStrides = StridedWalk.strides(
                of: bias, over: attention.biasShape(TensorType(bias.elementType, bias.shape)))
        }
        let biasImages = bias.map { $0.shape.count == 4 ? $0.shape[0] : 1 } ?? 1
        var macros = [
            "TILE_Q": "\(tiles.queries)", "TILE_K": "\(tiles.keys)", "SIZE": "\(query.size)",
            "VALUE_SIZE": "\(value.size)",
        ]
        if bias != nil { macros["BIAS"] = "1" }
        var arguments: [KernelCall.Argument] = parts.map { .operand($0) }
        arguments += [.operand(bias ?? output), .operand(output)]
        arguments += ints([heads, rows, key.rowCount]) + [.float(Float(attention.scale))]
        for view in views { arguments += [.long(view.batchStride)] + ints([view.headStride, view.rowStride]) }
        arguments += ints([biasImages]) + [.long(biasStrides[0])] + ints(Array(biasStrides.dropFirst()))
        let putsRowsFirst = attention.putsRowsFirst
        arguments += [.long(heads * rows * value.size)]
        arguments += ints(
            putsRowsFirst ? [value.size, heads * value.size] : [rows * value.size, value.size])
        let group = tiles.group
        return KernelCall(
            .attention, kernel: "attention", macros: macros, arguments: arguments,
            global: [images * heads * group[0], rows.roundedUp(to: tiles.queries) / tiles.queries * group[1]],
            local: group)
    }
}

/// The queries and keys that a work-group of `attention.cl` holds.
private struct AttentionTiles: Sendable {
    let queries: Int
    let keys: Int

    static let all = [(64, 32), (32, 32), (16, 32), (32, 16), (16, 16)].map {
        AttentionTiles(queries: $0.0, keys: $0.1)
    }

    var name: String { "\(queries)x\(keys)" }
    /// Work-items, each with four queries and four keys.
    var group: [Int] { [keys / 4, queries / 4] }

    /// The largest columns of queries and values for which sums are held in registers.
    private static let maximumSize = 256
    /// The part of a compute unit's float32 speed that its group reaches.
    private static let efficiency = 0.35
    /// On processors work-items are loops, which begin again at every barrier.
    private static let processorEfficiency = 0.02

    /// Columns of values as the work-items of a row hold them, in vectors of 4.
    private func paddedSize(_ size: Int) -> Int { size.roundedUp(to: keys) }

    func fits(_ attention: ScaledDotProductAttention, _ device: DeviceInformation) -> Bool {
        let (size, valueSize) = (attention.query.size, attention.value.size)
        guard max(size, valueSize) <= Self.maximumSize, group[0] * group[1] <= device.maximumWorkGroupSize else {
            return false
        }
        let pitch = queries + 4
        let floats =
            size * pitch + max(size * (keys + 4), keys * paddedSize(valueSize)) + keys * pitch + queries * group[0]
        return floats * MemoryLayout<Float>.stride <= device.localMemoryByteCount
    }

    /// The expected time of the arithmetic, padding included, and of the memory traffic: every group reads all keys and
    /// values of its head, which caches hold.
    func microseconds(
        _ attention: ScaledDotProductAttention, stack: Int, _ byteCount: Int, _ speed: OpenCLSpeed,
        _ kind: DeviceInformation.Kind
    ) -> Double {
        let groups = stack * (attention.query.rowCount.roundedUp(to: queries) / queries)
        let products =
            Double(queries * attention.key.rowCount.roundedUp(to: keys))
            * Double(attention.query.size + paddedSize(attention.value.size))
        let turns = Double((groups + speed.unitCount - 1) / speed.unitCount)
        let efficiency = kind == .processor ? Self.processorEfficiency : Self.efficiency
        return max(
            turns * products / (speed.unitMultiplyAddsPerMicrosecond * efficiency),
            Double(byteCount) / speed.bytesPerMicrosecond)
    }
}
