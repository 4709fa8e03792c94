/// The planes of a decoded picture, whose samples are of brightness and color or of transparency.
///
/// Samples of color that two columns or two rows share lie in the middle between these; others are interpolated
/// linearly: 3 parts of the nearer and 1 of the next one, in each direction. Beyond the edges lie copies.
package struct PlanarSamples {
    /// Of each pixel.
    package var brightness: SamplePlane
    /// Blueness and redness; nil for grey.
    package var colors: (blue: SamplePlane, red: SamplePlane)?
    package var sharesColumns = false
    package var sharesRows = false
    /// The bits of these samples.
    package var bits = 8
    /// By which red, green and blue were multiplied; nil where they were not.
    package var factors: (plane: SamplePlane, bits: Int)?

    package init(_ brightness: SamplePlane) { self.brightness = brightness }

    /// Red, green and blue, each rounded to the nearest of 8 bits.
    package func image(_ conversion: SampleColors) -> Image {
        bits > 8 ? image(conversion, UInt16.self) : image(conversion, UInt8.self)
    }

    private func image<Sample: FixedWidthInteger & UnsignedInteger>(
        _ conversion: SampleColors, _: Sample.Type
    ) -> Image {
        let (width, height) = (brightness.width, brightness.height)
        let fixed = conversion.fixed(bits: bits)
        return Image(ImageSize(width: width, height: height)) { target in
            // A row of each color, and what is interpolated between two rows of the plane.
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * width) { rows in
                let (blue, red, column) = (
                    rows.extracting(0..<width), rows.extracting(width..<2 * width),
                    rows.extracting(2 * width..<3 * width)
                )
                for row in 0..<height {
                    let start = UnsafeMutableBufferPointer(rebasing: target[row * width * 3..<(row + 1) * width * 3])
                    let light = brightness.row(row).assumingMemoryBound(to: Sample.self)
                    if let colors {
                        interpolate(colors.blue, row, column, to: blue, Sample.self)
                        interpolate(colors.red, row, column, to: red, Sample.self)
                        fixed.write(light, blue, red, to: start)
                    } else {
                        fixed.write(light, to: start)
                    }
                    if let factors {
                        let row = factors.plane.row(row)
                        if factors.bits > 8 {
                            Self.divide(start, row.assumingMemoryBound(to: UInt16.self), factors.bits)
                        } else {
                            Self.divide(start, row.assumingMemoryBound(to: UInt8.self), factors.bits)
                        }
                    }
                }
            }
        }
    }

    /// Sixteenths of the samples of color of a row of pixels.
    @inline(__always)
    private func interpolate<Sample: FixedWidthInteger & UnsignedInteger>(
        _ plane: SamplePlane, _ row: Int, _ column: UnsafeMutableBufferPointer<Int32>,
        to target: UnsafeMutableBufferPointer<Int32>, _: Sample.Type
    ) {
        let step = plane.columnStride / MemoryLayout<Sample>.size
        let nearRow = sharesRows ? row / 2 : row
        let near = plane.row(nearRow).assumingMemoryBound(to: Sample.self)
        if sharesRows {
            let farRow = min(max(nearRow + (row % 2 == 0 ? -1 : 1), 0), plane.height - 1)
            let far = plane.row(farRow).assumingMemoryBound(to: Sample.self)
            for index in 0..<plane.width {
                column[index] =
                    3 &* Int32(truncatingIfNeeded: near[index &* step]) &+ Int32(truncatingIfNeeded: far[index &* step])
            }
        } else {
            for index in 0..<plane.width { column[index] = 4 &* Int32(truncatingIfNeeded: near[index &* step]) }
        }
        guard sharesColumns else {
            for index in target.indices { target[index] = 4 &* column[index] }
            return
        }
        let last = plane.width - 1
        for index in 0...last {
            let middle = 3 &* column[index]
            target[2 &* index] = middle &+ column[max(index &- 1, 0)]
            if 2 &* index &+ 1 < target.count {
                target[2 &* index &+ 1] = middle &+ column[min(index &+ 1, last)]
            }
        }
    }

    /// Divides colors by their share, rounded; what has none is black.
    private static func divide<Sample: FixedWidthInteger & UnsignedInteger>(
        _ target: UnsafeMutableBufferPointer<UInt8>, _ factors: UnsafePointer<Sample>, _ bits: Int
    ) {
        let one = 1 << bits - 1
        for column in 0..<target.count / 3 {
            let factor = Int(factors[column])
            guard factor < one else { continue }
            for index in column * 3..<column * 3 + 3 {
                target[index] = factor == 0 ? 0 : UInt8(min(255, (Int(target[index]) * one + factor / 2) / factor))
            }
        }
    }
}

extension SampleColors.Fixed {
    /// Writes red, green and blue of a row.
    @inline(__always)
    fileprivate func write<Sample: FixedWidthInteger & UnsignedInteger>(
        _ light: UnsafePointer<Sample>, _ blue: UnsafeMutableBufferPointer<Int32>,
        _ red: UnsafeMutableBufferPointer<Int32>, to target: UnsafeMutableBufferPointer<UInt8>
    ) {
        let (redLight, redBlue, redRed) = (factors[0], factors[1], factors[2])
        let (greenLight, greenBlue, greenRed) = (factors[3], factors[4], factors[5])
        let (blueLight, blueBlue, blueRed) = (factors[6], factors[7], factors[8])
        let (redOffset, greenOffset, blueOffset) = (offsets[0], offsets[1], offsets[2])
        for column in blue.indices {
            let (y, cb, cr) = (Int32(truncatingIfNeeded: light[column]), blue[column], red[column])
            target[3 &* column] = Self.byte(redOffset &+ redLight &* y &+ redBlue &* cb &+ redRed &* cr)
            target[3 &* column &+ 1] = Self.byte(greenOffset &+ greenLight &* y &+ greenBlue &* cb &+ greenRed &* cr)
            target[3 &* column &+ 2] = Self.byte(blueOffset &+ blueLight &* y &+ blueBlue &* cb &+ blueRed &* cr)
        }
    }

    /// Writes a row of grey.
    @inline(__always)
    fileprivate func write<Sample: FixedWidthInteger & UnsignedInteger>(
        _ light: UnsafePointer<Sample>, to target: UnsafeMutableBufferPointer<UInt8>
    ) {
        let (factor, offset) = (greyFactor, greyOffset)
        for column in 0..<target.count / 3 {
            let grey = Self.byte(offset &+ factor &* Int32(truncatingIfNeeded: light[column]))
            target[3 &* column] = grey
            target[3 &* column &+ 1] = grey
            target[3 &* column &+ 2] = grey
        }
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value >> shift)))
    }
}
