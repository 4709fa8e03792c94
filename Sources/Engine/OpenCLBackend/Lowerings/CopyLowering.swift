import Graphs
import Planning
import Tensors

/// Copies between layouts, and transpositions that are not views.
struct CopyLowering: Lowering {
    let name = "strided-copy"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        let permutation: [Int]
        let layout: Layout
        switch request.operation {
        case let reorder as Reorder: (permutation, layout) = (Array(input.shape.indices), reorder.target)
        case let transpose as Transpose:
            guard let order = try? transpose.order(rank: input.rank) else { return .decline("no such axes") }
            (permutation, layout) = (order, .rowMajor)
        default: return .otherOperator
        }
        guard StridedCopy.takes(input) else { return .decline("more than 8 axes, or no elements, or too many") }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: input.byteCount + output.byteCount),
                inputLayouts: [nil], outputLayouts: [layout],
                makeDeviceStep: { operands in
                    var source = try operands.input(0).onDevice()
                    source.shape = permutation.map { [shape = source.shape] in shape[$0] }
                    source.strides = permutation.map { [strides = source.strides] in strides[$0] }
                    return KernelStep([StridedCopy.call(from: source, to: operands.outputs[0], device)])
                }))
    }
}

/// y = x, element by element, for any strides.
enum StridedCopy {
    static func takes(_ type: TensorType) -> Bool {
        type.rank <= StridedWalk.maximumRank && type.elementCount > 0 && type.elementCount <= Int(Int32.max)
    }

    /// - Parameter source: The source, of the destination's shape.
    static func call(from source: Operand, to destination: Operand, _ device: DeviceInformation) -> KernelCall {
        let walk = StridedWalk(destination.shape, [destination.strides, source.strides])
        let transposition = transposition(walk, from: source, to: destination, device)
        return transposition ?? plain(walk, from: source, to: destination)
    }

    private static func plain(_ walk: StridedWalk, from source: Operand, to destination: Operand) -> KernelCall {
        // Elements that are adjacent in both values move together, up to 16 bytes at a time.
        let size = source.elementType.byteCount
        let isDense = walk.strides.allSatisfy { $0[walk.rank - 1] == 1 }
        let outer = walk.strides.flatMap { $0.dropLast() } + [source.position, destination.position]
        let units = [walk.extents[walk.rank - 1]] + outer
        let byteCount = [16, 8, 4, 2].first { count in
            isDense && count > size && units.allSatisfy { $0 % (count / size) == 0 }
        }
        let width = (byteCount ?? size) / size
        var extents = walk.extents
        extents[walk.rank - 1] /= width
        let strides = walk.strides.map { steps in
            steps.dropLast().map { $0 / width } + [steps[walk.rank - 1]]
        }
        let element = element(byteCount ?? size)
        func vectors(_ operand: Operand) -> KernelCall.Argument { .vectors(operand, count: width) }
        return KernelCall(
            .copy, kernel: "copy", macros: ["ELEMENT": element, "RANK": "\(walk.rank)"],
            arguments: [
                vectors(source), vectors(destination), .int(Int32(walk.count / width)), .axes(extents),
                .axes(strides[1]), .axes(strides[0]),
            ], global: [walk.count / width])
    }

    /// Copies planes to pixels or back through local memory; nil when the copy is of another kind.
    private static func transposition(
        _ walk: StridedWalk, from source: Operand, to destination: Operand, _ device: DeviceInformation
    ) -> KernelCall? {
        let tile = 16, tileRows = 4
        let (to, from) = (walk.strides[0], walk.strides[1])
        guard device.kind == .gpu, walk.rank == 2 || walk.rank == 3, to[walk.rank - 1] == 1, from[walk.rank - 2] == 1,
            walk.extents.suffix(2).allSatisfy({ $0 >= tile }), device.maximumWorkGroupSize >= tile * tileRows
        else { return nil }
        let (columns, rows) = (walk.extents[walk.rank - 2], walk.extents[walk.rank - 1])
        let stack = walk.rank == 3 ? walk.extents[0] : 1
        return KernelCall(
            .copy, kernel: "transpose",
            macros: [
                "ELEMENT": element(source.elementType.byteCount), "TILE": "\(tile)", "TILE_ROWS": "\(tileRows)",
            ],
            arguments: [
                .operand(source), .operand(destination), .int(Int32(rows)), .int(Int32(columns)),
                .long(walk.rank == 3 ? from[0] : 0), .int(Int32(from[walk.rank - 1])),
                .long(walk.rank == 3 ? to[0] : 0), .int(Int32(to[walk.rank - 2])),
            ],
            global: [columns.roundedUp(to: tile), rows.roundedUp(to: tile) / tile * tileRows, stack],
            local: [tile, tileRows, 1])
    }

    private static func element(_ byteCount: Int) -> String {
        switch byteCount {
        case 1: "uchar"
        case 2: "ushort"
        case 4: "uint"
        case 8: "ulong"
        default: "uint4"
        }
    }
}
