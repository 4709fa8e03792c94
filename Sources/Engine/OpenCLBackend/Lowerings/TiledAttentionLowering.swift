import Graphs
import Planning
import Tensors

/// Attention as one kernel, whose scores stay in local memory or in registers.
struct TiledAttentionLowering: Lowering {
    let name: String
    private let device: DeviceInformation
    private let speed: OpenCLSpeed
    private let tiles: [AttentionTiles]

    init(_ device: DeviceInformation, _ precision: MatrixPrecision) {
        name = "tiled-attention" + precision.suffix
        self.device = device
        speed = OpenCLSpeed(device)
        tiles = AttentionTiles.all(precision)
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
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
        let ranked = tiles.filter { $0.fits(attention, device) }.map { tiles in
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
        var macros = tiles.macros
        (macros["SIZE"], macros["VALUE_SIZE"]) = ("\(query.size)", "\(value.size)")
        if bias != nil { macros["BIAS"] = "1" }
        if tiles.isOnTensorCores {
            let units = zip(parts, views).flatMap { part, view in
                [part.position, view.size, view.rowStride, view.headStride, view.batchStride]
            }
            macros["VECTOR"] = "\(units.vectorWidth == 4 ? 4 : 1)"
        }
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
            tiles.isOnTensorCores ? .tensorAttention : .attention,
            kernel: tiles.isOnTensorCores ? "tensor_attention" : "attention", macros: macros, arguments: arguments,
            global: [images * heads * group[0], rows.roundedUp(to: tiles.queries) / tiles.queries * group[1]],
            local: group)
    }
}

/// The queries and keys that a work-group of `attention.cl` or `tensor_attention.cl` holds.
private struct AttentionTiles: Sendable {
    let queries: Int
    let keys: Int
    let precision: MatrixPrecision

    static func all(_ precision: MatrixPrecision) -> [AttentionTiles] {
        let extents =
            precision.isOnTensorCores
            ? [(64, 64), (64, 32), (32, 32), (16, 32), (16, 16)] : [(64, 32), (32, 32), (16, 32), (32, 16), (16, 16)]
        return extents.map { AttentionTiles(queries: $0.0, keys: $0.1, precision: precision) }
    }

    var name: String { "\(queries)x\(keys)" }
    var isOnTensorCores: Bool { precision.isOnTensorCores }

    /// Warps, each with 16 queries; or work-items, each with four queries and four keys.
    var group: [Int] { isOnTensorCores ? [queries / 16 * 32, 1] : [keys / 4, queries / 4] }

    var macros: [String: String] {
        var macros = ["TILE_K": "\(keys)"]
        macros[isOnTensorCores ? "WARPS" : "TILE_Q"] = "\(isOnTensorCores ? queries / 16 : queries)"
        if precision == .float16 { macros["HALF"] = "1" }
        return macros
    }

    /// The largest columns of queries and values for which fragments or sums are held in registers.
    private var maximumSize: Int { isOnTensorCores ? 128 : 256 }

    /// The part of a compute unit's float32 speed that its group reaches. None was measured on a GPU. On processors
    /// work-items are loops, which begin again at every barrier.
    private func efficiency(_ kind: DeviceInformation.Kind) -> Double {
        switch precision {
        case .float32: kind == .processor ? 0.02 : 0.35
        case .tf32: 0.9
        case .float16: 1.4
        }
    }

    /// Columns of queries and of values as they are multiplied.
    private func paddedSizes(_ attention: ScaledDotProductAttention) -> (query: Int, value: Int) {
        let (size, valueSize) = (attention.query.size, attention.value.size)
        return isOnTensorCores
            ? (size.roundedUp(to: precision == .float16 ? 16 : 8), valueSize.roundedUp(to: 16))
            : (size, valueSize.roundedUp(to: keys))
    }

    func fits(_ attention: ScaledDotProductAttention, _ device: DeviceInformation) -> Bool {
        guard max(attention.query.size, attention.value.size) <= maximumSize,
            group[0] * group[1] <= device.maximumWorkGroupSize
        else { return false }
        let (size, valueSize) = paddedSizes(attention)
        let pitch = queries + 4
        let packed = precision == .float16 ? 2 : 1
        let words =
            isOnTensorCores
            ? keys * (size.roundedUp(to: 8 * packed) / packed + 4 + valueSize / packed + 4)
            : size * pitch + max(size * (keys + 4), keys * valueSize) + keys * pitch + queries * group[0]
        return words * MemoryLayout<Float>.stride <= device.localMemoryByteCount
    }

    /// The expected time of the arithmetic, padding included, and of the memory traffic: every group reads all keys and
    /// values of its head, which caches hold.
    func microseconds(
        _ attention: ScaledDotProductAttention, stack: Int, _ byteCount: Int, _ speed: OpenCLSpeed,
        _ kind: DeviceInformation.Kind
    ) -> Double {
        let groups = stack * (attention.query.rowCount.roundedUp(to: queries) / queries)
        let (size, valueSize) = paddedSizes(attention)
        let products = Double(queries * attention.key.rowCount.roundedUp(to: keys)) * Double(size + valueSize)
        let turns = Double((groups + speed.unitCount - 1) / speed.unitCount)
        return max(
            turns * products / (speed.unitMultiplyAddsPerMicrosecond * efficiency(kind)),
            Double(byteCount) / speed.bytesPerMicrosecond)
    }
}
