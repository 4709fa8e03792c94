import Graphs

/// The numbers of tests that passed, failed and are excluded, by operator.
struct ONNXReport {
    private struct Counts {
        var passed = 0
        var failed = 0
        var missing = 0
        var outside = 0
        var notApplicable = 0

        static func + (_ a: Counts, _ b: Counts) -> Counts {
            Counts(
                passed: a.passed + b.passed, failed: a.failed + b.failed, missing: a.missing + b.missing,
                outside: a.outside + b.outside, notApplicable: a.notApplicable + b.notApplicable)
        }

        var total: Int { passed + failed + missing + outside }
    }

    let version: String
    let backend: String
    private var byOperator: [String: Counts] = [:]

    init(version: String, backend: String) {
        self.version = version
        self.backend = backend
    }

    mutating func add(_ test: ONNXBackendTest, _ outcome: ONNXBackendTest.Outcome, _ exclusion: ONNXExclusions.Kind?) {
        let name = Self.operatorName(test)
        var counts = byOperator[name] ?? Counts()
        switch (outcome, exclusion) {
        case (.notApplicable, _): counts.notApplicable += 1
        case (.passed, _): counts.passed += 1
        case (.failed, nil): counts.failed += 1
        case (.failed, .missing): counts.missing += 1
        case (.failed, .outside): counts.outside += 1
        }
        byOperator[name] = counts
    }

    /// The operator that a test is about, from its name; the test's group if it is not about one operator.
    private static func operatorName(_ test: ONNXBackendTest) -> String {
        let parts = test.name.split(separator: "/")
        guard parts.count == 2, ["node", "newer"].contains(parts[0]) else { return String(parts.first ?? "") }
        let words = parts[1].dropFirst("test_".count).split(separator: "_").map { $0.lowercased() }
        for count in stride(from: words.count, through: 1, by: -1) {
            if let name = names[words.prefix(count).joined()] { return name }
        }
        return words.first ?? ""
    }

    private static let names = Dictionary(
        Operators.all.map { ($0.name.lowercased(), $0.name) }, uniquingKeysWith: { first, _ in first })

    var description: String {
        let total = byOperator.values.reduce(Counts(), +)
        let inside = total.total - total.outside
        func percent(_ whole: Int) -> String {
            whole == 0 ? "–" : "\((Double(total.passed) * 1000 / Double(whole)).rounded(.down) / 10) %"
        }
        let title = "\(version)'s backend tests on \(backend)"
        var lines = ["\(title): passed, failed, excluded as missing, excluded as outside"]
        for (name, counts) in byOperator.sorted(by: { $0.key.lowercased() < $1.key.lowercased() })
        where counts.total > 0 {
            lines.append("  \(name): \(counts.passed), \(counts.failed), \(counts.missing), \(counts.outside)")
        }
        lines.append(
            "\(title): \(total.passed) passed, \(total.failed) failed, "
                + "\(total.missing) missing, \(total.outside) outside of Apus's domain; "
                + "\(percent(inside)) of those inside, \(percent(total.total)) of all"
                + (total.notApplicable > 0 ? "; \(total.notApplicable) have nothing to run there" : ""))
        return lines.joined(separator: "\n")
    }
}
