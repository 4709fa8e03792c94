/// Numbers by which a picture is compared with others: pictures that show something alike have vectors that point in
/// nearly the same direction.
public struct ImageEmbedding: Sendable, Equatable {
    /// The numbers.
    public let vector: [Float]

    /// Makes a vector.
    public init(_ vector: [Float]) { self.vector = vector }

    /// The cosine of the angle between both vectors, from −1 to 1; 0 when either has no direction.
    ///
    /// - Returns: Nil when the vectors have different numbers of elements.
    public func cosineSimilarity(to other: ImageEmbedding) -> Float? {
        guard vector.count == other.vector.count else { return nil }
        let product = zip(vector, other.vector).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        let lengths = Self.length(of: vector) * Self.length(of: other.vector)
        return lengths > 0 ? Float(product / lengths) : 0
    }

    /// The length of the difference of both vectors; nil when they have different numbers of elements.
    public func distance(to other: ImageEmbedding) -> Float? {
        guard vector.count == other.vector.count else { return nil }
        return Float(Self.length(of: zip(vector, other.vector).map { $0 - $1 }))
    }

    /// The vector divided by its length, √Σ x². A vector of zeros stays.
    package static func normalized(_ vector: [Float]) -> [Float] {
        let length = length(of: vector)
        return length > 0 ? vector.map { Float(Double($0) / length) } : vector
    }

    private static func length(of vector: [Float]) -> Double {
        vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    }
}
