import Platform
import Testing

/// Runs tests on threads of their own. What compiles programs for a device, or computes for long, blocks the thread
/// that calls it, which must not be one of Swift's cooperative pool: other tests wait for those.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let thread = try BlockingExecutor(name: "test", role: .tasks(threadCount: 1))
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    static var ownThreads: OwnThreads { OwnThreads() }
}
