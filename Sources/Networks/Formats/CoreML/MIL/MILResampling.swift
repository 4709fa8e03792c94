import Graphs

extension MILOperatorKind {
    /// Resizes height and width to a size by repeating elements.
    static func resizeNearest(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let rank = try program.shape(x).count
        guard let height = try operation.int("target_size_height"), let width = try operation.int("target_size_width"),
            rank >= 2
        else { throw .invalid("a height and a width are expected") }
        let sizes = try program.writer.constant(integers: [height, width], "sizes")
        let resize = Resize(interpolation: .repeating, axes: [rank - 2, rank - 1])
        try program.output(operation, try program.writer.apply(resize, [x, nil, nil, sizes]))
    }

    static func resizeBilinear(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let size = [try operation.int("target_size_height") ?? 1, try operation.int("target_size_width") ?? 1]
        let sampling = try GridSampling(named: try operation.text("sampling_mode") ?? "DEFAULT")
        try program.output(operation, try program.writer.resized(try operation.value("x"), to: size, sampling))
    }

    /// Interpolates each box of an operand to a size.
    static func cropResize(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard !operation.has("boxes") else { throw .unsupported("boxes with separate indices of images") }
        let boxes = try operation.value("roi")
        let mode = try operation.text("box_coordinate_mode") ?? "CORNERS_HEIGHT_FIRST"
        let size = [try operation.int("target_height") ?? 1, try operation.int("target_width") ?? 1]
        let crop = CropBoxes(
            boxes: boxes, areNormalized: try operation.bool("normalized_coordinates"),
            areCentered: mode.hasPrefix("CENTER"), isWidthFirst: mode.hasSuffix("WIDTH_FIRST"),
            scale: try operation.float("spatial_scale") ?? 1,
            outside: try operation.float("pad_value") ?? (program.operatorSetVersion ?? 0 >= 6 ? 0 : nil))
        let sampling = try GridSampling(named: try operation.text("sampling_mode") ?? "DEFAULT")
        try program.output(
            operation, try program.writer.cropped(try operation.value("x"), crop, to: size, sampling))
    }

    /// Enlarges height and width by factors.
    private static func upsample(
        _ operation: MILOperation, _ program: MILTranslator, _ interpolation: Interpolation
    ) throws(FormatError) {
        let x = try operation.value("x")
        let rank = try program.shape(x).count
        guard rank >= 2 else { throw .invalid("its input has \(rank) axes, too few for an image") }
        let factors = [
            try operation.float("scale_factor_height") ?? 1, try operation.float("scale_factor_width") ?? 1,
        ]
        try program.output(operation, try program.writer.upsampled(x, by: factors, interpolation))
    }

    static func upsampleBilinear(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let isAligned = try operation.bool("align_corners", default: true)
        let isCentered = try operation.bool("half_pixel_centers", default: !isAligned)
        let coordinates: Interpolation.Coordinates =
            isAligned ? .alignCorners : isCentered ? .halfPixel : .asymmetric
        try upsample(operation, program, .linear(coordinates))
    }

    static func upsampleNearest(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try upsample(operation, program, .repeating)
    }
}
