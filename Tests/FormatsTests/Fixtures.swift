import AllocationCounting
import Foundation

/// The files that tests share.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    static func squeezeNet() throws -> Data {
        try Data(contentsOf: folder.appending(path: "models/squeezenet1_1.onnx"))
    }
}

/// The bytes that the calling thread holds on the heap after `body`, and their maximum meanwhile; zeros where a
/// sanitizer has replaced the counted functions.
func heldBytes(_ body: () throws -> Void) rethrows -> (after: Int, most: Int) {
    if !apus_allocations_are_counted() { print("What is held is not counted: a sanitizer has replaced malloc") }
    let count = apus_allocation_count_create()
    defer { apus_allocation_count_destroy(count) }
    apus_allocation_count_attach(count)
    defer { apus_allocation_count_attach(nil) }
    try body()
    return (apus_allocation_count_held(count), apus_allocation_count_peak_held(count))
}
