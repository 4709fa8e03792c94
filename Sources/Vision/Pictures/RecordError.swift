import Images
import Platform
import Tensors

/// Why one record of a dataset has no prediction; the others are not affected.
public struct RecordError: Error, Sendable, Equatable, Codable {
    /// The stage that failed: `read`, `decode`, `preprocess`, `predict`, `draw` or `write`.
    public let stage: String
    /// A short name for programs, such as `truncated`, which stays the same between versions.
    public let code: String
    /// A message of one line for people.
    public let message: String

    /// Makes an error of a record.
    public init(stage: String, code: String, message: String) {
        self.stage = stage
        self.code = code
        self.message = message
    }

    /// The error for a picture that was given up because the task or its run was asked to end.
    package static let cancelled = RecordError(stage: "read", code: "cancelled", message: "was no longer waited for")

    /// Calls `body`, and turns an error that it throws into one that names the stage.
    static func catching<Value>(_ body: () throws -> Value) -> Result<Value, RecordError> {
        do {
            return .success(try body())
        } catch let error as RecordError {
            return .failure(error)
        } catch let error as ImageError {
            return .failure(RecordError(stage: "decode", code: error.code, message: "\(error)"))
        } catch let error as PreprocessingError {
            return .failure(RecordError(stage: "preprocess", code: error.code, message: "\(error)"))
        } catch let error as TensorError {
            return .failure(RecordError(stage: "preprocess", code: "out-of-memory", message: "\(error)"))
        } catch ApusError.cancelled {
            return .failure(.cancelled)
        } catch ApusError.file(_, let message) {
            return .failure(RecordError(stage: "read", code: "unreadable", message: message))
        } catch {
            return .failure(RecordError(stage: "decode", code: "failed", message: "\(error)"))
        }
    }
}

extension RecordError: CustomStringConvertible {
    public var description: String { message }
}
