import Models
import Platform

/// Benchmarks of one model as a self-contained HTML page.
///
///     try BenchmarkPage(results, of: model).write(to: "report.html")
public struct BenchmarkPage: Sendable {
    private let comparison: Comparison

    /// Makes a page. Results that have a profile are shown layer by layer.
    ///
    /// - Throws: ``ApusError/usage(_:)`` without results.
    public init(_ results: [BenchmarkResult], of model: Model) throws(ApusError) {
        comparison = try Comparison(results, of: model)
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    /// The text of the page.
    public var html: String { ComparisonPage(comparison).html }
}
