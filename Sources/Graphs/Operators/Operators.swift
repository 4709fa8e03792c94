/// The operators Apus knows, by ONNX name.
package enum Operators {
    /// Every operator, in alphabetical order.
    package static let all: [any Operator.Type] = [
        Relu.self,
    ]

    /// The newest version of ONNX's default domain whose operators are known.
    package static let newestOpset = 22

    private static let byName: [String: any Operator.Type] = Dictionary(
        all.map { ("\($0.domain):\($0.name)", $0) }, uniquingKeysWith: { first, _ in first })

    /// The operator called `name`, when Apus knows it.
    package static func find(_ name: String, domain: String = "") -> (any Operator.Type)? {
        byName["\(domain == "ai.onnx" ? "" : domain):\(name)"]
    }
}
