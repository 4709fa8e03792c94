import Apus
import Foundation
import Graphs
import Testing
import TestSupport

/// ONNX's own tests, through the public API.
///
/// `APUS_ONNX_TESTS=node/test_if*` selects matching tests, prints the name of each before it runs, and every failure.
@Suite("ONNX's backend tests", .ownThreads, .serialized)
struct ONNXBackendTests {
    /// After this time a test hangs. It is so long because other tests take the processor meanwhile.
    private static let timeLimit = Duration.seconds(1800)
    private static let openCL = BackendName.opencl

    private static var backends: [BackendName] {
        [.reference, .cpu] + (BackendChain.openCL.isEmpty ? [] : [openCL])
    }

    @Test("A backend gives the outputs that come with the tests", arguments: backends)
    func agrees(_ backend: BackendName) async throws {
        let exclusions = try ONNXExclusions()
        let selection = ProcessInfo.processInfo.environment["APUS_ONNX_TESTS"].map {
            ONNXExclusions.Entry(pattern: $0, kind: .missing, reason: "")
        }
        var used: Set<Int> = []
        var count = 0
        for version in ONNXBackendTest.versions {
            let tests = try ONNXBackendTest.fetched(version).filter { selection?.matches($0.name) ?? true }
            count += tests.count
            print(try await report(tests, of: version, on: backend, exclusions, &used, isVerbose: selection != nil))
        }
        guard selection == nil, count > 0 else { return }
        for (index, entry) in exclusions.entries.enumerated() {
            #expect(used.contains(index), "exclusions.txt: no test is named \(entry.pattern)")
        }
    }

    /// Runs tests and checks that exactly those pass that are not excluded.
    private func report(
        _ tests: [ONNXBackendTest], of version: ONNXBackendTest.Version, on backend: BackendName,
        _ exclusions: ONNXExclusions, _ used: inout Set<Int>, isVerbose: Bool
    ) async throws -> String {
        var report = ONNXReport(version: version.folder, backend: backend.rawValue)
        for test in tests {
            let exclusion = exclusions.first(for: test)
            if let exclusion { used.insert(exclusion) }
            if isVerbose { print("\(backend) \(test.name)") }
            let outcome = await Self.outcome(of: test, on: backend)
            let reason = exclusion.map { exclusions.entries[$0].reason }
            report.add(test, outcome, exclusion.map { exclusions.entries[$0].kind })
            switch outcome {
            case .passed where backend != Self.openCL:
                #expect(reason == nil, "\(test.name) passes on \(backend); take \"\(reason ?? "")\" off exclusions.txt")
            case .failed(let message):
                if isVerbose { print("  \(message)") }
                #expect(reason != nil, "\(test.name) on \(backend): \(message)")
            case .passed, .notApplicable: break
            }
        }
        return report.description
    }

    /// The outcome, or a failure when the time is up; the run then goes on in the background.
    private static func outcome(of test: ONNXBackendTest, on backend: BackendName) async -> ONNXBackendTest.Outcome {
        let (outcomes, continuation) = AsyncStream.makeStream(of: ONNXBackendTest.Outcome.self)
        let run = Task.detached { continuation.yield(await test.outcome(on: backend)) }
        let clock = Task.detached {
            try await Task.sleep(for: timeLimit)
            continuation.yield(.failed("takes more than \(timeLimit)"))
        }
        defer {
            run.cancel()
            clock.cancel()
        }
        for await outcome in outcomes { return outcome }
        return .failed("gives no outcome")
    }
}
