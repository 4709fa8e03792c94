import Graphs

/// The version of each operator domain that a model was written for.
struct ONNXOperatorSets {
    private var versions: [String: Int] = [:]

    init(_ imports: [ONNXOperatorSetIdProto], irVersion: Int64) throws(FormatError) {
        try add(imports)
        // Before version 3 of the format, models could not declare a version.
        if imports.isEmpty, irVersion < 3 { versions[""] = 1 }
        guard !versions.isEmpty else {
            throw .invalid("the model imports no operator set; the file may be cut short")
        }
        try checkVersion()
    }

    /// The sets, with a function's imports replacing those of the same domains.
    func replaced(by imports: [ONNXOperatorSetIdProto]) throws(FormatError) -> ONNXOperatorSets {
        var sets = self
        for entry in imports { sets.versions[Self.canonical(entry.domain)] = nil }
        try sets.add(imports)
        try sets.checkVersion()
        return sets
    }

    private mutating func add(_ imports: [ONNXOperatorSetIdProto]) throws(FormatError) {
        for entry in imports {
            let domain = Self.canonical(entry.domain)
            guard entry.version > 0, versions.updateValue(Int(entry.version), forKey: domain) == nil else {
                throw .invalid("the import of operator set \(Self.text(domain)) \(entry.version) is not valid")
            }
        }
    }

    private func checkVersion() throws(FormatError) {
        if let version = versions[""], version > ONNXHistory.newestVersion {
            throw .unsupported(
                "the model needs operator set \(version) of ONNX; Apus knows them up to \(ONNXHistory.newestVersion)")
        }
    }

    /// The version imported for `domain`.
    subscript(domain: String) -> Int? { versions[Self.canonical(domain)] }

    /// The imports in words, such as `ai.onnx 13, com.microsoft 1`.
    var description: String {
        versions.sorted { $0.key < $1.key }.map { "\(Self.text($0.key)) \($0.value)" }.joined(separator: ", ")
    }

    /// The canonical name of a domain; the default domain has two names.
    static func canonical(_ domain: String) -> String { domain == "ai.onnx" ? "" : domain }

    /// A domain's name for messages.
    static func text(_ domain: String) -> String { canonical(domain).isEmpty ? "ai.onnx" : domain }
}
