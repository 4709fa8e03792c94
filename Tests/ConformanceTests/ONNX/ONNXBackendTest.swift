import Apus
import ConformanceCases
import Formats
import Foundation

/// One of ONNX's own tests: a model, inputs, and the expected outputs.
struct ONNXBackendTest: Sendable {
    enum Outcome: Sendable {
        case passed
        /// No node runs on the requested backend.
        case notApplicable
        case failed(String)
    }

    /// Such as `node/test_relu`.
    let name: String
    let folder: URL

    /// Tests of one version of PyPI's package onnx, in the folder that `make test-models` makes.
    struct Version: Sendable {
        let folder: String
        let groups: [String]
    }

    /// The versions. ``LightModelTests`` reads the light models. The newer version has only tests that are missing or
    /// different in the older one.
    static let versions = [
        Version(folder: "onnx-1.20.1", groups: ["node", "pytorch-converted", "pytorch-operator", "simple"]),
        Version(folder: "onnx-1.23.2", groups: ["newer"]),
    ]

    /// All tests of a version that were fetched.
    static func fetched(_ version: Version) throws -> [ONNXBackendTest] {
        try version.groups.flatMap { group -> [ONNXBackendTest] in
            guard let folder = try FetchedModels.file("\(version.folder)/\(group)") else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .map { ONNXBackendTest(name: "\(group)/\($0)", folder: folder.appending(path: $0)) }
        }
    }

    init(name: String, folder: URL) {
        (self.name, self.folder) = (name, folder)
    }

    /// A test of the older version.
    init(fetched name: String) {
        let root = FetchedModels.folder.appending(path: Self.versions[0].folder)
        self.init(name: name, folder: root.appending(path: name))
    }

    /// Runs the test in a session on `backend`.
    func outcome(on backend: BackendName) async -> Outcome {
        do {
            let model = try Model(contentsOf: folder.appending(path: "model.onnx").path)
            let session = try await Session(model, options: .init(backends: [backend], threads: 1, tuning: .none))
            var set = 0
            while FileManager.default.fileExists(atPath: data(set).path) {
                let names = model.graph.inputs.map { model.graph[$0].name }
                let inputs = try tensors(data(set), "input")
                guard inputs.count == names.count else {
                    return .failed("\(inputs.count) inputs are given for \(names.count)")
                }
                let values = Dictionary(zip(names, inputs)) { first, _ in first }
                if backend == .opencl, set == 0 {
                    let plan = try await session.plan(forInputs: values.mapValues(\.shape))
                    guard plan.layers.contains(where: { $0.backend == backend.rawValue }) else { return .notApplicable }
                }
                let found = try await session.predict(values)
                if let difference = try difference(found, model, try tensors(data(set), "output")) {
                    return .failed(difference)
                }
                set += 1
            }
            return set == 0 ? .failed("the test has no data") : .passed
        } catch {
            return .failed("\(error)")
        }
    }

    private func data(_ set: Int) -> URL { folder.appending(path: "test_data_set_\(set)") }

    private func difference(
        _ found: [String: Tensor], _ model: Model, _ expected: [Tensor]
    ) throws -> String? {
        let names = model.graph.outputs.map { model.graph[$0].name }
        guard names.count == expected.count else { return "gives \(names.count) outputs, not \(expected.count)" }
        for (name, tensor) in zip(names, expected) {
            guard let answer = found[name] else { return "output \(name) is missing" }
            if let difference = TensorComparison(answer, tensor).difference { return "output \(name): \(difference)" }
        }
        return nil
    }

    private func tensors(_ folder: URL, _ stem: String) throws -> [Tensor] {
        var tensors: [Tensor] = []
        while true {
            let file = folder.appending(path: "\(stem)_\(tensors.count).pb")
            guard FileManager.default.fileExists(atPath: file.path) else { return tensors }
            tensors.append(try ONNXFormat().readTensor(try Data(contentsOf: file)).tensor)
        }
    }
}
