import Graphs
import Tensors

/// What versions of ONNX's default domain changed, and how nodes of older versions take today's form.
///
/// Reference: https://onnx.ai/onnx/operators/, where every operator's page shows what each version changed
package enum ONNXHistory {
    /// The newest version of the default domain whose operators are known.
    package static let newestVersion = 28

    /// Operators that another one replaced.
    package static let successors = ["Scatter": "ScatterElements", "Upsample": "Resize"]

    /// A change of some operators.
    private struct Change: Sendable {
        let operators: [String]
        /// The version that brought it; nil where writers of later versions also keep the older form.
        let version: Int?
        /// Puts a node of an older version into the newer form.
        let adapt: @Sendable (inout ONNXNodeForm) throws(OperatorError) -> Void

        init(
            _ operators: String..., in version: Int? = nil,
            adapt: @escaping @Sendable (inout ONNXNodeForm) throws(OperatorError) -> Void
        ) {
            self.operators = operators
            self.version = version
            self.adapt = adapt
        }
    }

    private static let changes: [Change] = [
        Change("BatchNormalization") { (form) throws(OperatorError) in
            form.drop("is_test")
            guard try form.takeBool("spatial", default: true) else { throw .unsupported("\"spatial\" 0") }
        },
        Change("Cast", in: 6) { (form) throws(OperatorError) in try form.nameElementType("to") },
        Change("Concat", in: 4) { form in form.setDefault("axis", .int(1)) },
        Change("Dropout") { form in form.drop("is_test", "ratio") },
        Change("Dropout", in: 10) { form in form.complete(\Dropout.hasBooleanMask, false) },
        Change("Gemm", in: 7) { form in form.drop("broadcast") },
        Change("GridSample") { form in form.renameMode(["bilinear": "linear", "bicubic": "cubic"]) },
        Change("GroupNormalization", in: 21) { form in form.complete(\GroupNormalization.scalesGroups, true) },
        Change("MeanVarianceNormalization", in: 9) { (form) throws(OperatorError) in
            let isAcrossChannels = try form.takeBool("across_channels", default: false)
            try form.set("axes", .ints(isAcrossChannels ? [1, 2, 3] : [2, 3]))
            guard try form.takeBool("normalize_variance", default: true) else {
                throw .unsupported("\"normalize_variance\" 0")
            }
        },
        Change("Pad", in: 2) { (form) throws(OperatorError) in try form.rename("paddings", to: "pads") },
        Change("PRelu", in: 7) { form in form.complete(\PRelu.hasChannelSlope, true) },
        Change("RNN", "GRU", "LSTM") { form in form.drop("output_sequence") },
        Change("Resize", in: 11) { (form) throws(OperatorError) in
            try form.insertAbsentInput(at: 1, limit: 2)
            form.setDefault("coordinate_transformation_mode", .string("asymmetric"))
            form.setDefault("nearest_mode", .string(Interpolation.Nearest.ceilWhereSmaller.rawValue))
        },
        Change("RoiAlign", in: 16) { form in
            form.setDefault("coordinate_transformation_mode", .string("output_half_pixel"))
        },
        Change("Scan", in: 9) { (form) throws(OperatorError) in
            try form.expectAbsent("scan_input_axes", "scan_output_axes", "scan_output_directions")
            try form.rename("directions", to: "scan_input_directions")
            form.complete(\Scan.isBatched, true)
        },
        Change("Selu", in: 6) { form in
            form.setDefault("alpha", .float(1.6732))
            form.setDefault("gamma", .float(1.0507))
        },
        Change("Softmax", "LogSoftmax", "Hardmax", in: 13) { form in
            form.setDefault("axis", .int(1))
            form.complete(\Softmax.flattensTrailingAxes, true)
            form.complete(\LogSoftmax.flattensTrailingAxes, true)
            form.complete(\Hardmax.flattensTrailingAxes, true)
        },
        Change("Split", in: 18) { form in form.complete(\Split.allowsRemainder, false) },
        Change("Tile", in: 6) { (_) throws(OperatorError) in throw .unsupported("Tile before version 6") },
        Change("Upsample") { (form) throws(OperatorError) in try form.resize() },
        Change(
            "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mul", "Or", "Pow", "Sub",
            "Xor", in: 7
        ) { (form) throws(OperatorError) in try form.alignSecondInput() },
    ]

    private static let changesByOperator = changes.reduce(into: [String: [Change]]()) { table, change in
        for name in change.operators { table[name, default: []].append(change) }
    }

    /// Attributes that hold the number of an element type in `TensorProto.DataType`.
    private static let elementTypes = [
        "BitCast": "to", "BlackmanWindow": "output_datatype", "Cast": "to", "DequantizeLinear": "output_dtype",
        "EyeLike": "dtype", "HammingWindow": "output_datatype", "HannWindow": "output_datatype",
        "QuantizeLinear": "output_dtype",
    ]

    /// Puts a node of the default domain into today's form.
    ///
    /// - Throws: ``OperatorError`` where attributes contradict the node's version, or Apus cannot do what they say.
    static func modernize(_ form: inout ONNXNodeForm) throws(OperatorError) {
        // Version 1 of many operators named the inputs whose memory they may take.
        form.drop("consumed_inputs")
        for change in changesByOperator[form.name] ?? [] where form.version < change.version ?? .max {
            try change.adapt(&form)
        }
        if let attribute = elementTypes[form.name] { try form.translateElementType(attribute) }
    }
}

