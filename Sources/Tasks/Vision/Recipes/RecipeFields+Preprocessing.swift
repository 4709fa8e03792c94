import Graphs
import Images

extension RecipeFields {
    /// How pictures get their size in the file.
    private enum Resize: String, CaseIterable {
        case fill, fit
        case centerCrop = "center-crop"
        case squareCrop = "square-crop"
        case line, limit
    }

    private static let keysOfPreprocessing = [
        "resize", "size", "height", "minimum_width", "maximum_width", "side", "length", "multiple", "resample", "scale",
        "mean", "std", "channels", "square_border",
    ]

    /// Steps in an object of the file, on top of others.
    func preprocessing(_ value: JSONValue, on steps: Preprocessing) throws(Problem) -> Preprocessing {
        let fields = try RecipeFields(
            value, place: "\(place) has \"preprocessing\" that", keys: Self.keysOfPreprocessing)
        var steps = steps
        if let resize: Resize = try fields.choice("resize") { try fields.setResizing(resize, of: &steps) }
        if let filter: ResamplingFilter = try fields.choice("resample") { steps.filter = filter }
        if let order: Preprocessing.ChannelOrder = try fields.choice("channels") { steps.channelOrder = order }
        if let scale = try fields.number("scale", in: -1e9...1e9) { steps.scale = Float(scale) }
        if let mean = try fields.numbers("mean", atMost: 3) { steps.mean = mean.map { Float($0) } }
        if let deviation = try fields.numbers("std", atMost: 3) {
            steps.standardDeviation = deviation.map { Float($0) }
        }
        if let border = fields.value("square_border") {
            let fields = try RecipeFields(
                border, place: "\(place) has a \"square_border\" that", keys: ["color", "centered"])
            let color = try fields.numbers("color", atMost: 3) ?? [0, 0, 0]
            let channels = color.compactMap { UInt8(exactly: $0) }
            guard channels.count == 3 else { throw fields.problem("has \"color\", which must be three from 0 to 255") }
            steps.squareBorder = .init(
                .init(red: channels[0], green: channels[1], blue: channels[2]),
                isCentered: try fields.flag("centered") ?? true)
        }
        do throws(PreprocessingError) {
            try steps.validate()
        } catch {
            throw problem("has \"preprocessing\" that is not valid: \(error)")
        }
        return steps
    }

    private func setResizing(_ resize: Resize, of steps: inout Preprocessing) throws(Problem) {
        let edges = 1...Preprocessing.maximumEdge
        switch resize {
        case .line:
            guard let height = try integer("height", in: edges) else { throw problem("has no \"height\" of a line") }
            let line = Preprocessing.Line(
                height: height, minimumWidth: try integer("minimum_width", in: edges) ?? 1,
                maximumWidth: try integer("maximum_width", in: edges))
            (steps.resizing, steps.crop) = (.line(line), nil)
        case .limit:
            guard let length = try integer("length", in: edges) else { throw problem("has no \"length\" of a side") }
            let side: Preprocessing.SideLimit.Side = try choice("side") ?? .shortest
            let multiple = try integer("multiple", in: 1...4096) ?? 32
            (steps.resizing, steps.crop) = (.limited(.init(side, length, multiple: multiple)), nil)
        case .fill, .fit, .centerCrop, .squareCrop:
            guard let size = try size("size") else { throw problem("has no \"size\"") }
            // The border of the model's own preprocessing is kept, since it depends on the detector.
            if resize == .fit, case .letterbox(_, let color, let letterbox) = steps.resizing {
                return steps.setResizing(.fit, to: size, color: color, letterbox: letterbox)
            }
            let mode: Preprocessing.ResizeMode =
                switch resize {
                case .fill: .fill
                case .fit: .fit
                case .squareCrop: .squareCrop
                default: .centerCrop
                }
            steps.setResizing(mode, to: size)
        }
    }
}
