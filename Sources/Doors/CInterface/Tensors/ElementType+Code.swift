import Apus
import CApus

extension ElementType {
    /// The types that tensors of the interface have, in the order of their codes from 1.
    private static let coded: [ElementType] = [
        .float32, .float16, .float64, .bfloat16, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64,
        .bool,
    ]

    /// The code in the interface; nil for a type that its tensors do not have.
    var code: apus_element_type? { Self.coded.firstIndex(of: self).map { apus_element_type($0 + 1) } }

    /// The type of a code.
    init(code: apus_element_type) throws(InterfaceError) {
        let index = Int(code) - 1
        guard Self.coded.indices.contains(index) else {
            throw .argument("there is no element type \(code)", code: "type")
        }
        self = Self.coded[index]
    }
}
