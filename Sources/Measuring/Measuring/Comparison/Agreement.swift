/// The errors of a layer's output compared with the same value computed in float64.
///
/// With x an element, r the same element of the reference, and m the root of the mean of all r²:
///
/// - the absolute error is |x − r|,
/// - the relative error is |x − r| ÷ max(|r|, m), so that an element near 0 is compared with the typical size of the
///   others.
///
/// An element has an infinite error when it or its reference is not finite and both are not equal. Figures cover all
/// inputs.
public struct Agreement: Sendable, Hashable {
    /// The number of elements that were compared.
    public internal(set) var elements = 0
    /// The largest absolute error.
    public internal(set) var largestAbsoluteError = 0.0
    /// The largest relative error.
    public internal(set) var largestRelativeError = 0.0
    /// The number of elements with an infinite error.
    public internal(set) var nonFiniteElements = 0

    private var squaredErrors = 0.0
    private var squaredReferences = 0.0
    private var squares = 0.0
    private var products = 0.0

    /// The root of the mean squared error.
    public var rootMeanSquareError: Double {
        if nonFiniteElements > 0 { return .infinity }
        return elements > 0 ? (squaredErrors / Double(elements)).squareRoot() : 0
    }

    /// The root of the mean squared element of the reference.
    public var rootMeanSquare: Double { elements > 0 ? (squaredReferences / Double(elements)).squareRoot() : 0 }

    /// The cosine of the angle between the output and the reference; 1 when both are 0, nil when only one is 0 or one
    /// is not finite.
    public var cosine: Double? {
        guard nonFiniteElements == 0 else { return nil }
        if squares == 0, squaredReferences == 0 { return 1 }
        let lengths = squares.squareRoot() * squaredReferences.squareRoot()
        return lengths > 0 && lengths.isFinite ? min(1, products / lengths) : nil
    }

    /// Whether an element's relative error is larger than `tolerance`.
    public func exceeds(_ tolerance: Double) -> Bool { !(largestRelativeError <= tolerance) }

    /// Makes an agreement without elements.
    package init() {}

    /// Compares all elements of a value.
    ///
    /// - Parameter reference: The elements of the reference. Another number of them than in `found` is an infinite
    ///   error.
    package init(_ found: [Double], reference: [Double]) {
        guard found.count == reference.count else {
            (elements, nonFiniteElements) = (found.count, found.count)
            (largestAbsoluteError, largestRelativeError) = (.infinity, .infinity)
            return
        }
        elements = found.count
        for value in reference where value.isFinite { squaredReferences += value * value }
        let mean = rootMeanSquare
        // For a reference of zeros, relative errors equal absolute ones instead of 0 ÷ 0.
        let floor = mean > 0 ? mean : 1
        for (value, expected) in zip(found, reference) {
            guard value.isFinite, expected.isFinite else {
                if value == expected || (value.isNaN && expected.isNaN) { continue }
                nonFiniteElements += 1
                (largestAbsoluteError, largestRelativeError) = (.infinity, .infinity)
                continue
            }
            let error = abs(value - expected)
            squaredErrors += error * error
            squares += value * value
            products += value * expected
            largestAbsoluteError = max(largestAbsoluteError, error)
            largestRelativeError = max(largestRelativeError, error / max(abs(expected), floor))
        }
    }

    /// Adds the errors on another input.
    package mutating func merge(_ other: Agreement) {
        elements += other.elements
        largestAbsoluteError = max(largestAbsoluteError, other.largestAbsoluteError)
        largestRelativeError = max(largestRelativeError, other.largestRelativeError)
        nonFiniteElements += other.nonFiniteElements
        squaredErrors += other.squaredErrors
        squaredReferences += other.squaredReferences
        squares += other.squares
        products += other.products
    }
}

extension Agreement: Encodable {
    private enum Key: String, CodingKey {
        case elements, largestAbsoluteError, largestRelativeError, nonFiniteElements, rootMeanSquareError,
            rootMeanSquare
        case cosine
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(elements, forKey: .elements)
        try container.encode(largestAbsoluteError, forKey: .largestAbsoluteError)
        try container.encode(largestRelativeError, forKey: .largestRelativeError)
        try container.encode(nonFiniteElements, forKey: .nonFiniteElements)
        try container.encode(rootMeanSquareError, forKey: .rootMeanSquareError)
        try container.encode(rootMeanSquare, forKey: .rootMeanSquare)
        try container.encode(cosine, forKey: .cosine)
    }
}
