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

    /// Whether the process lacks memory, so that nothing is known about the picture.
    package var isShortage: Bool { code == Self.shortageCode }
    private static let shortageCode = "no-memory"
    private static let tensorCode = "out-of-memory"

    /// Whether memory is lacking for what every picture needs.
    ///
    /// - Parameter anySize: Whether the network takes pictures of any size, so that a large one needs more than others.
    package func isShortage(anySize: Bool) -> Bool {
        isShortage || !anySize && stage == "preprocess" && code == Self.tensorCode
    }

    /// Calls `body`, and turns an error that it throws into one that names the stage.
    ///
    /// What fails while the system refuses memory is no error of a picture, whatever a library says about its bytes. A
    /// refusal that has passed is tried again.
    package static func catching<Value>(_ body: () throws -> Value) -> Result<Value, RecordError> {
        var (result, isRefusal) = attempt(body)
        if isRefusal, !MachineMemory.isExhausted { (result, isRefusal) = attempt(body) }
        if case .failure(let error) = result, error != .cancelled, MachineMemory.isExhausted {
            return .failure(RecordError(stage: error.stage, code: shortageCode, message: error.message))
        }
        return result
    }

    /// The result of `body`, and whether the system refused it memory.
    private static func attempt<Value>(
        _ body: () throws -> Value
    ) -> (result: Result<Value, RecordError>, isRefusal: Bool) {
        do {
            return (.success(try body()), false)
        } catch let error as RecordError {
            return (.failure(error), false)
        } catch let error as ImageError {
            let isRefusal = if case .outOfMemory = error { true } else { false }
            return (.failure(RecordError(stage: "decode", code: error.code, message: "\(error)")), isRefusal)
        } catch let error as PreprocessingError {
            return (.failure(RecordError(stage: "preprocess", code: error.code, message: "\(error)")), false)
        } catch let error as TensorError {
            let isRefusal = if case .outOfMemory = error { true } else { false }
            return (.failure(RecordError(stage: "preprocess", code: tensorCode, message: "\(error)")), isRefusal)
        } catch ApusError.cancelled {
            return (.failure(.cancelled), false)
        } catch ApusError.file(_, let message) {
            return (.failure(RecordError(stage: "read", code: "unreadable", message: message)), false)
        } catch {
            return (.failure(RecordError(stage: "decode", code: "failed", message: "\(error)")), false)
        }
    }
}

extension RecordError: CustomStringConvertible {
    public var description: String { message }
}
