import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Cases on an OpenCL device", .ownThreads, .enabled(if: !BackendChain.openCL.isEmpty), .serialized)
struct OpenCLCaseTests {
    /// One lowering of a device, and copies. Operators that it declines run on the processor.
    private struct OneLowering: Backend {
        let name = "opencl"
        let deviceDescription = "one lowering"
        let lowerings: [any Lowering]
        let device: (any Device)?

        init(_ name: String, of backend: any Backend) {
            lowerings = backend.lowerings.filter { $0.name == name || $0.name == "strided-copy" }
            device = backend.device
        }
    }

    /// Float32 cases, of operators with kernels, that are left to the processor, by reason. A case that gets a kernel
    /// must be removed from this list.
    private static let leftToProcessor: [String: [String]] = [
        "vectors and broadcast stacks are rare": [
            "MatMul/[2, 1, 3, 4] [5, 4, 2]", "MatMul/[2, 3, 4] [4]", "MatMul/[3, 7] [7]", "MatMul/[4] [2, 4, 3]",
            "MatMul/[7] [7, 3]", "MatMul/[7] [7]", "MatMul/[3, 4] [2, 4, 5]",
        ],
        "images as columns with an addend are rare": [
            "Gemm/1 rows, transA true, transB false", "Gemm/1 rows, transA true, transB true",
            "Gemm/5 rows, transA true, transB false", "Gemm/5 rows, transA true, transB true",
            "Gemm/16 rows, transA true, transB false", "Gemm/16 rows, transA true, transB true",
        ],
        "an addend that differs from row to row is rare": ["Gemm/addend [5, 1]", "Gemm/addend [5, 23]"],
        "a factor beside two that are computed is rare": ["Gemm/both at run time, alpha"],
        "reductions over no axes, which change each element alone, are rare": [
            "ReduceL1/no axes, no operation", "ReduceL2/no axes, no operation", "ReduceMean/no axes, no operation",
            "ReduceSumSquare/no axes, no operation",
        ],
        "sizes name the batch, so that there is no resizing of one image to rank by": [
            "Resize/nearest, down", "Resize/nearest asymmetric floor, down", "Resize/linear, down",
            "Resize/linear align corners, down", "Resize/linear asymmetric, down",
            "Resize/linear antialiased, down", "Resize/cubic, down",
        ],
    ]

    /// All lowerings except views, which no device needs.
    private static let lowerings =
        BackendChain.openCL.first?.backends[0].lowerings.map(\.name).filter { $0 != "view" } ?? []

    @Test("Every lowering gives what the operator's own evaluation gives, wherever it applies", arguments: lowerings)
    func agrees(_ lowering: String) throws {
        let device = try #require(BackendChain.openCL.first?.backends.first)
        let chain = BackendChain([OneLowering(lowering, of: device), CPUBackend(), ReferenceBackend()], .wherePossible)
        let used = try count(ConformanceCases.all, on: chain) { $0 == lowering }
        #expect(used > 0, "\(lowering) takes no case")
    }

