import Models
import Platform

extension Comparison {
    /// Makes a comparison from benchmarks of one model, for a page. It has no reference and no planner's choice.
    ///
    /// - Throws: ``ApusError/usage(_:)`` without results.
    package init(_ benchmarks: [BenchmarkResult], of model: Model) throws(ApusError) {
        guard let first = benchmarks.first else { throw .usage("there are no results to show") }
        var layers: [Layer] = []
        // The order of layers is unknown when input extents other than the batch are open.
        if let shapes = model.inputShapes(forBatch: first.configuration.batch) {
            do {
                layers = Layer.all(
                    try ComparedNetwork(model, inputShapes: shapes), benchmarks.map(\.profile),
                    agreements: benchmarks.map { _ in [:] })
            } catch {
                throw ApusError(error, model: model.name)
            }
        }
        let results = benchmarks.map { benchmark in
            ConfigurationResult(
                name: benchmark.configuration.name, benchmark: benchmark,
                ratio: Ratio(benchmark.roundMedians, to: first.roundMedians), residentBytes: nil, agreement: nil)
        }
        self.init(
            model: model.name, version: first.version, batch: first.configuration.batch, inputs: [], isSeeded: true,
            tolerance: 0, results: results, plannersChoice: nil,
            isPlannersChoiceAdded: false, layers: layers, fusedValues: [], reference: "nothing")
    }
}
