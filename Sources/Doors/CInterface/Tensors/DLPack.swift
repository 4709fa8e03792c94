import Apus
import CApus

@c @implementation
public func apus_tensor_from_dlpack(
    _ managed: UnsafeMutableRawPointer?, _ isVersioned: Int32, _ tensor: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(tensor, "tensor")
        guard let managed else { throw InterfaceError.argument("managed is NULL", code: "null") }
        let description: apus_dl_tensor
        let owner: ForeignTensor
        if isVersioned != 0 {
            let versioned = managed.assumingMemoryBound(to: apus_dl_versioned.self)
            guard versioned.pointee.major == 1 else {
                throw InterfaceError.argument("DLPack \(versioned.pointee.major) is not version 1", code: "version")
            }
            description = versioned.pointee.tensor
            owner = ForeignTensor { if let deleter = versioned.pointee.deleter { deleter(versioned) } }
        } else {
            let plain = managed.assumingMemoryBound(to: apus_dl_managed.self)
            description = plain.pointee.tensor
            owner = ForeignTensor { if let deleter = plain.pointee.deleter { deleter(plain) } }
        }
        let object = try description.tensor { withExtendedLifetime(owner) {} }
        owner.isTaken = true
        try give(object, to: place)
    }
}

/// A tensor of another library, which is given back when the object ends, if it was taken.
private final class ForeignTensor: @unchecked Sendable {
    /// Written before the object is shared.
    var isTaken = false
    private let giveBack: () -> Void

    init(_ giveBack: @escaping () -> Void) { self.giveBack = giveBack }

    deinit { if isTaken { giveBack() } }
}

extension apus_dl_tensor {
    /// A tensor that reads the memory.
    fileprivate func tensor(giveBack: @escaping @Sendable () -> Void) throws -> TensorObject {
        guard [APUS_DL_CPU, APUS_DL_CUDA_HOST, APUS_DL_ROCM_HOST].contains(Int(device.type)) else {
            throw InterfaceError.argument("the tensor is on device \(device.type), not in memory", code: "device")
        }
        let memory = try BorrowedMemory(type.elementType, rank: rank, extents: extents, strides: strides)
        guard byte_offset <= UInt64(Int.max / 2) else {
            throw InterfaceError.argument("the offset is too large", code: "length")
        }
        let start = UnsafeRawPointer(data).map { $0 + Int(byte_offset) }
        return try memory.tensor(at: start, giveBack: giveBack)
    }
}

extension apus_dl_type {
    /// The element types with their codes and bits.
    private static let known: [(type: ElementType, code: Int, bits: UInt8)] = [
        (.float16, APUS_DL_FLOAT, 16), (.float32, APUS_DL_FLOAT, 32), (.float64, APUS_DL_FLOAT, 64),
        (.bfloat16, APUS_DL_BFLOAT, 16), (.int8, APUS_DL_INT, 8), (.int16, APUS_DL_INT, 16), (.int32, APUS_DL_INT, 32),
        (.int64, APUS_DL_INT, 64), (.uint8, APUS_DL_UINT, 8), (.uint16, APUS_DL_UINT, 16),
        (.uint32, APUS_DL_UINT, 32), (.uint64, APUS_DL_UINT, 64), (.bool, APUS_DL_BOOL, 8),
    ]

    fileprivate var elementType: ElementType {
        get throws(InterfaceError) {
            guard lanes == 1, let known = Self.known.first(where: { $0.code == Int(code) && $0.bits == bits }) else {
                throw .argument(
                    "elements of DLPack's code \(code) with \(bits) bits and \(lanes) lanes are not read", code: "type")
            }
            return known.type
        }
    }

    fileprivate init?(_ type: ElementType) {
        guard let known = Self.known.first(where: { $0.type == type }) else { return nil }
        self.init(code: UInt8(known.code), bits: known.bits, lanes: 1)
    }
}

@c @implementation
public func apus_tensor_to_dlpack(
    _ tensor: OpaquePointer?, _ isVersioned: Int32, _ managed: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let managed = try required(managed, "managed")
        let exported = try ExportedTensor(object(tensor, TensorObject.self))
        managed.pointee = isVersioned != 0 ? exported.versioned() : exported.plain()
    }
}

/// A tensor that another library reads, until it calls the deleter.
private final class ExportedTensor {
    private let tensor: TensorObject
    private let type: apus_dl_type
    /// The extents, and behind them the strides.
    private let numbers: UnsafeMutablePointer<Int64>

    init(_ tensor: TensorObject) throws(InterfaceError) {
        guard let type = apus_dl_type(tensor.tensor.elementType) else {
            throw .argument("DLPack has no elements of \(tensor.tensor.elementType)", code: "type")
        }
        self.tensor = tensor
        self.type = type
        let list = tensor.tensor.shape + tensor.tensor.strides
        numbers = .allocate(capacity: max(1, list.count))
        for (position, number) in list.enumerated() { numbers[position] = Int64(number) }
    }

    deinit { numbers.deallocate() }

    private var description: apus_dl_tensor {
        let rank = tensor.tensor.shape.count
        return apus_dl_tensor(
            data: UnsafeMutableRawPointer(mutating: tensor.data),
            device: apus_dl_device(type: Int32(APUS_DL_CPU), id: 0),
            rank: Int32(rank), type: type, extents: numbers, strides: numbers + rank, byte_offset: 0)
    }

    /// A DLManagedTensor, whose deleter gives this object back.
    func plain() -> UnsafeMutableRawPointer {
        let managed = UnsafeMutablePointer<apus_dl_managed>.allocate(capacity: 1)
        managed.initialize(
            to: apus_dl_managed(tensor: description, context: Unmanaged.passRetained(self).toOpaque()) { managed in
                guard let managed else { return }
                ExportedTensor.giveBack(managed.pointee.context)
                managed.deallocate()
            })
        return UnsafeMutableRawPointer(managed)
    }

    /// A DLManagedTensorVersioned, whose deleter gives this object back.
    func versioned() -> UnsafeMutableRawPointer {
        let managed = UnsafeMutablePointer<apus_dl_versioned>.allocate(capacity: 1)
        managed.initialize(
            to: apus_dl_versioned(
                major: 1, minor: 0, context: Unmanaged.passRetained(self).toOpaque(),
                deleter: { managed in
                    guard let managed else { return }
                    ExportedTensor.giveBack(managed.pointee.context)
                    managed.deallocate()
                }, flags: UInt64(APUS_DL_READ_ONLY), tensor: description))
        return UnsafeMutableRawPointer(managed)
    }

    private static func giveBack(_ context: UnsafeMutableRawPointer?) {
        if let context { Unmanaged<ExportedTensor>.fromOpaque(context).release() }
    }
}
