import Graphs
import OpenCLKernels
import Planning
import Tensors

extension Int {
    /// The smallest multiple of `unit` that is not less than this number.
    func roundedUp(to unit: Int) -> Int { (self + unit - 1) / unit * unit }
}

/// One argument for each integer, of 32 bits.
func ints(_ values: [Int]) -> [KernelCall.Argument] { values.map { .int(Int32($0)) } }

extension Operand {
    /// The index of the first element in its buffer.
    var position: Int {
        if case .device(let offset) = place { offset / elementType.byteCount } else { 0 }
    }

    /// Floats of scratch memory, beginning with index `start`.
    func floats(from start: Int, count: Int) -> Operand {
        part(.float32, count: count, fromByte: start * MemoryLayout<Float>.stride)
    }

    /// Elements of scratch memory, beginning `start` bytes after its first.
    func part(_ elementType: ElementType, count: Int, fromByte start: Int) -> Operand {
        guard case .device(let offset) = place else { return self }
        return Operand(
            elementType: elementType, shape: [count], strides: [1], place: .device(offset: offset + start))
    }
}

extension [Int] {
    /// The widest vector, of 4, 2 or 1 elements, whose width divides all of these numbers.
    var vectorWidth: Int {
        if allSatisfy({ $0 % 4 == 0 }) { return 4 }
        return allSatisfy { $0 % 2 == 0 } ? 2 : 1
    }
}

extension ElementType {
    /// Whether elements are quantized integers of 8 bits.
    var isQuantizedByte: Bool { self == .int8 || self == .uint8 }

    /// The macro that says whether bytes are signed.
    var signMacro: String { self == .int8 ? "1" : "0" }
}

/// A value of channels-last images, in the form that kernels read.
struct ImageValue: Sendable {
    let operand: Operand
    let view: ImageView

    /// - Parameter operand: `[N, C, H, W]` with adjacent channels.
    init(_ operand: Operand) throws {
        self.operand = try operand.onDevice()
        view = ImageView(self.operand)
    }

    /// The numbers that the width of a vector along the channels must divide.
    var vectorUnits: [Int] { [operand.position, view.pixelStride, view.rowStride, view.imageStride] }

    var strides: [KernelCall.Argument] {
        [.long(view.imageStride), .int(Int32(view.rowStride)), .int(Int32(view.pixelStride))]
    }
}

/// What a kernel does to its sums before it stores them: adds a bias and an addend, and applies an activation.
struct Epilogue: Sendable {
    /// The bias, with as many elements as the kernel reads.
    let bias: KernelCall.Argument
    let addend: ImageValue?
    let activation: Activation?

    /// The addend's buffer. Where there is no addend, `output` stands in for it and is not read.
    func addendArgument(insteadOf output: Operand) -> KernelCall.Argument { .operand(addend?.operand ?? output) }

    /// Arguments that say whether there is an addend, and give its strides.
    var addendArguments: [KernelCall.Argument] {
        [.int(addend == nil ? 0 : 1)] + (addend?.strides ?? [.long(0), .int(0), .int(0)])
    }

    var activationArguments: [KernelCall.Argument] { Self.arguments(activation) }

    /// The number of a function by which kernels know it, 0 for none.
    static func number(_ activation: Activation?) -> Int32 {
        if case .int(let number) = arguments(activation)[0] { number } else { 0 }
    }

    static func arguments(_ activation: Activation?) -> [KernelCall.Argument] {
        guard let function = activation?.kernelFunction else { return [.int(0), .float(0), .float(0)] }
        let number = apus_opencl_activation(function.name)
        precondition(number > 0, "\(function.name) is no epilogue in the table of functions")
        return [.int(number), .float(function.alpha), .float(function.beta)]
    }
}

extension ConvolutionRequest {
    /// The value that is added before the activation; nil where a step's operands have none.
    func addend(_ operands: StepOperands) throws -> ImageValue? {
        guard operands.inputs.count > Conv.addendPosition, let addend = operands.inputs[Conv.addendPosition] else {
            return nil
        }
        return try ImageValue(addend)
    }

    /// The bias as `[group][columns]`, with rows padded to `paddedColumns` by zeros; all zeros where there is none.
    func biasArgument(paddedColumns: Int) -> KernelCall.Argument {
        let group = operation.group
        let columns = weights.shape[0] / group
        let source = bias
        return .constant(source ?? weights, packing: "\(source == nil ? "no " : "")bias/\(group)x\(paddedColumns)") {
            tensor in
            var padded = [Float](repeating: 0, count: group * paddedColumns)
            if source != nil {
                for (index, value) in tensor.elements(as: Float.self).enumerated() {
                    padded[index / columns * paddedColumns + index % columns] = value
                }
            }
            return try Tensor(padded, shape: [group * paddedColumns])
        }
    }

    /// The weights as `[group][kh · kw · C/group][M/group]`, with rows padded to `paddedColumns` by zeros.
    func weightsArgument(paddedColumns: Int) -> KernelCall.Argument {
        let group = operation.group
        return .constant(weights, packing: "rows/\(group)x\(paddedColumns)") { tensor in
            try ConvolutionRequest.productWeights(tensor, group: group).paddedRows(to: paddedColumns)
        }
    }

    /// The weights as `[group][M/group]` columns of words for tensor cores.
    func weightsArgument(_ words: TensorCoreWords) -> KernelCall.Argument {
        let group = operation.group
        return .constant(weights, packing: "\(words.name)/\(group)") { tensor in
            let rows = try ConvolutionRequest.productWeights(tensor, group: group)
            let columns = rows.shape[rows.shape.count - 1]
            let depth = rows.elementCount / (group * columns)
            return try words.pack(rows.contiguous().reshaped(to: [group, depth, columns]))
        }
    }
}

extension Tensor {
    /// A dense copy whose last axis is padded to `count` by zeros.
    func paddedRows(to count: Int) throws -> Tensor {
        let columns = shape[shape.count - 1]
        guard columns != count else { return try contiguous() }
        let values = elements(as: Float.self)
        let rows = elementCount / max(columns, 1)
        var padded = [Float](repeating: 0, count: rows * count)
        for row in 0..<rows {
            for column in 0..<columns { padded[row * count + column] = values[row * columns + column] }
        }
        return try Tensor(padded, shape: Array(shape.dropLast()) + [count])
    }
}
