import Platform
import Testing

/// Runs tests on threads of their own. What compiles programs for a device, computes for long, or calls the C library
/// blocks its thread, which must not be one of Swift's cooperative pool: other tests wait for those.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    private let prepare: @Sendable () -> Void

    /// - Parameter prepare: What is done before each suite and test.
    package init(prepare: @escaping @Sendable () -> Void = {}) {
        self.prepare = prepare
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        prepare()
        guard testCase != nil else { return try await function() }
        let thread = try BlockingExecutor(name: "test", role: .tasks(threadCount: 1))
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    package static var ownThreads: OwnThreads { OwnThreads() }
}
