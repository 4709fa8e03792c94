import Graphs
import Planning
import Tensors

/// Operators on two 8-bit integers that broadcast, and tables of functions of one.
struct IntegerElementwiseLowering: Lowering {
    let name = "integer-elementwise"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let function: ByteFunction
        switch request.operation {
        case is Lookup: function = .table
        case let operation as any IntegerBroadcasting:
            guard let binary = ByteFunction(operation) else { return .decline("no kernel for \(type(of: operation))") }
            function = binary
        default: return .otherOperator
        }
        if let refusal = request.refusalOfBytes { return .decline(refusal) }
        let output = request.outputs[0]
        guard output.rank <= StridedWalk.maximumRank else { return .decline("more than 8 axes") }
        guard request.inputs.count == 2, let second = request.inputs[1], second.elementType.isQuantizedByte,
            second.elementCount > 0
        else { return .decline("the second operand is not of 8 bits") }
        let layout = request.prevailingLayout
        let layouts = request.inputs.enumerated().map { index, type in
            (index == 0 || !function.isTable) && type?.shape == output.shape ? layout : nil
        }
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: layouts, outputLayouts: [layout],
                makeDeviceStep: { [isNVIDIA = device.maker == .nvidia] operands in
                    let values = [try operands.input(0).onDevice(), try operands.input(1).onDevice()]
                    return KernelStep([function.call(values, to: operands.outputs[0], isNVIDIA: isNVIDIA)])
                }))
    }
}

/// A function of `integer_elementwise.cl`.
private enum ByteFunction: Sendable {
    case table
    /// The macro FUNCTION, the zero points and range, and the multipliers in the order of the kernel's arguments.
    case binary(Int, IntegerScaling, [Int32])

    var isTable: Bool { if case .table = self { true } else { false } }

    init?(_ operation: any IntegerBroadcasting) {
        func parts(_ multiplier: FixedPointMultiplier?) -> [Int32] {
            multiplier.map { [$0.value, $0.shift] } ?? [0, 0]
        }
        switch operation {
        case let add as IntegerAdd:
            if let scales = add.scales {
                let bits = [scales.a, scales.b].map { Int32(bitPattern: $0.bitPattern) }
                self = .binary(2, add.scaling, [0, bits[0], 0, bits[1], 0, 0, 0])
            } else {
                let multipliers = [add.leftShift] + parts(add.first) + parts(add.second) + parts(add.output)
                self = .binary(add.isDifference ? 1 : 0, add.scaling, multipliers)
            }
        case let product as IntegerMul:
            self = .binary(3, product.scaling, [0] + parts(nil) + parts(nil) + parts(product.output))
        case let relu as IntegerPRelu:
            self = .binary(4, relu.scaling, [0] + parts(relu.factor) + parts(relu.slopeFactor) + parts(nil))
        default: return nil
        }
    }

    func call(_ values: [Operand], to output: Operand, isNVIDIA: Bool) -> KernelCall {
        let read = isTable ? [values[0]] : values
        let walk = StridedWalk(
            output.shape, ([output] + read).map { StridedWalk.strides(of: $0, over: output.shape) })
        let vector = walk.vectorWidth(positions: ([output] + read).map(\.position)) == 4 ? 4 : 1
        var macros = ["RANK": "\(walk.rank)", "VECTOR": "\(vector)"]
        var arguments: [KernelCall.Argument] = values.map { .operand($0) } + [.operand(output)]
        arguments += [.int(Int32(walk.count)), .axes(walk.extents)]
        arguments += (walk.strides.dropFirst() + [walk.strides[0]]).map { .axes($0) }
        let kernel: String
        switch self {
        case .table:
            kernel = "look_up"
            macros["SIGNED"] = values[0].elementType.signMacro
        case .binary(let function, let scaling, let multipliers):
            kernel = "integer_binary"
            macros["FUNCTION"] = "\(function)"
            macros["A_SIGNED"] = values[0].elementType.signMacro
            macros["B_SIGNED"] = values[1].elementType.signMacro
            macros["IS_NVIDIA"] = isNVIDIA ? "1" : "0"
            let ends = [scaling.a, scaling.b, scaling.y, scaling.range.lowerBound, scaling.range.upperBound]
            arguments += (ends + multipliers).map { .int($0) }
        }
        return KernelCall(
            .integerElementwise, kernel: kernel, macros: macros, arguments: arguments, global: [walk.count / vector])
    }
}
