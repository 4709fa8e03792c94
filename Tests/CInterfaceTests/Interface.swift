import CApus
import Foundation
import Testing

/// The functions of the C library as tests call them: errors are thrown.
enum Interface {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures")
        .standardizedFileURL.path
    static let classifier = fixtures + "/models/squeezenet1_1.onnx"
    static let photos = fixtures + "/photos"

    /// Why a function failed.
    struct Failure: Error, Equatable {
        let status: apus_status
        let code: String
        let place: String
        let message: String
    }

    /// Calls a function.
    ///
    /// - Throws: ``Failure`` when it does not return ``APUS_OK``.
    static func call(_ body: (UnsafeMutablePointer<apus_error>) -> apus_status) throws(Failure) {
        // The structure is never a value of Swift, since its arrays would be tuples of thousands of elements.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<apus_error>.size, alignment: 8)
        defer { memory.deallocate() }
        let status = body(memory.assumingMemoryBound(to: apus_error.self))
        if status == APUS_OK { return }
        throw Failure(
            status: status, code: text(memory, \.code), place: text(memory, \.place), message: text(memory, \.message))
    }

    /// The text in an array of an error.
    private static func text<Bytes>(_ error: UnsafeMutableRawPointer, _ array: KeyPath<apus_error, Bytes>) -> String {
        guard let offset = MemoryLayout<apus_error>.offset(of: array) else { return "" }
        return String(cString: (error + offset).assumingMemoryBound(to: CChar.self))
    }

    /// The handle that a function gives out.
    static func handle(
        _ body: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<apus_error>) -> apus_status
    ) throws -> OpaquePointer {
        var handle: OpaquePointer?
        try call { body(&handle, $0) }
        return try #require(handle)
    }

    static func release(_ handle: OpaquePointer) { _ = apus_release(UnsafeRawPointer(handle), nil) }

    /// The text of a handle, which is released.
    static func text(
        _ body: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<apus_error>) -> apus_status
    ) throws -> String {
        let handle = try handle(body)
        defer { release(handle) }
        var start: UnsafePointer<CChar>?
        try call { apus_text_get(handle, &start, nil, $0) }
        return String(cString: try #require(start))
    }

    static func options(_ values: [String: String?]) throws -> OpaquePointer {
        let options = try handle { apus_options_create($0, $1) }
        for (name, value) in values { try call { apus_options_set(options, name, value, $0) } }
        return options
    }

    static func predictor(_ path: String, _ values: [String: String?] = [:]) throws -> OpaquePointer {
        let options = try options(values)
        defer { release(options) }
        return try handle { apus_predictor_open(path, options, $0, $1) }
    }

    static func session(_ path: String, _ values: [String: String?] = [:]) throws -> OpaquePointer {
        let options = try options(values)
        defer { release(options) }
        let model = try handle { apus_model_open(path, options, $0, $1) }
        defer { release(model) }
        return try handle { apus_session_start(model, options, $0, $1) }
    }

    /// A tensor with a copy of numbers.
    static func tensor(_ numbers: [Float], _ shape: [Int64]) throws -> OpaquePointer {
        try handle { handle, error in
            numbers.withUnsafeBytes { bytes in
                apus_tensor_copy(
                    apus_element_type(APUS_FLOAT32), Int32(shape.count), shape, bytes.baseAddress, bytes.count, handle,
                    error)
            }
        }
    }

    /// The elements of a tensor, whose handle stays.
    static func elements(_ tensor: OpaquePointer) throws -> apus_elements {
        var elements = apus_elements()
        try call { apus_tensor_get(tensor, &elements, $0) }
        return elements
    }

    /// The first `count` numbers of a tensor.
    static func numbers(_ tensor: OpaquePointer, _ count: Int) throws -> [Float] {
        let data = try #require(try elements(tensor).data)
        return Array(UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: count))
    }

    /// Runs a session on one input and gives the numbers of its first output.
    static func run(_ session: OpaquePointer, _ input: OpaquePointer, _ count: Int) throws -> [Float] {
        var inputs: [OpaquePointer?] = [input]
        let output = try handle { apus_session_run(session, nil, &inputs, 1, nil, $0, 1, $1) }
        defer { release(output) }
        return try numbers(output, count)
    }
}
