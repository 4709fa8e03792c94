import CApus
import Synchronization

/// What a handle can stand for.
protocol HandleObject: AnyObject, Sendable {
    /// The kind in messages, such as `session`.
    static var kind: String { get }
}

/// The objects that handles stand for.
///
/// A handle is a ticket: a number that is given out once, in the form of a pointer that is no address of user memory.
/// Numbers that were not given out, or were released, are therefore recognised.
final class HandleTable: Sendable {
    static let shared = HandleTable()

    private struct Entry {
        let object: any HandleObject
        var references: Int
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        var count: UInt = 0
    }

    private let state = Mutex(State())
    /// The first ticket's number, so that numbers of one process mean nothing in another.
    private let start = UInt.random(in: 0..<HandleTable.numbers)

    /// Tickets have these highest 16 bits, which no address of a program has.
    private static let mark: UInt = 0xA905 << 48
    private static let numbers: UInt = 1 << 44
    /// Odd, so that multiples modulo a power of two do not repeat.
    private static let factor: UInt = 0x9E37_79B9_7F4A_7C15

    /// Gives out a handle with references that are released one by one.
    func add(_ object: any HandleObject, references: Int = 1) throws(InterfaceError) -> OpaquePointer {
        let ticket = state.withLock { state in
            state.count += 1
            // The lowest four bits are those of an aligned address, for callers that keep flags there.
            let number = (start &+ state.count) &* Self.factor & (Self.numbers - 1)
            let ticket = Self.mark | number << 4
            state.entries[ticket] = Entry(object: object, references: references)
            return ticket
        }
        guard let handle = OpaquePointer(bitPattern: ticket) else {
            throw InterfaceError(status: APUS_ERROR_BUG, code: "bug", message: "a ticket is zero")
        }
        return handle
    }

    /// The object of a handle.
    ///
    /// - Throws: ``InterfaceError`` when the handle is NULL, was released, or stands for something else.
    func object<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self)
        throws(InterfaceError) -> Object
    {
        guard let handle else {
            throw InterfaceError(
                status: APUS_ERROR_HANDLE, code: "null", message: "the handle of a \(Object.kind) is NULL")
        }
        guard let object = state.withLock({ $0.entries[UInt(bitPattern: handle)]?.object }) else {
            throw InterfaceError(
                status: APUS_ERROR_HANDLE, code: "handle",
                message: "the handle of a \(Object.kind) was released, or was never given out")
        }
        guard let object = object as? Object else {
            throw InterfaceError(
                status: APUS_ERROR_HANDLE, code: "handle",
                message: "the handle stands for a \(Swift.type(of: object).kind), not for a \(Object.kind)")
        }
        return object
    }

    /// Adds a reference.
    func retain(_ handle: OpaquePointer?) throws(InterfaceError) {
        try update(handle) { $0.references += 1 }
    }

    /// Takes a reference away, and with the last one forgets the object.
    func release(_ handle: OpaquePointer?) throws(InterfaceError) {
        // The object ends outside of the lock, since its end may call the caller's functions.
        let last = try update(handle) { $0.references -= 1 }
        withExtendedLifetime(last) {}
    }

    /// The number of handles that are given out.
    var count: Int { state.withLock { $0.entries.count } }

    @discardableResult
    private func update(
        _ handle: OpaquePointer?, _ change: (inout Entry) -> Void
    ) throws(InterfaceError) -> (any HandleObject)? {
        let ticket = UInt(bitPattern: handle)
        let entry: Entry? = state.withLock { state in
            guard var entry = state.entries[ticket] else { return nil }
            change(&entry)
            state.entries[ticket] = entry.references > 0 ? entry : nil
            return entry
        }
        guard let entry else {
            throw InterfaceError(
                status: APUS_ERROR_HANDLE, code: "handle", message: "the handle was released, or was never given out")
        }
        return entry.references > 0 ? nil : entry.object
    }
}

/// Gives out a handle for an object, where the caller wants it.
func give(_ object: any HandleObject, to place: UnsafeMutablePointer<OpaquePointer?>) throws(InterfaceError) {
    place.pointee = try HandleTable.shared.add(object)
}

/// The object of a handle.
func object<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self)
    throws(InterfaceError) -> Object
{
    try HandleTable.shared.object(handle)
}
