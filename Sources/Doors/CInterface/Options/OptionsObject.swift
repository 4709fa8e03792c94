import Apus
import ArgumentParser
import CApus
import SharedOptions
import Synchronization

/// Options, by name.
final class OptionsObject: HandleObject {
    static let kind = "set of options"

    /// The arguments of the command that stand for the options, such as `--threads=2`.
    private let arguments = Mutex<[String]>([])

    /// Sets an option.
    ///
    /// - Parameter value: Nil for an option that takes none.
    func set(_ name: String, _ value: String?) throws(InterfaceError) {
        let isName = name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil
        guard isName, name != "help", name.utf8.count <= 64 else {
            throw .argument("there is no option \"\(name.printable)\"", code: "option")
        }
        arguments.withLock { $0.append(value.map { "--\(name)=\($0)" } ?? "--\(name)") }
    }

    /// The options, checked.
    func parsed() throws(InterfaceError) -> InterfaceOptions {
        let arguments = arguments.withLock { $0 }
        do {
            return try InterfaceOptions.parse(arguments)
        } catch {
            // The parser names options as the command has them.
            let message = InterfaceOptions.lineOfMessage(for: error).replacing("--", with: "")
            throw .argument(message, code: "option")
        }
    }
}

/// The options of a handle; the default ones for NULL.
func parsedOptions(_ handle: OpaquePointer?) throws(InterfaceError) -> InterfaceOptions {
    guard let handle else { return try OptionsObject().parsed() }
    return try object(handle, OptionsObject.self).parsed()
}

@c @implementation
public func apus_options_create(
    _ options: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) { try give(OptionsObject(), to: required(options, "options")) }
}

@c @implementation
public func apus_options_set(
    _ options: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let options: OptionsObject = try object(options)
        try options.set(text(name, "name"), value.map { try text($0, "value") })
    }
}
