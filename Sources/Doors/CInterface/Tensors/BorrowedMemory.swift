import Apus
import CApus

/// Memory of a caller that a tensor reads.
struct BorrowedMemory {
    let type: ElementType
    let extents: [Int]
    let strides: [Int]
    /// The bytes from the first element to the end of the last.
    let byteCount: Int

    /// Checks what a caller says about its memory.
    ///
    /// - Parameters:
    ///   - strides: In elements; nil for row-major order.
    /// - Throws: ``InterfaceError`` for extents or strides that are negative or too large.
    init(
        _ type: ElementType, rank: Int32, extents: UnsafePointer<Int64>?, strides: UnsafePointer<Int64>?
    ) throws {
        self.type = type
        self.extents = try Self.numbers(extents, rank, "extents")
        let count = try Shape.elementCount(self.extents)
        self.strides =
            try strides.map { try Self.numbers($0, rank, "strides") } ?? Shape.rowMajorStrides(self.extents)
        guard count > 0 else {
            byteCount = 0
            return
        }
        var last = 0
        for (extent, stride) in zip(self.extents, self.strides) {
            let (distance, overflow) = (extent - 1).multipliedReportingOverflow(by: stride)
            let (sum, isTooFar) = last.addingReportingOverflow(distance)
            guard !overflow, !isTooFar else { throw InterfaceError.argument("strides are too large", code: "strides") }
            last = sum
        }
        let (bytes, overflow) = last.multipliedReportingOverflow(by: type.byteCount)
        guard !overflow, bytes <= Int.max - type.byteCount else {
            throw InterfaceError.argument("strides are too large", code: "strides")
        }
        byteCount = bytes + type.byteCount
    }

    /// A tensor that reads the memory.
    ///
    /// - Parameter giveBack: Called once, when nothing reads the memory any more, but not when this throws.
    func tensor(
        at start: UnsafeRawPointer?, giveBack: @escaping @Sendable () -> Void
    ) throws(InterfaceError) -> TensorObject {
        // An empty tensor needs an address too.
        let address = start ?? UnsafeRawPointer(Self.nothing.start)
        guard start != nil || byteCount == 0 else { throw .argument("data is NULL", code: "null") }
        guard Int(bitPattern: address).isMultiple(of: type.byteCount) || byteCount == 0 else {
            throw .argument("data is not aligned to the \(type.byteCount) bytes of \(type)", code: "alignment")
        }
        let storage = Storage(borrowing: address, byteCount: byteCount, giveBack: giveBack)
        return try TensorObject(
            Tensor(elementType: type, shape: extents, strides: strides, offset: 0, storage: storage))
    }

    private static let nothing = CString("")

    private static func numbers(
        _ pointer: UnsafePointer<Int64>?, _ rank: Int32, _ name: String
    ) throws(InterfaceError) -> [Int] {
        let list = try elements(pointer, Int(rank), atMost: Int(APUS_MAXIMUM_RANK), name).map { Int($0) }
        guard list.allSatisfy({ $0 >= 0 }) else { throw .argument("\(name) are negative", code: name) }
        return list
    }
}
