import Planning
import Tensors

/// One enqueueing of a kernel: what is compiled, what it is given, and how many work-items there are.
package struct KernelCall: Sendable {
    package enum Argument: Sendable {
        /// A value between layers, scratch memory, or a part of the network as ``Operand/onDevice()`` gives it: two
        /// arguments, the buffer and the offset of the first element.
        case operand(Operand)
        /// A part of the network as `pack` rearranges it, uploaded once for all plans: two arguments, as an operand's.
        /// The packing's name says everything that the arrangement depends on.
        case constant(Tensor, packing: String, pack: @Sendable (Tensor) throws -> Tensor)
        /// An operand counted in vectors of so many elements.
        case vectors(Operand, count: Int)
        /// No buffer: two arguments, as an operand's.
        case absent
        case int(Int32)
        case long(Int)
        case float(Float)
        /// Extents or strides of up to eight axes, outermost first: an `int8`.
        case axes([Int])
        /// Up to eight numbers: a `float8`.
        case floats([Float])
        /// Local memory of so many bytes.
        case local(byteCount: Int)
    }

    package var source: KernelSource
    package var kernel: String
    package var macros: [String: String]
    package var arguments: [Argument]
    /// Work-items along up to three axes; multiples of `local`.
    package var global: [Int]
    /// Work-items of a group; nil leaves it to the driver.
    package var local: [Int]?

    package init(
        _ source: KernelSource, kernel: String, macros: [String: String] = [:], arguments: [Argument], global: [Int],
        local: [Int]? = nil
    ) {
        self.source = source
        self.kernel = kernel
        self.macros = macros
        self.arguments = arguments
        self.global = global
        self.local = local
    }
}

extension Operand {
    /// The operand as the device has it: a part of the network that has gaps becomes row-major.
    package func onDevice() throws -> Operand {
        guard case .constant(let tensor) = place, !tensor.isDense else { return self }
        let contiguous = try tensor.contiguous()
        return Operand(
            elementType: elementType, shape: shape, strides: contiguous.strides, place: .constant(contiguous))
    }
}

extension Tensor {
    /// Whether the elements fill a range of memory, in whatever order of axes.
    var isDense: Bool {
        let axes = shape.indices.filter { shape[$0] != 1 }.sorted { strides[$0] < strides[$1] }
        var expected = 1
        for axis in axes {
            if strides[axis] != expected { return false }
            expected *= shape[axis]
        }
        return true
    }
}

/// Kernels enqueued one after the other for one layer.
package struct KernelStep: DeviceStep {
    package let calls: [KernelCall]

    package init(_ calls: [KernelCall]) { self.calls = calls }
}
