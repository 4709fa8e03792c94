import Glibc
import Synchronization

/// A thread that is never joined.
package enum DetachedThread {
    private static let stackByteCount = 8 << 20
    private static let names = Mutex<[pthread_t: String]>([:])

    /// The name with which the calling thread was started here; nil for other threads.
    package static var currentName: String? { names.withLock { $0[pthread_self()] } }

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Calls `body` on a new thread.
    ///
    /// - Parameter name: The name that debuggers and `top` show; the system keeps 15 bytes of it.
    /// - Returns: Whether the system could start the thread, which `Thread` of Foundation does not say.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackByteCount)
        let context = Unmanaged.passRetained(
            Body {
                setName(name)
                defer { names.withLock { $0[pthread_self()] = nil } }
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

    private static func setName(_ name: String) {
        names.withLock { $0[pthread_self()] = name }
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = name.utf8CString.withUnsafeBytes { write(descriptor, $0.baseAddress, name.utf8.count) }
        close(descriptor)
    }
}
