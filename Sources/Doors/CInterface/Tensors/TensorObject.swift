import Apus
import CApus

/// A tensor.
final class TensorObject: HandleObject {
    static let kind = "tensor"

    let tensor: Tensor
    private let code: apus_element_type

    /// - Throws: ``InterfaceError`` for elements or axes that tensors of the interface do not have.
    init(_ tensor: Tensor) throws(InterfaceError) {
        guard let code = tensor.elementType.code, tensor.shape.count <= APUS_MAXIMUM_RANK else {
            throw InterfaceError(
                status: APUS_ERROR_ARGUMENT, code: "type",
                message: "a tensor of \(tensor.elementType)\(tensor.shape) cannot be handed out")
        }
        self.tensor = tensor
        self.code = code
    }

    /// The first element.
    var data: UnsafeRawPointer {
        UnsafeRawPointer(tensor.storage.base) + tensor.offset * tensor.elementType.byteCount
    }

    /// The elements in C's form.
    var elements: apus_elements {
        var elements = apus_elements()
        elements.type = code
        elements.rank = Int32(tensor.shape.count)
        withUnsafeMutableBytes(of: &elements.extents) { $0.write(tensor.shape) }
        withUnsafeMutableBytes(of: &elements.strides) { $0.write(tensor.strides) }
        elements.data = data
        return elements
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes numbers of 64 bits.
    fileprivate func write(_ numbers: [Int]) {
        for (position, number) in numbers.enumerated() {
            storeBytes(of: Int64(number), toByteOffset: position * MemoryLayout<Int64>.stride, as: Int64.self)
        }
    }
}
