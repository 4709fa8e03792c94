import Apus
import ArgumentParser

/// A configuration on the command line: `two=backend:cpu,threads:2,tuning:no`.
struct ConfigurationArgument: ExpressibleByArgument {
    let name: String
    private var backends: [String] = []
    private var device: String?
    private var threads: Int?
    private var precision: Precision?
    private var tuning: TuningSource?

    init?(argument: String) {
        guard let separator = argument.firstIndex(of: "="), separator > argument.startIndex else { return nil }
        name = String(argument[..<separator])
        var seen: Set<String> = []
        for word in argument[argument.index(after: separator)...].split(
            separator: ",", omittingEmptySubsequences: false)
        {
            guard let colon = word.firstIndex(of: ":") else { return nil }
            let (key, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
            guard !value.isEmpty, seen.insert(key).inserted else { return nil }
            switch key {
            case "backend": backends = Self.names(value)
            case "device": device = value
            case "threads":
                guard let count = Int(value), (1...1024).contains(count) else { return nil }
                threads = count
            case "precision":
                guard let named = Precision(rawValue: value) else { return nil }
                precision = named
            case "tuning": tuning = value == "no" ? TuningSource.none : value == "cached" ? .cached : .file(value)
            default: return nil
            }
        }
    }

    /// A configuration of backends alone, such as `cpu` or `opencl+cpu`.
    init(backends text: String) {
        name = text
        backends = Self.names(text)
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: "+", omittingEmptySubsequences: false).map { $0.lowercased() }
    }

    /// The configuration, with what it leaves open as given.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for an empty name of a backend.
    func configuration(_ options: Session.Options) throws(ApusError) -> Comparison.Configuration {
        guard !backends.contains("") else { throw .usage("configuration \"\(name)\" has a backend without a name") }
        var options = options
        if backends != ["auto"] { options.backends = backends.map(BackendName.init) }
        if let device { options.device = device }
        if let threads { options.threads = threads }
        if let precision { options.precision = precision }
        if let tuning { options.tuning = tuning }
        return Comparison.Configuration(name, options)
    }
}
