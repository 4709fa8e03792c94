import Foundation
import Testing

/// Code of the documentation, which runs in an ``ExampleFolder``.
struct SwiftExample: Sendable, CustomTestStringConvertible {
    let name: String
    /// Text that must be among what it prints.
    let prints: [String]
    let run: @Sendable () async throws -> Void

    var testDescription: String { name }

    init(_ name: String, prints: [String] = [], run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.prints = prints
        self.run = run
    }

    static let all: [SwiftExample] =
        classifying + detecting + otherTasks + running + measuring + quantizing + describing + extending
}
