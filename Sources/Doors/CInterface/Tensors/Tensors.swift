import Apus
import CApus

@c @implementation
public func apus_tensor_copy(
    _ type: apus_element_type, _ rank: Int32, _ extents: UnsafePointer<Int64>?, _ data: UnsafeRawPointer?,
    _ byteCount: Int, _ tensor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(tensor, "tensor")
        let memory = try BorrowedMemory(ElementType(code: type), rank: rank, extents: extents, strides: nil)
        guard byteCount == memory.byteCount else {
            throw InterfaceError.argument(
                "\(memory.type)\(memory.extents) takes \(memory.byteCount) bytes, not \(byteCount)", code: "length")
        }
        let source = try bytes(data, byteCount, "data")
        try give(
            TensorObject(Tensor(memory.type, shape: memory.extents) { $0.copyMemory(from: source) }), to: place)
    }
}

@c @implementation
public func apus_tensor_borrow(
    _ type: apus_element_type, _ rank: Int32, _ extents: UnsafePointer<Int64>?, _ strides: UnsafePointer<Int64>?,
    _ data: UnsafeRawPointer?, _ byteCount: Int, _ deleter: apus_deleter?, _ context: UnsafeMutableRawPointer?,
    _ tensor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    let owner = CallerMemory(deleter, context)
    return call(error) {
        let place = try required(tensor, "tensor")
        let memory = try BorrowedMemory(ElementType(code: type), rank: rank, extents: extents, strides: strides)
        guard byteCount >= 0, memory.byteCount <= byteCount else {
            throw InterfaceError.argument(
                "\(memory.type)\(memory.extents) reads \(memory.byteCount) bytes, but there are \(byteCount)",
                code: "length")
        }
        try give(memory.tensor(at: data) { withExtendedLifetime(owner) {} }, to: place)
    }
}

/// Memory of a caller, whose deleter is called when the object ends.
private final class CallerMemory: Sendable {
    private let callback: Callback<apus_deleter>?

    init(_ deleter: apus_deleter?, _ context: UnsafeMutableRawPointer?) {
        callback = deleter.map { Callback(function: $0, context: context) }
    }

    deinit { callback?.function(callback?.context) }
}

@c @implementation
public func apus_tensor_get(
    _ tensor: OpaquePointer?, _ elements: UnsafeMutablePointer<apus_elements>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try required(elements, "elements").pointee = object(tensor, TensorObject.self).elements }
}
