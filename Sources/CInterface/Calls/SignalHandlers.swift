import Glibc

/// The handlers of signals, which belong to the caller's program.
enum SignalHandlers {
    /// Calls `body`, and puts back the handlers of all signals, which drivers of devices change when they are loaded.
    static func preserving<Value>(_ body: () throws -> Value) rethrows -> Value {
        let before = (1..<NSIG).map { signal in
            var action = sigaction()
            return sigaction(signal, nil, &action) == 0 ? (signal, action) : nil
        }
        defer {
            for case (let signal, var action)? in before { sigaction(signal, &action, nil) }
        }
        return try body()
    }
}
