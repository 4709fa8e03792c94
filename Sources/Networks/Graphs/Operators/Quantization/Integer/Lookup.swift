import Tensors

/// A function of quantized numbers, given as a table: y = table[x − minimum x].
///
/// Shapes: x any (int8 or uint8, or int16), table [256] or [65536] → x's.
/// Numerics: exact.
package struct Lookup: Operator {
    package static let name = "Lookup"
    package static let domain = "apus"
    package static let inputCount = 2...2

    package init() {}
    package init(_ attributes: inout AttributeReader) throws(OperatorError) {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, table) = (try inputs.required(0), try inputs.required(1))
        guard let range = x.elementType.quantizedRange, table.shape == [range.count] else {
            throw .invalid("a table \(table.shape) does not fit \(x.elementType)")
        }
        return [TensorType(table.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, table) = (try inputs.required(0), try inputs.required(1))
        let least = Int(x.elementType.quantizedRange?.lowerBound ?? 0)
        func values<Element: TensorElement>(_: Element.Type) throws -> Tensor {
            let table = table.elements(as: Element.self)
            return try Tensor(x.elements(as: Int64.self).map { table[Int($0) - least] }, shape: x.shape)
        }
        return [try values(table.elementType.swiftType)]
    }
}
