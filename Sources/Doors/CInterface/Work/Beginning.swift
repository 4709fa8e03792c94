import Apus
import CApus

@c @implementation
public func apus_session_run_async(
    _ session: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?,
    _ inputs: UnsafePointer<OpaquePointer?>?, _ inputCount: Int, _ callback: apus_callback?,
    _ context: UnsafeMutableRawPointer?, _ work: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(work, "work")
        let session: SessionObject = try object(session)
        let inputs = try session.inputs(names, inputs, inputCount)
        try WorkObject.begin(callback, context, at: place) { _ in
            .outputs(try await session.session.predict(inputs), session)
        }
    }
}

@c @implementation
public func apus_predictor_predict_async(
    _ predictor: OpaquePointer?, _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ callback: apus_callback?,
    _ context: UnsafeMutableRawPointer?, _ work: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(work, "work")
        let predictor: PredictorObject = try object(predictor)
        let pictures = try pictures(handles, count)
        try WorkObject.begin(callback, context, at: place) { _ in .answers(try await predictor.answers(pictures)) }
    }
}
