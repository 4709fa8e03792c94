import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Every case on every backend", .ownThreads)
struct ConformanceCaseTests {
    /// Cases whose results on a backend differ, with reasons. A case that passes must be removed from this list.
    static let ignored: [String: [String: String]] = [:]

    /// Float32 cases, of operators with kernels, that the processor leaves to the reference, by reason. A case that
    /// gets a kernel must be removed from this list.
    static let leftToReference: [String: [String]] = [
        "kernels take one or two spatial axes": [
            "MaxPool/3 axes", "AveragePool/3 axes", "AveragePool/3 axes, padding counts",
        ],
        "an axis is cropped by more than it has": ["Pad/nothing is left of the input"],
        "no axis is reduced": [
            "ReduceL1/no axes, no operation", "ReduceL2/no axes, no operation", "ReduceMean/no axes, no operation",
            "ReduceSumSquare/no axes, no operation", "ReduceLogSum/no axes, no operation",
            "ReduceLogSumExp/no axes, no operation",
        ],
        "a mask of one column that the network computes may not be finite": ["Attention/bias [4, 1, 1]"],
        "a value is empty": ["MatMulNBits/no rows", "QuantizedMatMul/no rows"],
        "sizes that name the batch hold for no single image": [
            "Resize/cubic, down", "Resize/linear align corners, down", "Resize/linear antialiased, down",
            "Resize/linear asymmetric, down", "Resize/linear, down", "Resize/nearest asymmetric floor, down",
            "Resize/nearest, down",
        ],
        "several axes normalised together are rare": ["Softmax/[2, 5, 3, 4] from axis 1"],
    ]

    /// Operators that the reference runs in float32, in all cases or in some. Any other operator needs kernels for all
    /// of its cases; one that gets them must be removed from this list.
    static let withoutKernel: Set<String> = [
        "AffineGrid", "Attention", "CausalConvWithState", "CenterCropPad", "Col2Im", "ConvTranspose",
        "DeformConv", "DequantizeLinear", "Einsum", "EyeLike", "GlobalLpPool", "GridSample",
        "GroupNormalization", "Hardmax", "LinearAttention", "LogSoftmax", "LpNormalization", "LpPool",
        "MaxRoiPool", "MaxUnpool", "Mean", "MeanVarianceNormalization", "Mod", "OneHot", "ReverseSequence",
        "RoiAlign", "RotaryEmbedding", "ScatterElements", "ScatterND", "SwiGLU", "TensorScatter", "Trilu",
    ]

    @Test("A plan of one node gives what the operator's own evaluation gives", arguments: BackendChain.all)
    func agrees(_ chain: BackendChain) throws {
        let ignored = Self.ignored[chain.name] ?? [:]
        for conformanceCase in ConformanceCases.all {
            let isIgnored = ignored[conformanceCase.name] != nil
            do {
                let difference = try difference(conformanceCase, chain)
                #expect(
                    (difference == nil) != isIgnored,
                    "\(conformanceCase.name): \(difference ?? "agrees, so take it off the list")")
            } catch {
                Issue.record("\(conformanceCase.name), seed \(conformanceCase.seed): \(error)")
            }
        }
        for name in ignored.keys { #expect(ConformanceCases.find(name) != nil, "no case is called \(name)") }
    }

    /// The first difference; nil when everything is within the case's tolerance.
    private func difference(_ conformanceCase: ConformanceCase, _ chain: BackendChain) throws -> String? {
        let graph = try conformanceCase.makeGraph()
        let inputs = try conformanceCase.givenInputs()
        let outputs = try chain.plan(graph, for: inputs).outputs(inputs)
        let expected = try conformanceCase.expectedOutputs()
        for (index, (output, expected)) in zip(outputs, expected).enumerated() {
            guard output.shape == expected.shape, output.elementType == expected.elementType else {
                return "output \(index) is \(output.elementType)\(output.shape), "
                    + "not \(expected.elementType)\(expected.shape)"
            }
            let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
            for (position, pair) in pairs.enumerated()
            where !conformanceCase.tolerance.accepts(pair.0, expected: pair.1)
                && !(chain.usesDevice && ConformanceCase.Tolerance.device.accepts(pair.0, expected: pair.1))
            {
                return "output \(index), element \(position) is \(pair.0), not \(pair.1); seed \(conformanceCase.seed)"
            }
        }
        return outputs.count == graph.outputs.count ? nil : "\(outputs.count) outputs"
    }

    /// Operators that may apply an activation, but not to numbers that a case could choose, by reason.
    static let withoutExtremes: [String: [String]] = [
        "weights are quantized, so that not every number can be a result": ["MatMulNBits"]
    ]

    @Test("Every operator that applies an activation does so to extreme numbers")
    func appliesActivations() {
        let operators = Operators.all.filter { $0 is any ActivationFusing.Type }.map { $0.name }
        let given = ConformanceCases.operatorsWithActivation.union(Self.withoutExtremes.values.joined())
        #expect(Set(operators) == given)
    }

    @Test("The processor runs every operator, but those that are known to have no kernel")
    func usesKernels() throws {
        var used: [String: Int] = [:]
        var operatorsLeft: Set<String> = []
        var left: [String: String] = [:]
        for conformanceCase in ConformanceCases.all {
            let isFloat = try conformanceCase.expectedOutputs()[0].elementType == .float32
            let inputs = try conformanceCase.givenInputs()
            let graph = try conformanceCase.makeGraph()
            for chain in BackendChain.openBLAS {
                for layer in try chain.plan(graph, for: inputs).layers where layer.backend == "openblas" {
                    used[layer.lowering, default: 0] += 1
                }
            }
            let plan = try BackendChain.cpu.plan(graph, for: inputs)
            let name = type(of: conformanceCase.operation).name
            for layer in plan.layers {
                if layer.backend == "cpu" { used[layer.lowering, default: 0] += 1 }
                guard isFloat, layer.backend != "cpu" else { continue }
                if Self.withoutKernel.contains(name) {
                    operatorsLeft.insert(name)
                } else {
                    left[conformanceCase.name] =
                        "chosen \(layer.microseconds) µs over "
                        + layer.considered.map { "\($0.lowering): \($0.reason ?? "\($0.microseconds ?? 0) µs")" }
                        .joined(separator: "; ")
                }
            }
        }
        let listed = Set(Self.leftToReference.values.joined())
        for (name, reasons) in left { #expect(listed.contains(name), "\(name): \(reasons)") }
        for name in listed { #expect(left[name] != nil, "\(name) is not left to the reference") }
        #expect(
            operatorsLeft == Self.withoutKernel,
            "some operator of the list has kernels for all of its cases of float32, or no such case")
        for lowering in CPUBackend().lowerings + BackendChain.openBLAS.flatMap({ $0.backends[0].lowerings }) {
            #expect(used[lowering.name, default: 0] > 0, "no case is run by \(lowering.name)")
        }
    }
}

extension ConformanceCase.Tolerance {
    /// The tolerance for float32 values on a device.
    fileprivate static let device = Self(relative: 1e-3, absolute: 1e-5)
}
