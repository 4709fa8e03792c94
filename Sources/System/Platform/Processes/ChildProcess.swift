import CPipes
import FoundationEssentials
import Glibc
import Synchronization

/// A program that runs beside this process: its output is read through a pipe, and the end of its messages is kept.
///
/// It is started without a shell, in a process group of its own, with no input unless it is asked for. It is killed
/// with its group when nothing refers to it any more.
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
    private let errors: Int32
    /// The end of its standard input that is written; nil where it has none.
    private let input: Int32?
    private let messages = Mutex<[UInt8]>([])
    /// How the program ended, once that is known.
    private let ending = Mutex<Ending?>(nil)

    private enum Ending {
        /// The status of `waitpid`.
        case status(Int32)
        /// The system keeps no status where this process ignores SIGCHLD, and a host may have taken it.
        case unknown
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program, looked for in `PATH`, and its arguments.
    ///   - takesInput: Whether ``write(line:)`` writes to its standard input.
    package init(_ words: [String], takesInput: Bool = false) throws(Failure) {
        program = words.first ?? ""
        guard !program.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
            throw .missing(program: program)
        }
        let inputs = takesInput ? try Self.makePipe(words[0]) : nil
        defer { if let inputs { close(inputs.reading) } }
        do throws(Failure) {
            (identifier, output, errors) = try Self.start(words, input: inputs?.reading)
        } catch {
            if let inputs { close(inputs.writing) }
            throw error
        }
        input = inputs?.writing
    }

    deinit {
        end()
        close(output)
        close(errors)
        if let input { close(input) }
    }

    private static func start(
        _ words: [String], input: Int32?
    ) throws(Failure) -> (identifier: pid_t, output: Int32, errors: Int32) {
        let outputs = try makePipe(words[0])
        let errors: (reading: Int32, writing: Int32)
        do throws(Failure) {
            errors = try makePipe(words[0])
        } catch {
            close(outputs.reading)
            close(outputs.writing)
            throw error
        }
        let (code, started) = spawn(words, input: input, output: outputs.writing, errors: errors.writing)
        close(outputs.writing)
        close(errors.writing)
        guard code == 0 else {
            close(outputs.reading)
            close(errors.reading)
            throw code == ENOENT ? .missing(program: words[0]) : .system(program: words[0], code: code)
        }
        return (started, outputs.reading, errors.reading)
    }

    /// A pipe whose ends no other program gets, and which are not standard streams that are closed in this process.
    private static func makePipe(_ program: String) throws(Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard apus_private_pipe(&ends) == 0 else { throw .system(program: program, code: errno) }
        for index in ends.indices where ends[index] <= STDERR_FILENO {
            let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            let code = errno
            guard moved >= 0 else {
                for end in ends { close(end) }
                throw .system(program: program, code: code)
            }
            close(ends[index])
            ends[index] = moved
        }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ words: [String], input: Int32?, output: Int32, errors: Int32
    ) -> (code: Int32, pid_t) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
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

    /// Writes a short line to the standard input of the program.
    ///
    /// - Returns: Whether it could be written.
    package func write(line: String) -> Bool {
        guard let input else { return false }
        let bytes = Array((line + "\n").utf8)
        return WriteSignals.withheld { Glibc.write(input, bytes, bytes.count) } == bytes.count
    }

    /// The next line of the output, without its end.
    ///
    /// - Parameter end: When waiting ends.
    /// - Returns: Nil when the time is over, or the output has ended.
    /// - Throws: ``ApusError/cancelled`` as ``read(_:until:)``.
    package func readLine(until end: ContinuousClock.Instant, maximumCount: Int) throws(ApusError) -> Data? {
        var line = Data()
        while line.count < maximumCount, let byte = try read(1, until: end), let first = byte.first {
            if first == UInt8(ascii: "\n") { return line }
            line.append(first)
        }
        return nil
    }

    /// Stops the program and those that it started until ``resume()``, so that they take no time of the processor.
    package func pause() { signal(SIGSTOP) }

    /// Lets a program go on that was paused.
    package func resume() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        ending.withLock { ending in if ending == nil, hasEnded == false { kill(-identifier, number) } }
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
            if GracefulStop.isEnding { throw .cancelled }
            let left = end.map { max(0, ($0 - .now) / .milliseconds(1)) } ?? .infinity
            let ready = wait(milliseconds: Int32(min(left, 100).rounded(.up)))
            if ready.errors { keepMessages() }
            guard ready.output else {
                if left == 0 { return nil }
                continue
            }
            let received = Glibc.read(output, &block, min(block.count, count - data.count))
            if received < 0, errno == EINTR || errno == EAGAIN { continue }
            guard received > 0 else { break }
            data.append(contentsOf: block[..<received])
        }
        return data
    }

    /// Waits until the output or the messages can be read, or have ended.
    private func wait(milliseconds: Int32) -> (output: Bool, errors: Bool) {
        var waiting = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: haveMessagesEnded.load(ordering: .relaxed) ? -1 : errors, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waiting, 2, milliseconds) > 0 else { return (false, false) }
        return (waiting[0].revents != 0, waiting[1].revents != 0)
    }

    private let haveMessagesEnded = Atomic<Bool>(false)

    /// Reads the messages that are there, of which the last bytes are kept.
    private func keepMessages() {
        var buffer = [UInt8](repeating: 0, count: Self.keptByteCount)
        var waiting = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
        // A program that writes without end does not keep the caller.
        for _ in 0..<64 where !haveMessagesEnded.load(ordering: .relaxed) && poll(&waiting, 1, 0) > 0 {
            let count = Glibc.read(errors, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return haveMessagesEnded.store(true, ordering: .relaxed) }
            messages.withLock { $0 = ($0 + buffer[..<count]).suffix(Self.keptByteCount) }
        }
    }

    /// Ends the program where it still runs.
    package func end() {
        ending.withLock { ending in
            if ending == nil { ending = takeEnding() }
        }
    }

    /// Kills the program and those that it started, and takes its status.
    private func takeEnding() -> Ending {
        // Until its status is taken, no other process has its number. Without a status, another one may.
        guard hasEnded != nil else { return .unknown }
        kill(-identifier, SIGKILL)
        var code: Int32 = 0
        while waitpid(identifier, &code, 0) < 0 {
            guard errno == EINTR else { return .unknown }
        }
        return .status(code)
    }

    /// Whether the program has ended and its status can be taken; nil when there is none to take.
    private var hasEnded: Bool? {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT | WNOHANG) < 0 {
            guard errno == EINTR else { return nil }
        }
        return information.si_signo != 0
    }

    /// Waits for the end of the program, whose output has ended.
    ///
    /// - Parameter limit: How long it is waited for before it is killed.
    /// - Returns: Why it failed, in a few words; nil where it ended with 0.
    package func failure(within limit: Duration = .seconds(5)) -> String? {
        guard case .status(let code) = awaitEnding(limit) else {
            return "the status of \(program) is unknown: this process ignores SIGCHLD, or waits for all its children"
        }
        let signal = code & 0x7F
        if signal != 0 { return "\(program) was ended by signal \(signal)\(messageText)" }
        let exit = code >> 8 & 0xFF
        return exit == 0 ? nil : "\(program) ended with status \(exit)\(messageText)"
    }

    /// Waits for the end of the program, whose output is not read.
    ///
    /// - Parameter limit: How long it is waited for before it is killed.
    /// - Returns: The signal that ended it, SIGKILL where it was killed; nil where no signal did.
    package func endingSignal(within limit: Duration) -> Int32? {
        guard case .status(let code) = awaitEnding(limit) else { return nil }
        return code & 0x7F == 0 ? nil : code & 0x7F
    }

    private func awaitEnding(_ limit: Duration) -> Ending {
        let start = ContinuousClock.now
        return ending.withLock { ending in
            if let ending { return ending }
            while hasEnded == false, .now - start < limit {
                keepMessages()
                usleep(1000)
            }
            let taken = takeEnding()
            ending = taken
            return taken
        }
    }

    /// The last lines that the program wrote to standard error, joined, of at most 300 characters; empty for none.
    ///
    /// What another program writes there that it started and that lives on is not waited for.
    package var lastMessages: String {
        keepMessages()
        let text = String(decoding: messages.withLock { $0 }, as: UTF8.self)
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
