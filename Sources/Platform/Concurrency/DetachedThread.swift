import Foundation

/// A thread that is never joined.
package enum DetachedThread {
    private static let stackByteCount = 8 << 20

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Calls `body` on a new thread.
    ///
    /// - Parameter name: The name that debuggers and `top` show; the system keeps 15 bytes of it.
    /// - Returns: Whether the system could start the thread, which Foundation's `Thread` does not say.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackByteCount)
        let context = Unmanaged.passRetained(
            Body {
                Thread.current.name = name
                body()
            })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        if code != 0 { context.release() }
        return code == 0
    }
}
