import Apus
import CApus
import SharedOptions

private let version = CString(Version.current)

@c @implementation
public func apus_version() -> UnsafePointer<CChar>? { version.start }

@c @implementation
public func apus_devices(
    _ json: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        // Drivers of devices start threads.
        ProcessGuard.willStartThreads()
        let report = try SignalHandlers.preserving { try DeviceReport() }
        try give(TextObject(JSONDocument.text(of: report, isPretty: true)), to: json)
    }
}
