import Apus
import ArgumentParser

/// A configuration on the command line: `two=backend:cpu,threads:2,tuning:no`.
package struct ConfigurationArgument: Sendable {
    private static let keys = ["backend", "device", "threads", "precision", "tuning"]

    package let name: String
    private var backends: [String] = []
    private var device: String?
    private var threads: Int?
    private var precision: Precision?
    private var tuning: TuningSource?

    /// Reads a configuration.
    ///
    /// - Throws: `ValidationError` when the argument is invalid.
    package init(_ argument: String) throws(ValidationError) {
        guard let separator = argument.firstIndex(of: "="), separator > argument.startIndex else {
            throw ValidationError("it should be NAME=KEY:VALUE,...")
        }
        name = String(argument[..<separator])
        var seen: Set<String> = []
        for word in argument[argument.index(after: separator)...].split(
            separator: ",", omittingEmptySubsequences: false)
        {
            guard let colon = word.firstIndex(of: ":") else {
                throw ValidationError("\"\(word)\" should be KEY:VALUE; \(Self.keyList)")
            }
            let (key, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
            guard Self.keys.contains(key) else { throw ValidationError("there is no key \"\(key)\"; \(Self.keyList)") }
            guard !value.isEmpty else { throw ValidationError("\(key) has no value") }
            guard seen.insert(key).inserted else { throw ValidationError("\(key) is given more than once") }
            try set(key, value)
        }
    }

    private mutating func set(_ key: String, _ value: String) throws(ValidationError) {
        switch key {
        case "backend": backends = Self.names(value)
        case "device": device = value
        case "threads":
            let maximum = ExecutionOptions.maximumThreads
            guard let count = Int(value), (1...maximum).contains(count) else {
                throw ValidationError("threads is a number from 1 to \(maximum), not \"\(value)\"")
            }
            threads = count
        case "precision":
            guard let named = Precision(rawValue: value) else {
                let names = Precision.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no precision \"\(value)\"; there are \(names)")
            }
            precision = named
        default: tuning = value == "no" ? TuningSource.none : value == "cached" ? .cached : .file(value)
        }
    }

    private static var keyList: String { "the keys are \(keys.joined(separator: ", "))" }

    /// A configuration of backends alone, such as `cpu` or `opencl+cpu`.
    package init(backends text: String) {
        name = text
        backends = Self.names(text)
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: "+", omittingEmptySubsequences: false).map { $0.lowercased() }
    }

    /// The configurations that are compared by default: the processor's kernels and, if it is installed, OpenBLAS.
    package static var standard: [ConfigurationArgument] {
        (Catalog.hasOpenBLAS ? ["cpu", "openblas"] : ["cpu"]).map { ConfigurationArgument(backends: $0) }
    }

    /// The options of sessions, with defaults for the keys that were not given.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for an empty name of a backend.
    package func sessionOptions(_ options: Session.Options) throws(ApusError) -> Session.Options {
        guard !backends.contains("") else { throw .usage("configuration \"\(name)\" has a backend without a name") }
        var options = options
        if backends != ["auto"] { options.backends = backends.map(BackendName.init) }
        if let device { options.device = device }
        if let threads { options.threads = threads }
        if let precision { options.precision = precision }
        if let tuning { options.tuning = tuning }
        return options
    }
}
