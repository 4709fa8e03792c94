import FoundationEssentials
import Glibc
import Platform
import Preparation

/// A command that fetches pictures that are not in files, such as those of a store of objects.
///
///     let fetch = try FetchCommand("aws s3 cp {} -")
///
/// The text is split into words at spaces, except within quotation marks; then `{}` in words becomes the picture's
/// name. No shell reads it. The command writes the picture to its standard output. One that fails is started again,
/// twice, after a second and then two.
public struct FetchCommand: Sendable, Equatable {
    /// The words, with `{}` where the name stands.
    public let words: [String]
    /// The time limit for one attempt.
    public var limit: Duration
    /// How often a command that failed is started again.
    public var retries: Int

    /// Makes a command.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when there is no program, no `{}`, or a quotation mark is not closed.
    public init(_ text: String, limit: Duration = .seconds(60), retries: Int = 2) throws(ApusError) {
        guard let words = Self.split(text) else {
            throw .usage("--fetch-command \(text.printable): a quotation mark is not closed")
        }
        guard let program = words.first, !program.contains("{}"), words.contains(where: { $0.contains("{}") }) else {
            throw .usage(
                "--fetch-command \(text.printable): a program and {}, the place of the name, are needed, such as "
                    + "'aws s3 cp {} -'")
        }
        (self.words, self.limit, self.retries) = (words, limit, retries)
    }

    /// The words of a text; nil when a quotation mark is not closed.
    private static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        return quote == nil ? words : nil
    }

    private static let schemes = ["s3://", "gs://", "http://", "https://"]

    /// Whether a name is one that a command has to fetch.
    static func isRemote(_ name: String) -> Bool { schemes.contains { name.lowercased().hasPrefix($0) } }

    /// The source of a name that is no file.
    static func source(of name: String, _ command: FetchCommand?) -> ImageSource {
        guard let command else {
            return .failure(
                RecordError(
                    stage: "read", code: "remote", message: "is not a file; --fetch-command says how it is fetched"))
        }
        return .deferred { .data(try command.content(of: name)) }
    }

    /// The bytes that the command gives for a name.
    ///
    /// - Throws: ``RecordError`` with the command's last messages; ``ApusError/cancelled``.
    func content(of name: String) throws -> Data {
        var attempt = 0
        while true {
            do throws(Attempt) {
                return try attemptContent(of: name)
            } catch {
                switch error {
                case .cancelled: throw ApusError.cancelled
                case .final(let failure): throw failure
                case .failed(let failure):
                    guard attempt < retries else { throw failure }
                    attempt += 1
                    try Self.wait(.seconds(attempt))
                }
            }
        }
    }

    private enum Attempt: Error {
        case cancelled
        case failed(RecordError)
        /// Another attempt would give the same.
        case final(RecordError)
    }

    private func attemptContent(of name: String) throws(Attempt) -> Data {
        func failure(_ code: String, _ message: String) -> RecordError {
            RecordError(stage: "read", code: code, message: message)
        }
        let process: ChildProcess
        do throws(ChildProcess.Failure) {
            process = try ChildProcess(words.map { $0.replacing("{}", with: name) })
        } catch {
            throw .final(failure("program", error.message))
        }
        let end = min(.now + limit, BlockingExecutor.deadline ?? .now + limit)
        let data: Data?
        do throws(ApusError) {
            data = try process.read(FileContent.maximumPictureByteCount + 1, until: end)
        } catch {
            throw .cancelled
        }
        guard let data else {
            process.end()
            throw .failed(failure("deadline", "\(process.program) did not end within \(limit / .seconds(1)) s"))
        }
        guard data.count <= FileContent.maximumPictureByteCount else {
            throw .final(failure("too-large", "\(process.program) gives more than a picture may have"))
        }
        if let message = process.failure() { throw .failed(failure("fetch", message)) }
        guard !data.isEmpty else { throw .failed(failure("fetch", "\(process.program) gave no bytes")) }
        return data
    }

    /// Waits before another attempt.
    private static func wait(_ duration: Duration) throws {
        let end = ContinuousClock.now + duration
        while .now < end {
            if GracefulStop.isEnding { throw ApusError.cancelled }
            usleep(50_000)
        }
    }
}
