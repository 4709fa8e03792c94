import Apus
import CApus

@c @implementation
public func apus_rows_start(
    _ predictor: OpaquePointer?, _ inputs: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
    _ settings: OpaquePointer?, _ rows: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(rows, "rows")
        let predictor: PredictorObject = try object(predictor)
        let options = try settings.map { try parsedOptions($0) } ?? predictor.options
        let dataset = try options.dataset.dataset(
            texts(inputs, count, "inputs"), decoding: options.preprocessing.decoding,
            columns: options.further.columns)
        try give(RowsObject(predictor, dataset, options), to: place)
    }
}

@c @implementation
public func apus_rows_next(
    _ rows: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?,
    _ answer: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        guard let next = try object(rows, RowsObject.self).next() else {
            throw InterfaceError(status: APUS_END, code: "end", message: "there are no more rows")
        }
        if let json { try give(TextObject(next.json), to: json) }
        if let answer { try give(next, to: answer) }
    }
}

@c @implementation
public func apus_rows_wait(
    _ rows: OpaquePointer?, _ seconds: Double, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try object(rows, RowsObject.self).wait(seconds) }
}

@c @implementation
public func apus_run_start(
    _ predictor: OpaquePointer?, _ inputs: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
    _ output: UnsafePointer<CChar>?, _ settings: OpaquePointer?, _ progress: apus_progress_function?,
    _ callback: apus_callback?, _ context: UnsafeMutableRawPointer?, _ work: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(work, "work")
        let predictor: PredictorObject = try object(predictor)
        let options = try settings.map { try parsedOptions($0) } ?? predictor.options
        let run = PendingRun(
            try DatasetRun(
                predictor, options, inputs: texts(inputs, count, "inputs"), output: text(output, "output")))
        let observer = progress.map { Callback(function: $0, context: context) }
        let gracefulStop = GracefulStop()
        try WorkObject.begin(callback, context, at: place, gracefulStop: gracefulStop) { work in
            let summary = try await run.run(gracefulStop) { progress in
                work.progress = progress
                var state = apus_progress(progress)
                observer?.function(&state, observer?.context)
            }
            work.progress = RunProgress(
                total: summary.total, succeeded: summary.succeeded, failed: summary.failed, resumed: summary.resumed)
            guard summary.state != .interrupted else { throw ApusError.cancelled }
            return .summary(summary)
        }
    }
}
