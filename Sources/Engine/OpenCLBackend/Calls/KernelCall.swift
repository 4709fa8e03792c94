import Planning
import Tensors

/// A call that enqueues a kernel: the source, the arguments and the number of work-items.
package struct KernelCall: Sendable {
    package enum Argument: Sendable {
        /// A value between layers, scratch memory, or a part of the network from ``Operand/onDevice()``. It makes two
        /// arguments, the buffer and the offset of the first element.
        case operand(Operand)
        /// A part of the network as `pack` rearranges it, uploaded once for all plans. It makes two arguments, like an
        /// operand. The packing's name identifies everything that the arrangement depends on.
        case constant(Tensor, packing: String, pack: @Sendable (Tensor) throws -> Tensor)
        /// An operand whose offset is counted in vectors of `count` elements.
        case vectors(Operand, count: Int)
        /// No buffer. It makes two arguments, like an operand.
        case absent
        case int(Int32)
        case long(Int)
        case float(Float)
        /// Extents or strides of up to eight axes, outermost first, as an `int8`.
        case axes([Int])
        /// Up to eight numbers, as a `float8`.
        case floats([Float])
        /// Local memory of `byteCount` bytes.
        case local(byteCount: Int)
    }

    package var source: KernelSource
    package var kernel: String
    package var macros: [String: String]
    package var arguments: [Argument]
    /// Work-items along up to three axes; multiples of `local`.
    package var global: [Int]
    /// Work-items per group along each axis; nil lets the driver choose.
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
    /// The operand as the device stores it. A part of the network with gaps becomes row-major.
    package func onDevice() throws -> Operand {
        guard case .constant(let tensor) = place, !tensor.isDense else { return self }
        let contiguous = try tensor.contiguous()
        return Operand(
            elementType: elementType, shape: shape, strides: contiguous.strides, place: .constant(contiguous))
    }
}

extension Tensor {
    /// Whether the elements fill a range of memory, in any order of axes.
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

/// The kernels of one layer, enqueued one after another.
package struct KernelStep: DeviceStep {
    package let calls: [KernelCall]

    package init(_ calls: [KernelCall]) { self.calls = calls }
}
