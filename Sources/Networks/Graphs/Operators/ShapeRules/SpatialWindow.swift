import Tensors

/// The kernel, strides, dilations and padding that convolutions and pools share.
///
/// Attributes: `kernel_shape` (the weights' extents), `strides` (1 each), `dilations` (1 each), `pads` (0 each; begins
/// of all axes, then ends), `auto_pad` (`NOTSET`), `ceil_mode` (0, pools only).
package struct SpatialWindow: Sendable, Hashable {
    /// The source of padding.
    package enum AutoPad: String, Sendable {
        /// The attribute `pads`.
        case notSet = "NOTSET"
        /// The padding that makes the output ⌈input / stride⌉ long; an odd element goes to the end.
        case sameUpper = "SAME_UPPER"
        /// The padding that makes the output ⌈input / stride⌉ long; an odd element goes to the start.
        case sameLower = "SAME_LOWER"
        /// No padding.
        case valid = "VALID"
    }

    /// The extents of the kernel; empty when the weights determine them.
    package var kernel: [Int]
    /// Empty means 1 along every axis.
    package var strides: [Int]
    /// Empty means 1 along every axis.
    package var dilations: [Int]
    /// The pads at the start of all axes, then those at the end; empty means 0.
    package var pads: [Int]
    package var autoPad: AutoPad
    /// Whether a last window that is only partly inside the padded input counts.
    package var ceilMode: Bool

    package init(
        kernel: [Int] = [], strides: [Int] = [], dilations: [Int] = [], pads: [Int] = [], autoPad: AutoPad = .notSet,
        ceilMode: Bool = false
    ) {
        self.kernel = kernel
        self.strides = strides
        self.dilations = dilations
        self.pads = pads
        self.autoPad = autoPad
        self.ceilMode = ceilMode
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(
            kernel: try attributes.ints("kernel_shape") ?? [], strides: try attributes.ints("strides") ?? [],
            dilations: try attributes.ints("dilations") ?? [], pads: try attributes.ints("pads") ?? [])
        let mode = try attributes.string("auto_pad") ?? ""
        guard let autoPad = mode.isEmpty ? .notSet : AutoPad(rawValue: mode) else {
            throw .invalid(
                "attribute \"auto_pad\" is \"\(mode)\"; NOTSET, SAME_UPPER, SAME_LOWER or VALID is expected")
        }
        self.autoPad = autoPad
        try Self.check("kernel_shape", kernel, least: 1)
        try Self.check("strides", strides, least: 1)
        try Self.check("dilations", dilations, least: 1)
        try Self.check("pads", pads, least: 0)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if !kernel.isEmpty { values["kernel_shape"] = .ints(kernel.map(Int64.init)) }
        if strides.contains(where: { $0 != 1 }) { values["strides"] = .ints(strides.map(Int64.init)) }
        if dilations.contains(where: { $0 != 1 }) { values["dilations"] = .ints(dilations.map(Int64.init)) }
        if pads.contains(where: { $0 != 0 }) { values["pads"] = .ints(pads.map(Int64.init)) }
        if autoPad != .notSet { values["auto_pad"] = .string(autoPad.rawValue) }
        if ceilMode { values["ceil_mode"] = .int(1) }
        return values
    }

    /// Whether nothing is padded, regardless of the input's extents.
    package var isUnpadded: Bool { autoPad == .valid || (autoPad == .notSet && pads.allSatisfy { $0 == 0 }) }

    /// The maximum extent, stride, dilation or padding; products of two are far from overflow.
    static let limit = 1 << 31 - 1

    static func check(_ name: String, _ values: [Int], least: Int) throws(OperatorError) {
        guard values.allSatisfy({ $0 >= least && $0 <= limit }) else {
            throw .invalid("attribute \"\(name)\" is \(values); every number must be from \(least) to \(limit)")
        }
    }
}
