import Apus
import Synchronization

/// What a session says of its device, for an output that is there before the session.
final class SessionNotices: Sendable {
    private let current = Mutex<Session?>(nil)

    var session: Session? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    var texts: [String] { session?.notices ?? [] }
}
