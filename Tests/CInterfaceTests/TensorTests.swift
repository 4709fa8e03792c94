import CApus
import CInterface
import Synchronization
import Testing
import TestSupport

@Suite(.callerThreads) struct TensorTests {
    /// Counts the calls of a deleter.
    final class Counter: Sendable {
        let count = Atomic<Int>(0)
        static let deleter: apus_deleter = { context in
            guard let context else { return }
            Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().count.add(1, ordering: .relaxed)
        }
        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
        var calls: Int { count.load(ordering: .relaxed) }
    }

    private let numbers = UnsafeMutableBufferPointer<Float>.allocate(capacity: 64)

    init() { for index in numbers.indices { numbers[index] = Float(index) } }

    private func borrow(
        _ shape: [Int64], _ strides: [Int64]?, _ start: UnsafeRawPointer?, bytes: Int, _ counter: Counter
    ) throws -> OpaquePointer {
        try Interface.handle { handle, error in
            apus_tensor_borrow(
                apus_element_type(APUS_FLOAT32), Int32(shape.count), shape, strides, start, bytes, Counter.deleter,
                counter.context, handle, error)
        }
    }

    @Test func borrowedMemoryIsReadInPlaceAndGivenBackOnce() throws {
        let counter = Counter()
        let tensor = try borrow([2, 3], nil, numbers.baseAddress, bytes: 24, counter)
        let elements = try Interface.elements(tensor)
        #expect(elements.data == UnsafeRawPointer(numbers.baseAddress))
        #expect(elements.rank == 2)
        #expect(elements.extents.0 == 2)
        #expect(elements.extents.1 == 3)
        #expect(elements.strides.0 == 3)
        #expect(elements.strides.1 == 1)
        try Interface.call { apus_retain(UnsafeRawPointer(tensor), $0) }
        Interface.release(tensor)
        #expect(counter.calls == 0)
        Interface.release(tensor)
        #expect(counter.calls == 1)
        numbers.deallocate()
    }

    /// Who hands memory over has handed it over, whatever comes of it.
    @Test func memoryIsGivenBackWhenItCannotBeBorrowed() {
        let counter = Counter()
        #expect(throws: Interface.Failure.self) { try borrow([2, 3], nil, numbers.baseAddress, bytes: 23, counter) }
        #expect(counter.calls == 1)
        numbers.deallocate()
    }

    @Test(arguments: [0, 1]) func dlpackSharesMemoryBothWays(isVersioned: Int32) throws {
        let counter = Counter()
        let tensor = try borrow([2, 2], [8, 2], numbers.baseAddress, bytes: 64, counter)
        var managed: UnsafeMutableRawPointer?
        try Interface.call { apus_tensor_to_dlpack(tensor, isVersioned, &managed, $0) }
        Interface.release(tensor)
        #expect(counter.calls == 0)
        let copy = try Interface.handle { apus_tensor_from_dlpack(managed, isVersioned, $0, $1) }
        let elements = try Interface.elements(copy)
        #expect(elements.data == UnsafeRawPointer(numbers.baseAddress))
        #expect(elements.strides.0 == 8)
        #expect(elements.strides.1 == 2)
        Interface.release(copy)
        #expect(counter.calls == 1)
        numbers.deallocate()
    }

    @Test func dlpackOfADeviceOrAnUnknownTypeIsRefusedAndStaysWithTheCaller() throws {
        var extents: [Int64] = [2]
        extents.withUnsafeMutableBufferPointer { extents in
            var managed = apus_dl_managed()
            managed.tensor = apus_dl_tensor(
                data: numbers.baseAddress, device: apus_dl_device(type: 2, id: 0), rank: 1,
                type: apus_dl_type(code: 2, bits: 32, lanes: 1), extents: extents.baseAddress, strides: nil,
                byte_offset: 0)
            // A deleter that is called would end the test.
            managed.deleter = { _ in fatalError("the caller keeps what was refused") }
            #expect(throws: Interface.Failure.self) {
                try Interface.handle { apus_tensor_from_dlpack(&managed, 0, $0, $1) }
            }
            managed.tensor.device.type = 1
            managed.tensor.type.lanes = 4
            #expect(throws: Interface.Failure.self) {
                try Interface.handle { apus_tensor_from_dlpack(&managed, 0, $0, $1) }
            }
        }
        numbers.deallocate()
    }
}
