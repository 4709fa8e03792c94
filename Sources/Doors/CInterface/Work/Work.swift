import Apus
import CApus
import Glibc
import SharedOptions

@c @implementation
public func apus_work_wait(
    _ work: OpaquePointer?, _ seconds: Double, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try object(work, WorkObject.self).wait(seconds) }
}

@c @implementation
public func apus_work_cancel(_ work: OpaquePointer?, _ error: UnsafeMutablePointer<apus_error>?) -> apus_status {
    call(error) { try object(work, WorkObject.self).cancel() }
}

@c @implementation
public func apus_work_outputs(
    _ work: OpaquePointer?, _ outputNames: UnsafePointer<UnsafePointer<CChar>?>?,
    _ outputs: UnsafeMutablePointer<OpaquePointer?>?, _ outputCount: Int, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        guard case .outputs(let results, let session) = try object(work, WorkObject.self).result() else {
            throw InterfaceError.argument("the work is no run of a session", code: "work")
        }
        try session.give(results, outputNames, to: outputs, outputCount)
    }
}

@c @implementation
public func apus_work_answers(
    _ work: OpaquePointer?, _ answers: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        guard case .answers(let results) = try object(work, WorkObject.self).result() else {
            throw InterfaceError.argument("the work predicts no pictures", code: "work")
        }
        guard results.count == count else {
            throw InterfaceError.argument("there are \(results.count) answers, not \(count)", code: "length")
        }
        try AnswerObject.give(results, to: answers)
    }
}

@c @implementation
public func apus_work_progress(
    _ work: OpaquePointer?, _ progress: UnsafeMutablePointer<apus_progress>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(progress, "progress")
        place.pointee = apus_progress(try object(work, WorkObject.self).progress)
    }
}

@c @implementation
public func apus_work_summary(
    _ work: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        guard case .summary(let summary) = try object(work, WorkObject.self).result() else {
            throw InterfaceError.argument("the work is no run over a dataset", code: "work")
        }
        try give(TextObject(JSONDocument.text(of: summary, isPretty: true)), to: json)
    }
}

@c @implementation
public func apus_signal_eventfd(_ work: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    var one: UInt64 = 1
    _ = write(Int32(truncatingIfNeeded: Int(bitPattern: context)), &one, MemoryLayout<UInt64>.size)
}

extension apus_progress {
    /// The progress in C's form; all unknown for nil.
    init(_ progress: RunProgress?) {
        self.init(
            total: Int64(progress?.total ?? -1), succeeded: Int64(progress?.succeeded ?? 0),
            failed: Int64(progress?.failed ?? 0), resumed: Int64(progress?.resumed ?? 0))
    }
}
