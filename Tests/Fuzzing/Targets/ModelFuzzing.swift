import CPUBackend
import Formats
import Foundation
import Graphs
import Planning
import Tensors

/// Reads a model file, then simplifies, plans and runs it as far as possible.
enum ModelFuzzing {
    /// The maximum number of operations of a model that is run, so that there is time for many small models.
    private static let maximumOperationCount = 20_000_000

    static func run(_ bytes: [UInt8]) throws {
        let content = ModelContent(Data(bytes))
        let coreML = CoreMLFormat()
        if coreML.recognizes(content) { _ = try? coreML.importFeatures(content, folder: nil) }
        let formats: [any ModelFormat] = [coreML, TFLiteFormat()]
        let format = formats.first { $0.recognizes(content) } ?? ONNXFormat()
        if format is TFLiteFormat { _ = try? format.importModel(content, folder: nil) }
        let graph = try format.read(content, folder: nil)
        let decluttered = try Rewrites.declutter(graph).graph
        _ = try? ONNXFormat().write(decluttered)
        var symbols: [String: Int] = [:]
        for id in decluttered.inputs {
            for case .symbol(let name) in decluttered[id].shape?.dimensions ?? [] { symbols[name] = 2 }
        }
        let shapes = try decluttered.inputShapes(binding: symbols)
        let work = try decluttered.costs(inputShapes: shapes).reduce(0) { sum, cost in
            let (total, overflow) = sum.addingReportingOverflow(cost.operationCount)
            return overflow ? .max : total
        }
        guard work < maximumOperationCount else { return }
        let inputs = try zip(decluttered.inputs, shapes).map { id, shape in
            try Tensor(zeros: decluttered[id].elementType ?? .float32, shape: shape)
        }
        let plan = try Planner(backends: [CPUBackend(), ReferenceBackend()], threadCount: 1)
            .plan(decluttered, inputShapes: shapes, packedWeights: PackedWeights())
        guard let pool = ThreadPool(count: 1) else { return }
        _ = try Execution(workers: pool).run(plan, inputs: inputs)
    }
}
