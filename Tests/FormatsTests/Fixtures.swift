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

/// Random numbers that a seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
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
