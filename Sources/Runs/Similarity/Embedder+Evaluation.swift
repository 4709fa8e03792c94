import Datasets
import Platform
import Predicting
import Vision

extension Embedder {
    /// Embeds every labelled picture of a dataset, and looks for its label among the pictures that are most like it.
    ///
    /// The vectors are kept in memory.
    ///
    /// - Parameters:
    ///   - counts: The numbers of neighbours.
    ///   - progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when no record has a label; otherwise the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, at counts: [Int] = [1, 5, 10], options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> RetrievalEvaluation {
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in record.label }
        var (vectors, labels, done) = ([ImageEmbedding](), [String](), 0)
        for try await record in BatchRunner(self, options: .init(batch: options.batch)).predictions(over: marked) {
            let label = try marked.takeFirst().truth
            done += 1
            if case .success(let embedding) = record.embedding {
                vectors.append(embedding)
                labels.append(label)
            }
            progress(RunProgress(total: nil, succeeded: vectors.count, failed: done - vectors.count, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage(
                "no record has a label: labels come from class folders, a manifest, or names of files")
        }
        var evaluation = try await RetrievalEvaluation(
            of: vectors, labels: labels, at: counts, threads: session.options.threads)
        (evaluation.failedCount, evaluation.unlabelledCount) = (done - vectors.count, marked.unmarkedCount)
        return evaluation
    }
}
