import Models

/// The numbers that a network estimates for one picture, such as the quality of a photo or the age of a person.
///
///     let answer = try await regressor.predict(.file("photo.jpg"))
///     print(answer.values, answer["quality"] ?? .nan)
public struct Regression: Sendable, Equatable {
    /// A number.
    public struct Value: Sendable, Equatable {
        /// Its position in the network's output.
        public let index: Int
        /// Its name, when known.
        public let label: String?
        /// The number, as the network gives it.
        public let value: Float
    }

    /// The numbers, in the network's order.
    public let values: [Value]

    package init(_ numbers: [Float], labels: Labels?) {
        values = numbers.enumerated().map { Value(index: $0, label: labels?[$0], value: $1) }
    }

    /// The number of a name; nil when there is none.
    public subscript(label: String) -> Float? { values.first { $0.label == label }?.value }
}
