import Apus

/// The exit code of the process. Commands throw it after they have printed all messages.
enum ExitStatus: Int32, Error {
    case done = 0
    case doneWithFailures = 1
    case wrongUsage = 2
    case invalidModel = 3
    case backendMissing = 4
    case unreadableOrUnwritable = 5
    case interrupted = 6
    case stopped = 7
    case bug = 70
    /// The code that shells give for an end by SIGPIPE.
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

    /// The meaning of each exit code, for `apus --help`.
    static let explanation = """
        EXIT CODES:
          0    everything done
          1    done, but some records became error rows, compared
               configurations do not agree, or a verified output is not
               finished
          2    wrong usage
          3    the model is invalid or unsupported
          4    a requested backend or device is missing
          5    input or output could not be read or written, or memory ran out
          6    interrupted; finished rows are kept, --resume continues
          7    ended by --on-error stop or --max-errors; finished rows are
               kept, --resume continues
          70   a bug in Apus
          141  SIGPIPE ended the command, because the reader of its output
               stopped before the end; shells show this as 141
        """
}