    /// Runs cases, compares their results with the operators' own evaluation, and counts those that a lowering of the
    /// device ran.
    private func count(
        _ cases: [ConformanceCase], on chain: BackendChain, where isMeant: (String) -> Bool
    ) throws -> Int {
        var used = 0
        for conformanceCase in cases {
            let inputs = try conformanceCase.givenInputs()
            do {
                let plan = try chain.plan(try conformanceCase.makeGraph(), for: inputs)
                let ran = plan.layers.contains { $0.backend == "opencl" && isMeant($0.lowering) }
                guard ran else { continue }
                used += 1
                let (outputs, expected) = (try plan.outputs(inputs), try conformanceCase.expectedOutputs())
                for (index, (output, expected)) in zip(outputs, expected).enumerated() {
                    let tolerance = conformanceCase.tolerance
                    let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
                    let wrong = pairs.enumerated().first { !tolerance.accepts($1.0, expected: $1.1) }
                    #expect(
                        wrong == nil && output.shape == expected.shape,
                        "\(conformanceCase.name), output \(index): \(String(describing: wrong))")
                }
            } catch {
                Issue.record("\(conformanceCase.name): \(error)")
            }
        }
        return used
    }

    /// The lowerings of a device as if it were a GPU: work-groups share rows, ranges and depths.
    private struct DividedAsOnGPU: Backend {
        let name = "opencl"
        let deviceDescription = "divided as on a GPU"
        let lowerings: [any Lowering]
        let device: (any Device)?

        init(_ device: OpenCLDevice) {
            var information = device.information
            information.kind = .gpu
            (information.vendor, information.extensions) = ("", [])
            lowerings = OpenCLLowerings.all(information, .float32, tiles: TileShape.candidates(information))
            self.device = device
        }
    }

    @Test("Narrow products that are divided as on a GPU give what the operators' own evaluation gives")
    func isRightOnGPUs() throws {
        let device = try #require(BackendChain.openCL.first?.backends.first?.device as? OpenCLDevice)
        let chain = BackendChain([DividedAsOnGPU(device), CPUBackend(), ReferenceBackend()], .wherePossible)
        // Each case is a program that has to be compiled.
        let operators: Set<String> = ["DynamicQuantizeLinear", "QLinearMatMul"]
        let others = ConformanceCases.quantizations.filter { operators.contains(type(of: $0.operation).name) }
        let meant: Set<String> = ["dynamic-quantization", "integer-product", "nibble-gemm", "quantized-gemm"]
        #expect(try count(ConformanceCases.narrowProducts + others, on: chain) { meant.contains($0) } > 50)
    }

    @Test("The device runs the operators that it has kernels for")
    func usesKernels() throws {
        let operators: Set<String> = [
            "Conv", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Gemm", "MatMul",
            "BatchNormalization", "LRN", "Add", "Sub", "Mul", "Div", "Sum", "Mean", "Max", "Min", "Pow", "PRelu",
            "Relu", "LeakyRelu", "Clip", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Reciprocal", "Abs", "Neg", "Ceil",
            "Floor", "Erf", "HardSwish", "HardSigmoid", "Elu", "Gelu", "Mish", "Softplus", "Softsign", "Softmax",
            "LogSoftmax", "LayerNormalization", "RMSNormalization", "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean",
            "ReduceMin", "ReduceProd", "ReduceSum",
            "ReduceSumSquare", "Resize", "Concat", "Transpose", "Slice", "Expand", "Tile", "DepthToSpace",
            "SpaceToDepth",
        ]
        let chain = try #require(BackendChain.openCL.first)
        var left: [String: String] = [:]
        for conformanceCase in ConformanceCases.all {
            guard operators.contains(type(of: conformanceCase.operation).name),
                try conformanceCase.expectedOutputs()[0].elementType == .float32
            else { continue }
            let plan = try chain.plan(try conformanceCase.makeGraph(), for: try conformanceCase.givenInputs())
            for layer in plan.layers where layer.backend != "opencl" && layer.lowering != "view" {
                left[conformanceCase.name] =
                    layer.considered.map { "\($0.lowering): \($0.reason ?? "accepted")" }.joined(separator: "; ")
            }
        }
        let listed = Set(Self.leftToProcessor.values.joined())
        for (name, reasons) in left { #expect(listed.contains(name), "\(name): \(reasons)") }
        for name in listed { #expect(left[name] != nil, "\(name) is not left to the processor") }
    }

    /// Cases of 8-bit integers that are left to the processor, by reason. A case that gets a kernel must be removed
    /// from this list.
    private static let bytesLeftToProcessor: [String: [String]] = [
        "each slice or block has its own scale": [
            "QuantizeLinear/last axis", "QuantizeLinear/blocks", "DequantizeLinear/by channel",
            "DequantizeLinear/blocks",
        ],
        "a value is empty": [
            "MatMulInteger/no rows", "MatMulInteger/no depth", "QuantizedMatMul/no rows", "MatMulNBits/no rows",
        ],
        "each matrix of a stack has its own zero point": ["MatMulInteger/zero points of matrices"],
        "integers are added to the sums": ["ConvIntegerToFloat/offset", "ConvIntegerToFloat/offset, bias and Swish"],
    ]

    @Test("The device runs what quantized networks are made of")
    func usesKernelsForBytes() throws {
        let operators: Set<String> = [
            "AffineQuantize", "Cast", "ConvInteger", "ConvIntegerToFloat", "DequantizeLinear", "DynamicQuantizeLinear",
            "IntegerAdd",
            "IntegerAveragePool", "IntegerConv", "IntegerL2Normalization", "IntegerMatMul", "IntegerMean", "IntegerMul",
            "IntegerPRelu", "IntegerResize", "IntegerSoftmax", "Lookup", "MatMulInteger", "MatMulNBits", "MaxPool",
            "Pad", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "QuantizedMatMul",
        ]
        let chain = try #require(BackendChain.openCL.first)
        var left: [String: String] = [:]
        var count = 0
        for conformanceCase in ConformanceCases.quantizations + ConformanceCases.narrowProducts
        where operators.contains(type(of: conformanceCase.operation).name) {
            let inputs = try conformanceCase.givenInputs()
            let types = inputs.map(\.elementType) + [try conformanceCase.expectedOutputs()[0].elementType]
            guard types.allSatisfy({ [.int8, .uint8, .int32, .float32].contains($0) }) else { continue }
            count += 1
            let plan = try chain.plan(try conformanceCase.makeGraph(), for: inputs)
            for layer in plan.layers where layer.backend != "opencl" && layer.lowering != "view" {
                left[conformanceCase.name] =
                    layer.considered.map { "\($0.lowering): \($0.reason ?? "accepted")" }.joined(separator: "; ")
            }
        }
        #expect(count > 150)
        let listed = Set(Self.bytesLeftToProcessor.values.joined())
        for (name, reasons) in left { #expect(listed.contains(name), "\(name): \(reasons)") }
        for name in listed { #expect(left[name] != nil, "\(name) is not left to the processor") }
    }
}
