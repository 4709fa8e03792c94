import Features

/// What the tests read of a value.
extension FeatureValue {
    /// The text of a string.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The numbers of a dictionary.
    var dictionary: [FeatureKey: Double]? {
        guard case .dictionary(let numbers) = self else { return nil }
        return numbers
    }
}

/// The message with which `body` fails; empty when it does not.
func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        return "\(error)"
    }
}
