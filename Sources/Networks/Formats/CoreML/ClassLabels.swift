/// The fields of the classes in the message of a classifier of any kind.
enum ClassLabelField: Int, MessageField {
    case strings = 100, integers
}

/// The classes of a classifier, in the order of its scores.
enum ClassLabels {
    case strings([String])
    case integers([Int64])

    /// - Parameter classifier: The message of a classifier.
    init?(_ classifier: CoreMLMessage, atMost limit: Int = 32 << 20) throws(FormatError) {
        if let range = classifier.ranges(ClassLabelField.strings).last {
            let labels: CoreMLStringVector = try classifier.decode(range, atMost: limit)
            self = .strings(labels.vector)
        } else if let range = classifier.ranges(ClassLabelField.integers).last {
            let labels: CoreMLInt64Vector = try classifier.decode(range, atMost: limit)
            self = .integers(labels.vector)
        } else {
            return nil
        }
    }

    var texts: [String] {
        switch self {
        case .strings(let texts): texts
        case .integers(let numbers): numbers.map(String.init)
        }
    }
}
