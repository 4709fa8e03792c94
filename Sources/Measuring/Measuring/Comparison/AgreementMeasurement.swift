import Graphs
import Tensors

/// Compares the values that sessions compute with those of a float64 evaluation, one input at a time.
struct AgreementMeasurement: Sendable {
    /// The agreement of all sessions on one input.
    struct Finding: Sendable {
        /// The agreement of each session, by the name of the value.
        var agreements: [[String: Agreement]]
        /// The reference's classes with the highest confidence, in falling order; nil when the first output is not a
        /// list of classes.
        var referenceClasses: [Int]?
        /// The same classes of each session.
        var classes: [[Int]?]
    }

    private let evaluation: Float64Evaluation
    private let source: Graph
    private let names: Set<String>

    init(_ network: ComparedNetwork) {
        evaluation = Float64Evaluation(network.source)
        source = network.source
        names = network.sharedValues
    }

    /// Compares the values that sessions computed for an input.
    ///
    /// - Parameters:
    ///   - input: A tensor for every input, by name.
    ///   - found: The values of each session, by name.
    func compare(_ input: [String: Tensor], _ found: [[String: Tensor]]) throws -> Finding {
        var finding = Finding(agreements: found.map { _ in [:] }, classes: found.map { _ in nil })
        let output = source.outputs.first
        try evaluation.run(source.inputs.compactMap { input[source[$0].name] }) { id, tensor in
            let name = source[id].name
            guard tensor.elementType == .float64, names.contains(name) else { return }
            let reference = tensor.elements(as: Double.self)
            for (index, values) in found.enumerated() {
                guard let value = values[name] else { continue }
                finding.agreements[index][name] = Agreement(value.elements(as: Double.self), reference: reference)
            }
            if id == output, Self.isListOfClasses(tensor.shape) {
                finding.referenceClasses = Self.top(5, of: reference)
                finding.classes = found.map { $0[name].map { Self.top(5, of: $0.elements(as: Double.self)) } }
            }
        }
        return finding
    }

    /// Whether a shape for one image has exactly one axis of another extent than 1.
    private static func isListOfClasses(_ shape: [Int]) -> Bool { shape.filter { $0 != 1 }.count == 1 }

    /// The indices of the largest numbers, largest first; of equal numbers the first one comes first.
    private static func top(_ count: Int, of values: [Double]) -> [Int] {
        var chosen: [Int] = []
        for (index, value) in values.enumerated() {
            if chosen.count == count, value <= values[chosen[count - 1]] { continue }
            if chosen.count == count { chosen.removeLast() }
            chosen.insert(index, at: chosen.firstIndex { values[$0] < value } ?? chosen.count)
        }
        return chosen
    }
}

/// The agreement of all sessions on all inputs.
struct AgreementTotals {
    private(set) var agreements: [[String: Agreement]]
    private(set) var top1Changes: [[String]]
    private(set) var top5Changes: [[String]]
    private(set) var hasClasses = true

    init(sessionCount: Int) {
        agreements = Array(repeating: [:], count: sessionCount)
        top1Changes = Array(repeating: [], count: sessionCount)
        top5Changes = top1Changes
    }

    mutating func add(_ finding: AgreementMeasurement.Finding, of input: String) {
        for (index, values) in finding.agreements.enumerated() {
            for (name, agreement) in values { agreements[index][name, default: Agreement()].merge(agreement) }
        }
        guard let reference = finding.referenceClasses else {
            hasClasses = false
            return
        }
        for (index, classes) in finding.classes.enumerated() {
            guard let classes else { continue }
            if classes.first != reference.first { top1Changes[index].append(input) }
            if Set(classes) != Set(reference) { top5Changes[index].append(input) }
        }
    }
}
