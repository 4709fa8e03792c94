import Apus
import FoundationEssentials
import Glibc

/// What the command does where the system refuses memory to code that cannot say so, such as Swift's runtime, whose
/// processes then die of a signal.
enum MemoryShortage {
    /// The stack of each thread in bytes, whatever `ulimit -s` says.
    private static let stackByteCount = 8 << 20

    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT]
    /// What the signals did before, in the order of their numbers.
    nonisolated(unsafe) private static let earlier = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    /// Prepares the process, before it has other threads.
    static func prepare() {
        var attributes = pthread_attr_t()
        if pthread_attr_init(&attributes) == 0 {
            pthread_attr_setstacksize(&attributes, stackByteCount)
            typealias SetDefault = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
            _ = function("pthread_setattr_default_np", as: SetDefault.self)?(&attributes)
            pthread_attr_destroy(&attributes)
        }
        // Each arena of the C library reserves 64 MiB of the address space.
        if MachineMemory.isLimited {
            let arenaMaximum: Int32 = -8  // M_ARENA_MAX of malloc.h
            _ = function("mallopt", as: (@convention(c) (Int32, Int32) -> Int32).self)?(arenaMaximum, 1)
        }
        for number in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = endIfExhausted
            action.sa_flags = SA_ONSTACK
            sigaction(number, &action, earlier + Int(number))
        }
    }

    /// A function of the C library that Swift's module of it does not have.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    /// Ends the process where memory has run out; otherwise lets the signal do what it did before.
    ///
    /// Calls only functions that are safe in handlers of signals.
    private static let endIfExhausted: @convention(c) (Int32) -> Void = { number in
        guard MachineMemory.isExhausted else {
            sigaction(number, MemoryShortage.earlier + Int(number), nil)
            if number == SIGABRT || number == SIGTRAP { raise(number) }
            return
        }
        let message: StaticString = "apus: the system could not provide more memory (see --memory-limit)\n"
        _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
        _exit(ExitStatus.unreadableOrUnwritable.rawValue)
    }
}
