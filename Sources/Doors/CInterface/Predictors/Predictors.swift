import Apus
import CApus
import SharedOptions

@c @implementation
public func apus_predictor_open(
    _ path: UnsafePointer<CChar>?, _ settings: OpaquePointer?, _ predictor: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(predictor, "predictor")
        let path = try text(path, "path")
        let options = try parsedOptions(settings)
        MemoryRestriction.apply(options.loading)
        try give(started(path, nil, options), to: place)
    }
}

@c @implementation
public func apus_predictor_start(
    _ model: OpaquePointer?, _ settings: OpaquePointer?, _ predictor: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(predictor, "predictor")
        let model = try object(model, ModelObject.self).model
        let options = try parsedOptions(settings)
        try give(started(model.name, model, options), to: place)
    }
}

/// Starts a predictor.
private func started(_ path: String, _ model: Model?, _ options: InterfaceOptions) throws -> PredictorObject {
    try SignalHandlers.preserving { try waiting { try await PredictorObject(path, model, options) } }
}

@c @implementation
public func apus_predictor_describe(
    _ predictor: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let report = PredictorReport(try object(predictor))
        try give(TextObject(JSONDocument.text(of: report, isPretty: true)), to: json)
    }
}

/// The pictures of a caller.
func pictures(
    _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int
) throws(InterfaceError) -> [PictureObject] {
    try elements(handles, count, "pictures").map { handle throws(InterfaceError) in try object(handle) }
}

@c @implementation
public func apus_predictor_predict(
    _ predictor: OpaquePointer?, _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ answers: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let predictor: PredictorObject = try object(predictor)
        let pictures = try pictures(handles, count)
        if count > 0 { _ = try required(answers, "answers") }
        try AnswerObject.give(waiting { try await predictor.answers(pictures) }, to: answers)
    }
}
