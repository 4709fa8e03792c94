import FoundationEssentials

/// Silicon Labs' MLTK parameters about pictures and classes, a dictionary in a file's metadata. Only entries that
/// predictions need are read.
///
/// Reference: https://siliconlabs.github.io/mltk/docs/guides/model_parameters.html, with the fields and kinds of
/// `mltk/core/tflite_model_parameters/schema` of https://github.com/SiliconLabs/mltk
struct TFLiteParameters {
    static let metadataName = "SL_PARAMSv1"

    /// `classes`: the names of the classes in their order.
    private(set) var classes: [String]?
    /// `samplewise_norm.rescale`: the factor of pixels, which are 0 to 255; 1 where it is 0.
    private(set) var scale: Float = 1
    /// `samplewise_norm.mean_and_std`: whether each picture is then standardized to mean 0 and standard deviation 1.
    private(set) var standardizes = false
    /// Whether the file describes the normalization of pictures, which may be none.
    private(set) var describesPictures = false

    /// Whether pixels are changed.
    var normalizes: Bool { scale != 1 || standardizes }

    private static let (versionField, entriesField) = (0, 1)
    private static let (keyField, kindField, valueField) = (0, 1, 2)
    private static let version: UInt8 = 1
    private static let maximumEntryCount = 65_536

    /// The kinds of values, with the numbers of the schema's `Value`.
    private enum Kind {
        static let (boolean, float, double, strings) = (1, 10, 11, 13)
    }

    init(_ content: Data) throws(FormatError) {
        let root = try FlatBuffer(ModelContent(content)).root()
        let version = try root.integer(Self.versionField, as: UInt8.self)
        guard version <= Self.version else {
            throw .unsupported("version \(version) of \(Self.metadataName); only version \(Self.version) is read")
        }
        let entries = try root.tables(Self.entriesField, "entry of \(Self.metadataName)")
        guard entries.count <= Self.maximumEntryCount else {
            throw .unsupported("\(Self.metadataName) has \(entries.count) entries")
        }
        for entry in entries {
            guard let key = try entry.string(Self.keyField), let value = try entry.table(Self.valueField, "value")
            else {
                continue
            }
            let kind = try entry.byte(Self.kindField)
            switch (key, kind) {
            case ("classes", Kind.strings): classes = try value.strings(0)
            case ("samplewise_norm.rescale", Kind.float): try setScale(value.float(0))
            case ("samplewise_norm.rescale", Kind.double):
                try setScale(Float(Double(bitPattern: value.integer(0, as: UInt64.self))))
            case ("samplewise_norm.mean_and_std", Kind.boolean):
                standardizes = try value.bool(0)
                describesPictures = true
            default: break
            }
        }
        if classes?.isEmpty == true { classes = nil }
    }

    private mutating func setScale(_ number: Float) throws(FormatError) {
        guard number.isFinite else { throw .invalid("\(Self.metadataName): samplewise_norm.rescale is \(number)") }
        scale = number == 0 ? 1 : number
        describesPictures = true
    }
}
