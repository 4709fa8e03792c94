#if canImport(Glibc)
    import Glibc
#endif
import Synchronization

/// The variables of the process. Those of a host are never changed, since its other threads may read them meanwhile.
package enum ProcessEnvironment {
    private static let isOwn = Atomic<Bool>(false)

    /// Says that the process is the command's own.
    package static func own() { isOwn.store(true, ordering: .relaxed) }

    /// Calls `body` while variables have these values (none for nil), and puts back those before. In a host's process
    /// they keep the host's values.
    package static func setting<Result>(_ variables: [String: String?], _ body: () -> Result) -> Result {
        guard isOwn.load(ordering: .relaxed) else { return body() }
        let before = variables.keys.map { name in (name, getenv(name).map { String(cString: $0) }) }
        for (name, value) in variables { set(name, value) }
        defer { for (name, value) in before { set(name, value) } }
        return body()
    }

    /// Whether variables can be set, as in the command.
    package static var canBeSet: Bool { isOwn.load(ordering: .relaxed) }

    private static func set(_ name: String, _ value: String?) {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}
