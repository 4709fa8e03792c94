import CPictures

/// The components of a decoded JPEG 2000 picture, as red, green and blue.
struct JPEG2000Pixels {
    private let decoded: apus_openjpeg_image
    private let components: [Component]
    private let size: ImageSize

    /// Samples of 8 bits of one component. Deeper samples are rounded, as in Pillow; grey keeps its high byte.
    private struct Component {
        let component: apus_openjpeg_component
        let data: UnsafeMutablePointer<Int32>
        let rounds: Bool

        subscript(_ column: Int, _ row: Int) -> UInt8 {
            let (stepX, stepY) = (Int(component.dx), Int(component.dy))
            let index = row / stepY * Int(component.w) + column / stepX
            let precision = Int(component.prec)
            var value = Int(data[index]) + (component.sgnd != 0 ? 1 << (precision - 1) : 0)
            if precision > 8 {
                if rounds { value += 1 << (precision - 9) }
                value >>= precision - 8
            } else {
                value <<= 8 - precision
            }
            return UInt8(clamping: value)
        }
    }

    init(_ image: apus_openjpeg_image, _ size: ImageSize) throws(ImageError) {
        decoded = image
        self.size = size
        let isGrey = image.numcomps <= 2
        var components: [Component] = []
        for index in 0..<Int(image.numcomps) {
            let component = image.comps[index]
            guard let data = component.data, (1...31).contains(component.prec), component.dx > 0, component.dy > 0,
                Int(component.w) * Int(component.dx) >= size.width,
                Int(component.h) * Int(component.dy) >= size.height
            else { throw .corrupt("a component has too few samples") }
            components.append(Component(component: component, data: data, rounds: !isGrey))
        }
        guard (1...4).contains(components.count) else {
            throw .unsupported("JPEG 2000 with \(components.count) components")
        }
        self.components = components
    }

    /// Whether the components are luminance and chrominance: as the file says, or, where it says nothing, because the
    /// second has fewer samples than the first.
    private var isLuminance: Bool {
        guard components.count >= 3 else { return false }
        let (first, second) = (components[0].component, components[1].component)
        switch Int(decoded.color_space) {
        case apus_openjpeg_sycc: return true
        case apus_openjpeg_unknown, apus_openjpeg_unspecified:
            return (first.dx, first.dy) == (1, 1) && (second.dx, second.dy) != (1, 1)
        default: return false
        }
    }

    func image() throws(ImageError) -> Image {
        let isLuminance = isLuminance
        if components.count == 4, decoded.color_space == Int32(apus_openjpeg_cmyk) { return inks() }
        return Image(size) { target in
            var next = 0
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let first = components[0][column, row]
                    var pixel = (first, first, first)
                    if components.count >= 3 {
                        (pixel.1, pixel.2) = (components[1][column, row], components[2][column, row])
                    }
                    if isLuminance { pixel = Self.color(pixel.0, pixel.1, pixel.2) }
                    (target[next], target[next + 1], target[next + 2]) = pixel
                    next += 3
                }
            }
        }
    }

    private func inks() -> Image {
        var inverted: [UInt8] = []
        inverted.reserveCapacity(size.width * size.height * 4)
        for row in 0..<size.height {
            for column in 0..<size.width {
                for component in components { inverted.append(255 - component[column, row]) }
            }
        }
        return Image(invertedCMYK: inverted, size)
    }

    /// Source: ITU-T T.871, section 7.
    private static func color(_ luminance: UInt8, _ blueness: UInt8, _ redness: UInt8) -> (UInt8, UInt8, UInt8) {
        let (y, cb, cr) = (Double(luminance), Double(blueness) - 128, Double(redness) - 128)
        func byte(_ value: Double) -> UInt8 { UInt8(clamping: Int(value.rounded())) }
        return (byte(y + 1.402 * cr), byte(y - 0.344136 * cb - 0.714136 * cr), byte(y + 1.772 * cb))
    }
}
