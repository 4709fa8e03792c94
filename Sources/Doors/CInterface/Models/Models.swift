import Apus
import CApus
import FoundationEssentials
import SharedOptions

@c @implementation
public func apus_model_open(
    _ path: UnsafePointer<CChar>?, _ settings: OpaquePointer?, _ model: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let model = try required(model, "model")
        try give(ModelObject(path: text(path, "path"), parsedOptions(settings)), to: model)
    }
}

@c @implementation
public func apus_model_read(
    _ content: UnsafeRawPointer?, _ count: Int, _ name: UnsafePointer<CChar>?, _ settings: OpaquePointer?,
    _ model: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let model = try required(model, "model")
        let name = try text(name, "name")
        let options = try parsedOptions(settings)
        let content = Data(try bytes(content, count, "bytes"))
        MemoryRestriction.apply(options.loading)
        try give(ModelObject(options.size.applied(to: Model(content: content, name: name))), to: model)
    }
}

@c @implementation
public func apus_model_input_count(
    _ model: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try required(count, "count").pointee = object(model, ModelObject.self).inputs.count }
}

@c @implementation
public func apus_model_output_count(
    _ model: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try required(count, "count").pointee = object(model, ModelObject.self).outputs.count }
}

@c @implementation
public func apus_model_input(
    _ model: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<apus_value>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let inputs = try object(model, ModelObject.self).inputs
        inputs[try checked(index, below: inputs.count, "input")].write(to: try required(value, "value"))
    }
}

@c @implementation
public func apus_model_output(
    _ model: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<apus_value>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let outputs = try object(model, ModelObject.self).outputs
        outputs[try checked(index, below: outputs.count, "output")].write(to: try required(value, "value"))
    }
}

@c @implementation
public func apus_model_describe(
    _ model: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let report = try ModelReport(object(model, ModelObject.self).model, includesNodes: false)
        try give(TextObject(JSONDocument.text(of: report, isPretty: true)), to: json)
    }
}
