import Glibc

/// The handlers of signals, which belong to the caller's program.
enum SignalHandlers {
    /// Calls `body`, and puts back the handlers that it changes, as drivers of devices do when they are loaded. Others
    /// are not touched, since another thread may set them meanwhile.
    static func preserving<Value>(_ body: () throws -> Value) rethrows -> Value {
        let before = (1..<NSIG).map { ($0, action(of: $0)) }
        defer {
            for case (let signal, var action?) in before where !isSame(action, self.action(of: signal)) {
                sigaction(signal, &action, nil)
            }
        }
        return try body()
    }

    /// What a signal does; nil for signals that belong to the system's library.
    private static func action(of signal: Int32) -> sigaction? {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0 ? action : nil
    }

    /// Whether two actions have the same handler, flags and mask. The kernel fills a bit of the mask for each signal.
    private static func isSame(_ first: sigaction, _ second: sigaction?) -> Bool {
        guard var mask = second?.sa_mask, let second, first.sa_flags == second.sa_flags else { return false }
        var other = first.sa_mask
        // The union of both forms of a handler has the size of an address.
        let handlers = [first, second].map { unsafeBitCast($0.__sigaction_handler, to: UInt.self) }
        return handlers[0] == handlers[1] && memcmp(&mask, &other, Int(NSIG) / 8) == 0
    }
}
