import FoundationEssentials

/// The keys of a `preprocessor_config.json` or of a configuration of timm, whose types are checked when they are read.
/// A null key counts as absent.
struct HuggingFaceConfiguration {
    let values: [String: JSONValue]

    init(_ json: Data) throws(PreprocessingError) {
        guard let value = JSONValue(json) else { throw .malformed(json.isEmpty ? "it is empty" : "it is not JSON") }
        guard let object = value.object else { throw .malformed("it is another JSON value") }
        // A processor_config.json has the steps in an object of their own.
        self.init(object["image_processor"]?.object ?? object)
    }

    init(_ members: [String: JSONValue]) { values = members.filter { $0.value != .null } }

    /// Keys on which pixels do not depend, at least for one image on the CPU.
    private static let informational: Set = [
        "image_processor_type", "feature_extractor_type", "processor_class", "_valid_processor_keys", "auto_map",
        "return_tensors", "data_format", "input_data_format", "device", "disable_grouping", "use_fast",
        "model_input_names", "do_convert_rgb", "do_reduce_labels", "reduce_labels", "do_convert_annotations", "format",
        "_name_or_path", "transformers_version", "name_or_path", "_processor_class",
    ]

    private static let known: Set = [
        "do_resize", "size", "resample", "default_to_square", "do_center_crop", "crop_size", "crop_pct", "do_rescale",
        "rescale_factor", "do_normalize", "image_mean", "image_std", "do_flip_channel_order", "do_pad", "pad_size",
        "keep_aspect_ratio", "ensure_multiple_of",
    ]

    /// Refuses unknown keys, unless they are `false` or `null`.
    func checkKeys() throws(PreprocessingError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key })
        where !Self.known.contains(key) && !Self.informational.contains(key) && value != .boolean(false) {
            throw .unsupported(key: key, reason: "this key is unknown, and may change pixels")
        }
    }

    func flag(_ key: String, default fallback: Bool) throws(PreprocessingError) -> Bool {
        switch values[key] {
        case nil: return fallback
        case .boolean(let value): return value
        case let value?: throw .invalid(key: key, reason: "must be true or false, not \(value.kind)")
        }
    }

    func number(_ key: String) throws(PreprocessingError) -> Double? {
        switch values[key] {
        case nil: return nil
        case .number(let value, _): return value
        case let value?: throw .invalid(key: key, reason: "must be a number, not \(value.kind)")
        }
    }

    func text(_ key: String) throws(PreprocessingError) -> String? {
        switch values[key] {
        case nil: return nil
        case .string(let value): return value
        case let value?: throw .invalid(key: key, reason: "must be text, not \(value.kind)")
        }
    }

    /// One number or a list of them.
    func numbers(_ key: String) throws(PreprocessingError) -> [Float]? {
        switch values[key] {
        case nil: return nil
        case .number(let value, _): return [Float(value)]
        case .array(let elements):
            var numbers: [Float] = []
            for element in elements {
                guard case .number(let value, _) = element else {
                    throw .invalid(key: key, reason: "must be a list of numbers, but has \(element.kind) in it")
                }
                numbers.append(Float(value))
            }
            return numbers
        case let value?: throw .invalid(key: key, reason: "must be a number or a list of numbers, not \(value.kind)")
        }
    }

    /// A length in pixels.
    func edge(_ key: String, _ value: JSONValue) throws(PreprocessingError) -> Int {
        guard case .number(let number, _) = value, let edge = Int(exactly: number) else {
            throw .invalid(key: key, reason: "must be a whole number of pixels, not \(value.kind)")
        }
        guard (1...Preprocessing.maximumEdge).contains(edge) else {
            throw .invalid(key: key, reason: "must lie between 1 and \(Preprocessing.maximumEdge), not \(edge)")
        }
        return edge
    }

    /// The edges of an object by their names, or of a list of height and width; nil when the value is one number.
    func edges(_ key: String, _ value: JSONValue) throws(PreprocessingError) -> [String: Int]? {
        var edges: [String: Int] = [:]
        switch value {
        case .number: return nil
        case .object(let object):
            for (name, value) in object where value != .null { edges[name] = try edge("\(key).\(name)", value) }
        case .array(let list) where list.count == 2:
            for (name, value) in zip(["height", "width"], list) { edges[name] = try edge(key, value) }
        default:
            throw .invalid(key: key, reason: "must be a number or an object, not \(value.kind)")
        }
        return edges
    }

    /// A size that does not depend on the image; a single number means a square.
    func fixedSize(_ key: String) throws(PreprocessingError) -> ImageSize? {
        guard let value = values[key] else { return nil }
        guard let edges = try edges(key, value) else {
            let edge = try edge(key, value)
            return ImageSize(width: edge, height: edge)
        }
        guard edges.count == 2, let width = edges["width"], let height = edges["height"] else {
            throw .invalid(key: key, reason: "must have \"height\" and \"width\"")
        }
        return ImageSize(width: width, height: height)
    }
}
