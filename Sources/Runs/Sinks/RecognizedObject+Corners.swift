import Images
import Vision

extension RecognizedObject {
    /// The corners of a turned box in pixels, x and y of each; nil for a box that is not turned.
    func cornerPixels(in size: ImageSize) -> [Float]? {
        corners.isEmpty ? nil : corners.flatMap { [$0.x * Float(size.width), $0.y * Float(size.height)] }
    }
}

extension String {
    /// Appends the corners of a turned box, if it is one, as a member of an object: points in fractions of the picture.
    mutating func appendCorners(_ corners: [SIMD2<Float>]) {
        guard !corners.isEmpty else { return }
        append(",\"corners\":[")
        for (position, corner) in corners.enumerated() {
            if position > 0 { append(",") }
            appendJSON([corner.x, corner.y])
        }
        append("]")
    }
}
