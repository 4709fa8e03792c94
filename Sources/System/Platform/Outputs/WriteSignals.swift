import Glibc

/// The signals by which a write can end the process: of a pipe whose reader has left, and of a file at its limit.
package enum WriteSignals {
    /// Calls `body`, which writes, so that what it meets becomes an error of the call and no signal. The handlers of
    /// the signals, which belong to the host, and the mask of the thread stay as they are.
    package static func withheld(_ body: () -> Int) -> Int {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        var waiting = sigset_t()
        sigpending(&waiting)
        let count = body()
        let code = errno
        // The signal of a write waits for the thread that wrote. One that waited before is another's.
        if count < 0, let signal = code == EPIPE ? SIGPIPE : code == EFBIG ? SIGXFSZ : nil,
            sigismember(&waiting, signal) == 0
        {
            var own = sigset_t()
            sigemptyset(&own)
            sigaddset(&own, signal)
            var none = timespec()
            while sigtimedwait(&own, nil, &none) < 0, errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
    }
}
