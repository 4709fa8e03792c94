import CApus

@c @implementation
public func apus_retain(_ handle: UnsafeRawPointer?, _ error: UnsafeMutablePointer<apus_error>?) -> apus_status {
    call(error) { try HandleTable.shared.retain(handle.map { OpaquePointer($0) }) }
}

@c @implementation
public func apus_release(_ handle: UnsafeRawPointer?, _ error: UnsafeMutablePointer<apus_error>?) -> apus_status {
    call(error) {
        guard let handle else { return }
        try HandleTable.shared.release(OpaquePointer(handle))
    }
}

@c @implementation
public func apus_text_get(
    _ handle: OpaquePointer?, _ string: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ length: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let text: TextObject = try object(handle)
        string?.pointee = text.start
        length?.pointee = text.length
    }
}
