import Models
import Platform

/// Finds the class that a label denotes.
///
/// A label is, in this order of precedence, 1. the exact name of a class; 2. the index of a class, a whole number from
/// 0; 3. the name of a class, or one of its names separated by commas, ignoring letter case and treating `_` and `-` as
/// spaces: `Tabby_Cat` denotes `tabby, tabby cat`.
///
/// A name that several classes have denotes none of them; label these by index.
public struct LabelMatcher: Sendable {
    /// The reason why a label denotes no class.
    public enum Mismatch: Error, Sendable, Equatable {
        /// No class has that name or index.
        case unknown(String)
        /// Several classes have that name.
        case ambiguous(String, classes: [Int])
    }

    private let exact: [String: [Int]]
    private let relaxed: [String: [Int]]
    /// The number of classes, when it is known.
    private let classCount: Int?

    /// Makes a matcher for classes with names, without, or both.
    public init(labels: Labels?, classCount: Int?) {
        self.classCount = classCount
        var exact: [String: [Int]] = [:]
        var relaxed: [String: [Int]] = [:]
        for (index, name) in labels?.indexed ?? [] {
            exact[name, default: []].append(index)
            let parts = [name] + (name.contains(",") ? name.split(separator: ",").map(String.init) : [])
            for key in Set(parts.map(Self.relaxed)) where !key.isEmpty { relaxed[key, default: []].append(index) }
        }
        self.exact = exact
        self.relaxed = relaxed
    }

    /// The index of the class that a label denotes.
    public func classIndex(of label: String) throws(Mismatch) -> Int {
        if let classes = exact[label] { return try single(classes, label) }
        if label.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(label), index < classCount ?? .max {
            return index
        }
        guard let classes = relaxed[Self.relaxed(label)] else { throw .unknown(label) }
        return try single(classes, label)
    }

    private func single(_ classes: [Int], _ label: String) throws(Mismatch) -> Int {
        guard classes.count == 1 else { throw .ambiguous(label, classes: classes.sorted()) }
        return classes[0]
    }

    private static func relaxed(_ name: some StringProtocol) -> String {
        String(name.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 }).split(separator: " ").joined(separator: " ")
    }
}

extension LabelMatcher.Mismatch: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let label): "label \"\(label.printable)\" is neither the name nor the index of a class"
        case .ambiguous(let label, let classes):
            "label \"\(label.printable)\" is the name of \(classes.count) classes "
                + "(\(classes.map(String.init).joined(separator: ", "))); give the index"
        }
    }
}

extension Labels {
    /// The names with their classes, in the classes' order.
    var indexed: [(index: Int, name: String)] { names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