extension ONNXNodeForm {
    /// Replaces the name of an element type by the type.
    fileprivate mutating func nameElementType(_ attribute: String) throws(OperatorError) {
        guard case .string(let name) = attributes[attribute] else { return }
        let names = ["float": ElementType.float32, "double": .float64]
        guard let type = names[name.lowercased()] ?? ElementType(rawValue: name.lowercased()) else {
            throw .unsupported("element type \(name)")
        }
        drop(attribute)
        try set(attribute, .elementType(type))
    }

    /// Replaces the number of an element type by the type; 0 leaves it undefined.
    fileprivate mutating func translateElementType(_ attribute: String) throws(OperatorError) {
        guard case .int(let number) = attributes[attribute] else { return }
        drop(attribute)
        guard number != 0 else { return }
        guard let code = Int32(exactly: number), let type = ONNXDataType(rawValue: code)?.elementType else {
            throw .unsupported("element type \(number)")
        }
        try set(attribute, .elementType(type))
    }

    fileprivate mutating func renameMode(_ names: [String: String]) {
        guard case .string(let name) = attributes["mode"], let today = names[name] else { return }
        drop("mode")
        setDefault("mode", .string(today))
    }

    /// Before version 7 attributes said whether the second input is repeated, and where its axes begin.
    fileprivate mutating func alignSecondInput() throws(OperatorError) {
        var reader = AttributeReader(attributes)
        let isRepeated = try reader.bool("broadcast", default: false)
        let axis = try reader.int("axis")
        drop("broadcast", "axis")
        if !isRepeated { align(.equalShapes) } else if let axis { align(.axis(axis)) }
    }

    /// Upsample is what Resize does with these coordinates; its scales may be attributes.
    fileprivate mutating func resize() throws(OperatorError) {
        var reader = AttributeReader(attributes)
        let mode = try reader.string("mode") ?? "nearest"
        let modes = ["nearest": "nearest", "linear": "linear", "bilinear": "linear"]
        guard let today = modes[mode.lowercased()] else {
            throw .invalid("attribute \"mode\" is \"\(mode)\"; nearest or linear is expected")
        }
        var scales = try reader.floats("scales")
        if let height = try reader.float("height_scale"), let width = try reader.float("width_scale") {
            scales = [1, 1, height, width]
        }
        drop("mode", "scales", "height_scale", "width_scale")
        try set("mode", .string(today))
        try set("coordinate_transformation_mode", .string("asymmetric"))
        try set("nearest_mode", .string("floor"))
        try insertAbsentInput(at: 1, limit: 2)
        if let scales { setInput(2, to: try .constant(scales, shape: [scales.count])) }
    }
}
