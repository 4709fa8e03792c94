import ConformanceCases
import Formats
import Foundation
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Whole networks", .ownThreads, .serialized)
struct LightModelTests {
    private static let names = [
        "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19",
        "zfnet512",
    ]

    /// The input that ONNX's own test runner gives: 0, 1, 2, … divided by their number.
    private func ramp(_ shape: [Int]) throws -> Tensor {
        let count = shape.reduce(1, *)
        return try Tensor((0..<count).map { Float(Double($0) / Double(count)) }, shape: shape)
    }

    @Test("ONNX's light models give the outputs that come with them", arguments: BackendChain.all, names)
    func agreesWithONNX(_ chain: BackendChain, _ name: String) throws {
        guard let file = try FetchedModels.file("onnx-1.20.1/light/light_\(name).onnx"),
            let answer = try FetchedModels.file("onnx-1.20.1/light/light_\(name)_output_0.pb")
        else { return }
        var graph = try ONNXFormat().read(try Data(contentsOf: file), folder: nil)
        let inputs = try graph.inputShapes(binding: ["N": 1]).map { try ramp($0) }
        var expected = try ONNXFormat().readTensor(try Data(contentsOf: answer)).tensor
        if name == "squeezenet", chain.name == "openblas" {
            // All classes have the sum 9 · 10⁹, where adjacent float32 numbers are 1024 apart. On some processors
            // OpenBLAS adds the last columns in another order, and Softmax turns the lower sums into 0. Therefore the
            // sums are compared.
            let softmax = try #require(graph.nodes.first { $0.outputs == graph.outputs })
            graph.outputs = [try #require(softmax.inputs[0])]
            expected = try BackendChain([ReferenceBackend()]).plan(graph, for: inputs).outputs(inputs)[0]
        }
        let plan = try chain.plan(graph, for: inputs)
        let outputs = try plan.outputs(inputs)
        #expect(outputs.count == 1)
        let difference = TensorComparison(outputs[0], expected, relative: 1e-3, absolute: 1e-7).difference
        #expect(difference == nil, "\(name) on \(chain.name): \(difference ?? "")")
        if chain.name == "cpu" {
            let others = Set(plan.layers.filter { $0.backend != "cpu" }.map(\.operatorName))
            print("LightModelTests: \(name) leaves to the reference: \(others.sorted())")
            #expect(
                others.isDisjoint(with: [
                    "Conv", "Conv + Relu", "Conv + Add + Relu", "Gemm", "MatMul", "MaxPool", "AveragePool", "Concat",
                ]))
        }
    }

    @Test("open-nsfw, which takes channels-last pictures, is the same on the processor and on the reference")
    func agreesOnPictures() throws {
        guard let file = try FetchedModels.file("opennsfw/open-nsfw.onnx") else { return }
        let graph = try ONNXFormat().read(try Data(contentsOf: file), folder: nil)
        let shapes = try graph.inputs.map { id in
            try #require(graph[id].shape).dimensions.map { $0.value ?? 1 }
        }
        var generator = SplitMix64(seed: 11)
        let inputs = try shapes.map { shape in
            try Tensor(
                (0..<shape.reduce(1, *)).map { _ in Float.random(in: -120...130, using: &generator) }, shape: shape)
        }
        let outputs = try BackendChain.all.map { try $0.plan(graph, for: inputs).outputs(inputs)[0] }
        #expect(abs(outputs[0].elements(as: Double.self).reduce(0, +) - 1) < 1e-3)
        for output in outputs.dropFirst() {
            let difference = TensorComparison(output, outputs[0], relative: 1e-3, absolute: 1e-6).difference
            #expect(difference == nil, "seed 11: \(difference ?? "")")
        }
    }
}
