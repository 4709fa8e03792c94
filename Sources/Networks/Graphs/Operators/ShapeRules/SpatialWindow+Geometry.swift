import Tensors

extension SpatialWindow {
    /// The numbers of a window for one input, with all defaults resolved.
    package struct Geometry: Sendable, Hashable {
        /// Extents of the input's spatial axes.
        package var input: [Int]
        package var kernel: [Int]
        package var strides: [Int]
        package var dilations: [Int]
        package var padsBegin: [Int]
        package var padsEnd: [Int]
        /// Extents of the output's spatial axes.
        package var output: [Int]
    }

    /// The numbers for an input with the spatial extents `input`.
    ///
    /// output = ⌊(input + pads − ((kernel − 1) · dilation + 1)) / stride⌋ + 1. With `ceil_mode` the division rounds up,
    /// but a window that would start in the padding at the end is dropped.
    ///
    /// - Parameter weights: The kernel extents of the weights, if there are weights.
    package func geometry(input: [Int], weights: [Int]? = nil) throws(OperatorError) -> Geometry {
        var result = try defaults(input: input, weights: weights)
        for axis in input.indices {
            let extent = input[axis]
            let stride = result.strides[axis]
            let reach = (result.kernel[axis] - 1) * result.dilations[axis] + 1
            if autoPad == .sameUpper || autoPad == .sameLower {
                let count = extent / stride + (extent % stride == 0 ? 0 : 1)
                let total = max(0, (max(count, 1) - 1) * stride + reach - extent)
                result.padsBegin[axis] = autoPad == .sameUpper ? total / 2 : total - total / 2
                result.padsEnd[axis] = total - result.padsBegin[axis]
                result.output.append(count)
                continue
            }
            let room = extent + result.padsBegin[axis] + result.padsEnd[axis] - reach
            let rounds = ceilMode && autoPad == .notSet
            var count = room >= 0 ? room / stride + 1 : 0
            if rounds, room > -stride, room % stride != 0 { count += 1 }
            if rounds, count > 1, (count - 1) * stride >= extent + result.padsBegin[axis] { count -= 1 }
            guard count > 0 else {
                throw .invalid(
                    "the kernel reaches over \(reach) elements of axis \(axis + 2), but the padded input has "
                        + "\(room + reach)")
            }
            result.output.append(count)
        }
        return result
    }

    /// Resolves defaults, with the given padding and without an output.
    func defaults(input: [Int], weights: [Int]?) throws(OperatorError) -> Geometry {
        let rank = input.count
        let kernel = self.kernel.isEmpty ? weights ?? [] : self.kernel
        guard kernel.count == rank else {
            throw .invalid("attribute \"kernel_shape\" is \(kernel); the input has \(rank) spatial axes")
        }
        if let weights, kernel != weights {
            throw .invalid("attribute \"kernel_shape\" is \(kernel), but the weights are \(weights)")
        }
        guard strides.isEmpty || strides.count == rank else {
            throw .invalid("attribute \"strides\" is \(strides); the input has \(rank) spatial axes")
        }
        guard dilations.isEmpty || dilations.count == rank else {
            throw .invalid("attribute \"dilations\" is \(dilations); the input has \(rank) spatial axes")
        }
        guard pads.isEmpty || pads.count == 2 * rank else {
            throw .invalid("attribute \"pads\" is \(pads); the input has \(rank) spatial axes with two ends each")
        }
        guard kernel.allSatisfy({ $0 > 0 }) else { throw .invalid("the kernel \(kernel) is empty") }
        guard (input + kernel).allSatisfy({ $0 <= Self.limit }) else {
            throw .invalid("the spatial extents \(input) and kernel \(kernel) are too large")
        }
        let isPadded = autoPad == .notSet && !pads.isEmpty
        return Geometry(
            input: input, kernel: kernel, strides: strides.isEmpty ? [Int](repeating: 1, count: rank) : strides,
            dilations: dilations.isEmpty ? [Int](repeating: 1, count: rank) : dilations,
            padsBegin: isPadded ? Array(pads[..<rank]) : [Int](repeating: 0, count: rank),
            padsEnd: isPadded ? Array(pads[rank...]) : [Int](repeating: 0, count: rank), output: [])
    }
}

extension SpatialWindow.Geometry {
    /// The same window over three spatial axes; added axes come first and have extent 1.
    func inThreeAxes() throws(OperatorError) -> Self {
        let missing = 3 - input.count
        guard missing >= 0 else { throw .unsupported("\(input.count) spatial axes; at most 3 are supported") }
        func extended(_ values: [Int], _ fill: Int) -> [Int] { [Int](repeating: fill, count: missing) + values }
        return Self(
            input: extended(input, 1), kernel: extended(kernel, 1), strides: extended(strides, 1),
            dilations: extended(dilations, 1), padsBegin: extended(padsBegin, 0), padsEnd: extended(padsEnd, 0),
            output: extended(output, 1))
    }

    /// The input position under the first kernel element of output `index`; negative in the padding.
    @inline(__always)
    func origin(_ axis: Int, _ index: Int) -> Int { index * strides[axis] - padsBegin[axis] }

    /// The kernel elements that lie at positions from `lower` up to `upper` when the first lies at `origin`.
    @inline(__always)
    func taps(_ axis: Int, origin: Int, from lower: Int = 0, to upper: Int) -> Range<Int> {
        let dilation = dilations[axis]
        let first = origin >= lower ? 0 : min(kernel[axis], (lower - origin + dilation - 1) / dilation)
        let last = origin >= upper ? 0 : min(kernel[axis], (upper - origin + dilation - 1) / dilation)
        return first..<max(first, last)
    }
}
