import Apus

/// How the process ends. Thrown by commands that have said everything there is to say.
enum ExitStatus: Int32, Error {
    case done = 0
    case doneWithFailures = 1
    case wrongUsage = 2
    case invalidModel = 3
    case backendMissing = 4
    case unreadableOrUnwritable = 5
    case interrupted = 6
    case bug = 70
    /// As shells call the end by SIGPIPE.
    case readerGone = 141

    init(_ error: ApusError) {
        switch error.kind {
        case .usage: self = .wrongUsage
        case .invalidModel, .unsupportedModel: self = .invalidModel
        case .backend: self = .backendMissing
        case .file, .memory: self = .unreadableOrUnwritable
        case .cancelled: self = .interrupted
        case .bug: self = .bug
        }
    }

    /// What each number means, for `apus --help`.
    static let explanation = """
        EXIT CODES:
          0    everything done
          1    done, but some records became error rows, compared
               configurations do not agree, or a verified output is not
               finished
          2    wrong usage
          3    the model is invalid or unsupported
          4    a backend or device that was asked for is not there
          5    input or output could not be read or written, or memory ran out
          6    interrupted; what was finished is kept, --resume goes on
          70   a bug in Apus
          141  as shells see the end by SIGPIPE: whoever read the output left
               before all of it was written
        """
}
