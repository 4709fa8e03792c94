import Graphs
import Planning
import Tensors

/// Copies between layouts, transpositions that are no view, and activations by themselves.
struct CopyLowering: Lowering {
    let name = "strided-copy"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        var permutation = Array(input.shape.indices)
        var layout = request.prevailingLayout
        var inputLayout: Layout?
        var function: String?
        switch request.operation {
        case let reorder as Reorder: layout = reorder.target
        case let transpose as Transpose:
            guard let order = try? transpose.order(rank: input.rank) else { return .decline("no such axes") }
            (permutation, layout) = (order, .rowMajor)
        case is Relu: (function, inputLayout) = ("fmax((x), 0.0f)", layout)
        default: return .decline("not a copy")
        }
        if function != nil, let refusal = request.refusalOfElements { return .decline(refusal) }
        guard StridedCopy.takes(rank: input.rank) else { return .decline("more than 6 axes") }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: input.byteCount + output.byteCount),
                inputLayouts: [inputLayout], outputLayouts: [layout],
                makeDeviceStep: { [permutation, function] operands in
                    var source = try operands.input(0).onDevice()
                    source.shape = permutation.map { [shape = source.shape] in shape[$0] }
                    source.strides = permutation.map { [strides = source.strides] in strides[$0] }
                    return KernelStep([StridedCopy.call(from: source, to: operands.outputs[0], function: function)])
                }))
    }
}

/// y = f(x), element by element, whatever the strides of either.
enum StridedCopy {
    private static let axisCount = 6

    static func takes(rank: Int) -> Bool { rank <= axisCount }

    /// - Parameter function: The function of `x`, in OpenCL C; nil for a copy.
    static func call(from source: Operand, to destination: Operand, function: String? = nil) -> KernelCall {
        let missing = [Int](repeating: 0, count: axisCount - destination.shape.count)
        let shape = missing.map { _ in 1 } + destination.shape
        let count = shape.reduce(1, *)
        var macros = ["ELEMENT": element(source.elementType)]
        if let function { macros["FUNCTION(x)"] = function }
        let arguments: [KernelCall.Argument] =
            [.operand(source), .operand(destination), .long(count)] + shape.dropFirst().map { .long($0) }
            + (missing + source.strides).map { .long($0) } + (missing + destination.strides).map { .long($0) }
        let group = 64
        return KernelCall(
            .copy, kernel: "copy", macros: macros, arguments: arguments,
            global: [(count + group - 1) / group * group], local: [group])
    }

    private static func element(_ type: ElementType) -> String {
        if type == .float32 { return "float" }
        return switch type.byteCount {
        case 1: "uchar"
        case 2: "ushort"
        case 4: "uint"
        default: "ulong"
        }
    }
}
