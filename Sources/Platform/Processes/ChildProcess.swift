import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// A program that runs beside this process: its output is read through a pipe, and the end of its messages is kept.
///
/// It is started without a shell, in a process group of its own, with no input. It is killed with its group when
/// nothing refers to it any more.
package final class ChildProcess: Sendable {
    /// Why a program could not be started.
    package enum Failure: Error, Equatable {
        /// No program of this name is in the folders of `PATH`.
        case missing(program: String)
        case system(program: String, code: Int32)

        /// What is wrong, in a few words.
        package var message: String {
            switch self {
            case .missing(let program): "the program \(program.printable) is not installed"
            case .system(let program, let code):
                "the program \(program.printable) cannot be started: \(FileContent.systemMessage(code))"
            }
        }
    }

    private static let keptByteCount = 4096

    /// The name of the program.
    package let program: String
    private let identifier: pid_t
    private let output: Int32
    private let messages = Messages()
    /// The status of `waitpid` once the program has ended.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameter words: The program, looked for in `PATH`, and its arguments.
    package init(_ words: [String]) throws(Failure) {
        program = words.first ?? ""
        guard !program.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
            throw .missing(program: program)
        }
        let start = try Self.starting.withLock { _ throws(Failure) in try Self.start(words) }
        (identifier, output) = (start.identifier, start.output)
        let descriptor = start.errors
        let isRead = DetachedThread.start(name: "apus-messages") { [messages] in messages.keep(descriptor) }
        if !isRead {
            close(descriptor)
            messages.end.signal()
        }
    }

    deinit {
        end()
        close(output)
    }

    /// Held from when pipes are made until they are closed on exec, so that no other program keeps their ends.
    private static let starting = Mutex<Void>(())

    private static func start(_ words: [String]) throws(Failure) -> (identifier: pid_t, output: Int32, errors: Int32) {
        let outputs = try makePipe(words[0])
        let errors: (reading: Int32, writing: Int32)
        do throws(Failure) {
            errors = try makePipe(words[0])
        } catch {
            close(outputs.reading)
            close(outputs.writing)
            throw error
        }
        let (code, started) = spawn(words, output: outputs.writing, errors: errors.writing)
        close(outputs.writing)
        close(errors.writing)
        guard code == 0 else {
            close(outputs.reading)
            close(errors.reading)
            throw code == ENOENT ? .missing(program: words[0]) : .system(program: words[0], code: code)
        }
        return (started, outputs.reading, errors.reading)
    }

    private static func makePipe(_ program: String) throws(Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(program: program, code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(_ words: [String], output: Int32, errors: Int32) -> (code: Int32, pid_t) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A signal from the terminal is for this process, which ends the program when it is done with it.
        posix_spawnattr_setpgroup(&attributes, 0)
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var identifier = pid_t()
        let code = posix_spawnp(&identifier, words[0], &actions, &attributes, &arguments, environ)
        return (code, identifier)
    }

    /// The end of what a program writes to standard error.
    private final class Messages: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let end = DispatchSemaphore(value: 0)

        /// Reads messages to their end, of which the last bytes are kept.
        func keep(_ descriptor: Int32) {
            var buffer = [UInt8](repeating: 0, count: ChildProcess.keptByteCount)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes.withLock { $0 = ($0 + buffer[..<count]).suffix(ChildProcess.keptByteCount) }
            }
            close(descriptor)
            end.signal()
        }
    }

    /// The next bytes of the output, as many as asked for; fewer at its end.
    ///
    /// - Parameter end: When waiting ends; nil for no limit.
    /// - Returns: Nil when the time is over.
    /// - Throws: ``ApusError/cancelled`` when the task or its run is asked to end while nothing comes.
    package func read(_ count: Int, until end: ContinuousClock.Instant? = nil) throws(ApusError) -> Data? {
        var data = Data()
        var block = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 16))
        while data.count < count {
            if Intake.isEnding { throw .cancelled }
            let left = end.map { ($0 - .now) / .milliseconds(1) } ?? .infinity
            guard left > 0 else { return nil }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(min(left, 100).rounded(.up)))
            guard ready != 0 else { continue }
            let received = Glibc.read(output, &block, min(block.count, count - data.count))
            if received < 0, errno == EINTR || errno == EAGAIN { continue }
            guard received > 0 else { break }
            data.append(contentsOf: block[..<received])
        }
        return data
    }

    /// Ends the program where it still runs.
    package func end() {
        status.withLock { status in
            guard status == nil else { return }
            kill(-identifier, SIGKILL)
            var code: Int32 = 0
            while waitpid(identifier, &code, 0) < 0, errno == EINTR {}
            status = code
        }
    }

    /// Waits for the end of the program, whose output has ended.
    ///
    /// - Parameter limit: How long it is waited for before it is killed.
    /// - Returns: Why it failed, in a few words; nil where it ended with 0.
    package func failure(within limit: Duration = .seconds(5)) -> String? {
        let start = ContinuousClock.now
        let code = status.withLock { status -> Int32 in
            if let status { return status }
            var code: Int32 = 0
            while waitpid(identifier, &code, WNOHANG) == 0 {
                if .now - start > limit { kill(-identifier, SIGKILL) }
                usleep(1000)
            }
            // Programs that it started must not live on.
            kill(-identifier, SIGKILL)
            status = code
            return code
        }
        let signal = code & 0x7F
        if signal != 0 { return "\(program) was ended by signal \(signal)\(messageText)" }
        let exit = code >> 8 & 0xFF
        return exit == 0 ? nil : "\(program) ended with status \(exit)\(messageText)"
    }

    /// The last lines that the program wrote to standard error, joined, of at most 300 characters; empty for none.
    package var lastMessages: String {
        // A program that lives on may keep the pipe open.
        if messages.end.wait(timeout: .now() + 2) == .success { messages.end.signal() }
        let text = String(decoding: messages.bytes.withLock { $0 }, as: UTF8.self)
        // Places in memory differ from run to run.
        let lines = text.replacing(#/ @ 0x[0-9a-f]+/#, with: "").split(whereSeparator: \.isNewline)
            .map(\.trimmed)
        return String(lines.filter { !$0.isEmpty }.suffix(3).joined(separator: "; ").suffix(300)).printable
    }

    private var messageText: String {
        let text = lastMessages
        return text.isEmpty ? "" : ": " + text
    }
}
