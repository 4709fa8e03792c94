import Images

extension NormalizedBox {
    /// The box in the whole picture: it goes around the corners that it has in the part.
    package func placed(by crop: RegionCrop, in size: ImageSize) -> NormalizedBox {
        let corners = [SIMD2(x, y), SIMD2(maxX, y), SIMD2(maxX, maxY), SIMD2(x, maxY)].map { crop.place($0, in: size) }
        let (left, top) = (corners.map(\.x).min() ?? x, corners.map(\.y).min() ?? y)
        let (right, bottom) = (corners.map(\.x).max() ?? maxX, corners.map(\.y).max() ?? maxY)
        return NormalizedBox(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension Keypoint {
    /// The point in the whole picture. Depths keep their scale: they are fractions of the picture's width.
    package func placed(by crop: RegionCrop, in size: ImageSize) -> Keypoint {
        let place = crop.place(SIMD2(x, y), in: size)
        let middle = crop.place(SIMD2(0.5, 0.5), in: size)
        let edge = crop.place(SIMD2(1, 0.5), in: size) - middle
        let width = (edge * SIMD2(Float(size.width), Float(size.height)) * 2)
        // The part's width in the picture, as a fraction of the picture's.
        let scale = (width.x * width.x + width.y * width.y).squareRoot() / Float(size.width)
        return Keypoint(name: name, x: place.x, y: place.y, z: z.map { $0 * scale }, confidence: confidence)
    }
}

extension RegionCrop {
    /// A point in fractions of the part, in fractions of the picture.
    package func place(_ point: SIMD2<Float>, in size: ImageSize) -> SIMD2<Float> {
        let inside = PixelPoint(
            x: Double(point.x) * Double(image.width), y: Double(point.y) * Double(image.height))
        let place = places.applied(to: inside)
        return SIMD2(Float(place.x / Double(size.width)), Float(place.y / Double(size.height)))
    }
}
