import Apus
import CPUBackend
import ConformanceCases
import Formats
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Tensors

/// Runs whole networks on a device, and compares them with the processor and with the outputs of ONNX's light models.
struct DeviceNetworks {
    private let device: [any Backend]
    private let processor: [any Backend] = [CPUBackend(), ReferenceBackend()]
    private let fixtures: URL
    private let execution: Execution

    init(_ device: OpenCLDevice, fixtures: String) throws {
        self.device = [OpenCLBackend(device), CPUBackend(), ReferenceBackend()]
        self.fixtures = URL(fileURLWithPath: fixtures)
        execution = Execution(workers: try CheckThreads.make())
    }

    /// Runs the networks and returns the number of those that differ.
    func run(_ names: [String]) throws -> Int {
        let light = fixtures.appending(path: "light")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: light.path)) ?? []
        let models = files.filter { $0.hasSuffix(".onnx") }.sorted()
        var failed = 0
        for name in names { failed += report("zoo:\(name)") { try zooDifference(name) } }
        for name in models { failed += report(name) { try lightDifference(light.appending(path: name)) } }
        let lightNote = models.isEmpty ? "; no light models of ONNX are here" : ""
        print("networks    \(names.count + models.count - failed) of \(names.count + models.count) agree\(lightNote)")
        return failed
    }

    private func report(_ name: String, _ body: () throws -> String?) -> Int {
        do {
            guard let difference = try body() else { return 0 }
            print("network \(name): \(difference)")
        } catch {
            print("network \(name): \(error)")
        }
        return 1
    }

    private func outputs(_ graph: Graph, _ inputs: [Tensor], _ backends: [any Backend]) throws -> [Tensor] {
        let plan = try Planner(backends: backends, threadCount: 2, deviceUse: .wherePossible)
            .plan(graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        return try execution.run(plan, inputs: inputs)
    }

    private func zooDifference(_ name: String) throws -> String? {
        guard let network = Networks.find(name) else { return "there is no such network" }
        let graph = try network.build().seeded(5)
        var generator = SplitMix64(seed: 11)
        let inputs = try graph.inputs.map { id in
            let extents = (graph[id].shape?.dimensions ?? []).map { $0.value ?? 2 }
            let values = (0..<extents.reduce(1, *)).map { _ in Float.random(in: -2...2, using: &generator) }
            return try Tensor(values, shape: extents)
        }
        let (found, expected) = (try outputs(graph, inputs, device), try outputs(graph, inputs, processor))
        for (found, expected) in zip(found, expected) {
            let comparison = TensorComparison(found, expected, relative: 1e-3, absolute: 1e-5)
            if let difference = comparison.difference { return difference }
        }
        return nil
    }

    /// The difference of a light model, or nil. Inputs are 0, 1, 2, … divided by their number, as in ONNX's test
    /// runner.
    private func lightDifference(_ file: URL) throws -> String? {
        let answer = file.deletingPathExtension().path + "_output_0.pb"
        let graph = try ONNXFormat().read(try Data(contentsOf: file), folder: nil)
        let inputs = try graph.inputs.map { id in
            let extents = (graph[id].shape?.dimensions ?? []).map { $0.value ?? 1 }
            let count = extents.reduce(1, *)
            return try Tensor((0..<count).map { Float(Double($0) / Double(count)) }, shape: extents)
        }
        let expected = try ONNXFormat().readTensor(try Data(contentsOf: URL(fileURLWithPath: answer))).tensor
        return TensorComparison(try outputs(graph, inputs, device)[0], expected, relative: 1e-3, absolute: 1e-7)
            .difference
    }
}

/// Compares SqueezeNet's five best classes for each photo on the device with those on the processor.
struct DevicePhotos {
    private let arguments: CheckArguments

    init(_ arguments: CheckArguments) { self.arguments = arguments }

    /// Classifies the photos and returns the number of those whose classes differ.
    func run() async throws -> Int {
        let fixtures = URL(fileURLWithPath: arguments.fixtures)
        let photos = fixtures.appending(path: "photos").path
        let names = try FileManager.default.contentsOfDirectory(atPath: photos).sorted()
            .filter { $0.hasSuffix(".png") || $0.hasSuffix(".jpg") }
        let model = try Model(contentsOf: fixtures.appending(path: "models/squeezenet1_1.onnx").path)
        func classifier(_ backend: BackendName) async throws -> Classifier {
            let options = Session.Options(
                backends: [backend], device: "\(arguments.device)", threads: 2, tuning: .none)
            return try await Classifier(model, options: options)
        }
        let (onDevice, onProcessor) = (try await classifier(.opencl), try await classifier(.cpu))
        var failed = 0
        for name in names {
            let found = try await onDevice.predict(.file("\(photos)/\(name)")).top(5).map(\.index)
            let expected = try await onProcessor.predict(.file("\(photos)/\(name)")).top(5).map(\.index)
            guard found != expected else { continue }
            print("photo \(name): classes \(found), not \(expected)")
            failed += 1
        }
        print("photos      \(names.count - failed) of \(names.count) have the same five best classes")
        return failed
    }
}
