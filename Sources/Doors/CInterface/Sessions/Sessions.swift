import Apus
import CApus
import Measuring
import SharedOptions

@c @implementation
public func apus_session_start(
    _ model: OpaquePointer?, _ settings: OpaquePointer?, _ session: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(session, "session")
        let model = try object(model, ModelObject.self).model
        let options = try parsedOptions(settings).sessionOptions(profiling: model.name)
        let session = try SignalHandlers.preserving { try waiting { try await Session(model, options: options) } }
        try give(SessionObject(session), to: place)
    }
}

@c @implementation
public func apus_session_run(
    _ session: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?,
    _ inputs: UnsafePointer<OpaquePointer?>?, _ inputCount: Int,
    _ outputNames: UnsafePointer<UnsafePointer<CChar>?>?, _ outputs: UnsafeMutablePointer<OpaquePointer?>?,
    _ outputCount: Int, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let session: SessionObject = try object(session)
        try session.check(outputNames, outputs, outputCount)
        let results = try session.session.predictSynchronously(session.inputs(names, inputs, inputCount))
        try session.give(results, outputNames, to: outputs, outputCount)
    }
}

@c @implementation
public func apus_session_plan(
    _ session: OpaquePointer?, _ batch: Int64, _ json: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let session = try object(session, SessionObject.self).session
        guard (1...Int64(maximumCount)).contains(batch) else {
            throw InterfaceError.argument("batch must lie between 1 and \(maximumCount), not \(batch)", code: "batch")
        }
        let plan = try waiting { try await session.plan(forBatch: Int(batch)) }
        try give(TextObject(JSONDocument.text(of: plan, isPretty: true)), to: json)
    }
}

@c @implementation
public func apus_session_profile(
    _ session: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let session = try object(session, SessionObject.self).session
        guard let profiler = session.options.profiler else {
            throw InterfaceError.argument(
                "\(session.model.name): the session records nothing; set the option \"profile\"", code: "profile")
        }
        guard let profile = profiler.profile() else {
            throw InterfaceError.argument("\(session.model.name): nothing has run yet", code: "profile")
        }
        try give(TextObject(JSONDocument.text(of: profile, isPretty: true)), to: json)
    }
}
