import Images

extension Image {
    /// The image with what an answer finds in it: its best classes, objects, segments, points or lines of text; for
    /// depth, an image of it in colors. Nil for vectors, outputs and images.
    ///
    /// - Throws: ``ImageError`` when there is not enough memory.
    package func drawing(_ answer: ImageAnswer) throws -> Image? {
        switch answer {
        case .classes(let classes): return try drawing(classes.top(Self.drawnClassCount))
        case .objects(let detection): return try drawing(detection.objects)
        case .segments(let segmentation): return try drawing(segmentation)
        case .instances(let segmentation): return try drawing(segmentation)
        case .poses(let estimation): return try drawing(estimation)
        case .landmarks(let landmarks): return try drawing(landmarks)
        case .depth(let depth): return try depth.drawing()
        case .text(let text): return try drawing(text)
        case .parts(let parts):
            return try parts.parts.reduce(drawing(parts.parts.map(\.object))) { image, part in
                try part.answers.reduce(image) { image, part in
                    // The classes of a part are not those of the picture.
                    if case .classes = part.answer { image } else { try image.drawing(part.answer) ?? image }
                }
            }
        case .embedding, .image, .outputs: return nil
        }
    }
}
