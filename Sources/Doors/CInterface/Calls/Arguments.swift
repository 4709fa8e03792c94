import Apus
import CApus

/// The most elements that an array of a caller may have.
let maximumCount = Int(APUS_MAXIMUM_COUNT)

/// The place of a result, which must not be NULL.
func required<Result>(
    _ pointer: UnsafeMutablePointer<Result>?, _ name: String
) throws(InterfaceError) -> UnsafeMutablePointer<Result> {
    guard let pointer else { throw .argument("\(name) is NULL", code: "null") }
    return pointer
}

/// A text of the caller.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(InterfaceError) -> String {
    guard let pointer else { throw .argument("\(name) is NULL", code: "null") }
    guard let text = String(validatingCString: pointer) else {
        throw .argument("\(name) is not UTF-8", code: "text")
    }
    return text
}

/// The bytes of the caller.
func bytes(_ pointer: UnsafeRawPointer?, _ count: Int, _ name: String) throws(InterfaceError) -> UnsafeRawBufferPointer
{
    guard count >= 0, count <= Int.max / 2 else { throw .argument("\(name) has an impossible length", code: "length") }
    guard let pointer else {
        guard count == 0 else { throw .argument("\(name) is NULL", code: "null") }
        return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: pointer, count: count)
}

/// The elements of an array of the caller.
func elements<Element>(
    _ pointer: UnsafePointer<Element>?, _ count: Int, atMost maximum: Int = maximumCount, _ name: String
) throws(InterfaceError) -> UnsafeBufferPointer<Element> {
    guard (0...maximum).contains(count) else {
        throw .argument("\(name) may have 0 to \(maximum) elements", code: "length")
    }
    if count == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    guard let pointer else { throw .argument("\(name) is NULL", code: "null") }
    return UnsafeBufferPointer(start: pointer, count: count)
}

/// The texts of an array of the caller.
func texts(
    _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, atMost maximum: Int = maximumCount, _ name: String
) throws(InterfaceError) -> [String] {
    var list: [String] = []
    for (index, element) in try elements(pointer, count, atMost: maximum, name).enumerated() {
        list.append(try text(element, "\(name)[\(index)]"))
    }
    return list
}

/// An index into `count` things of the caller's choice.
func checked(_ index: Int, below count: Int, _ name: String) throws(InterfaceError) -> Int {
    guard (0..<max(0, count)).contains(index) else {
        throw .argument("there is no \(name) \(index); there are \(count)", code: "index")
    }
    return index
}

/// A function and a context that a caller gave, which may be called from any thread.
struct Callback<Function>: @unchecked Sendable {
    let function: Function
    let context: UnsafeMutableRawPointer?
}
