import CInterface
import Platform
import Testing

/// Runs tests on threads of their own. Functions of the C library block the threads that call them, which must not be
/// those of Swift's cooperative pool. The library leaves the limit on memory as it is, since other suites run in
/// the same process at the same time.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        MemoryRestriction.keepLimit()
        guard testCase != nil else { return try await function() }
        let thread = try BlockingExecutor(name: "test", role: .tasks(threadCount: 1))
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    static var ownThreads: OwnThreads { OwnThreads() }
}
