import Glibc

extension Image {
    /// The part in `columns` and `rows` of the image at size `target`, by a filter of OpenCV that mixes several source
    /// pixels: ``ResamplingFilter/cubic``, ``ResamplingFilter/lanczos4`` or ``ResamplingFilter/area``.
    ///
    /// Source: `resize.cpp` of https://github.com/opencv/opencv
    func tapSampled(
        to target: ImageSize, columns: Range<Int>, rows: Range<Int>, _ filter: ResamplingFilter
    ) -> Image {
        let horizontal = Taps(filter, from: width, to: target.width, window: columns)
        let vertical = Taps(filter, from: height, to: target.height, window: rows)
        let rowLength = columns.count * 3
        // The source rows that count, with their columns mixed.
        var mixed: [Int: [Float]] = [:]
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer { source in
                var sums = [Float](repeating: 0, count: rowLength)
                for index in 0..<rows.count {
                    let taps = vertical[index]
                    for tap in taps where mixed[tap.position] == nil {
                        mixed[tap.position] = mix(source, row: tap.position, horizontal)
                    }
                    if index.isMultiple(of: 16), let first = taps.first?.position {
                        mixed = mixed.filter { $0.key >= first - 8 }
                    }
                    for position in sums.indices { sums[position] = 0 }
                    for tap in taps {
                        mixed[tap.position]?.withUnsafeBufferPointer { row in
                            for position in sums.indices { sums[position] += row[position] * tap.weight }
                        }
                    }
                    for position in sums.indices {
                        result[index * rowLength + position] = UInt8(
                            min(max(sums[position].rounded(.toNearestOrEven), 0), 255))
                    }
                }
            }
        }
    }

    /// A source row with its columns mixed.
    private func mix(_ source: UnsafeBufferPointer<UInt8>, row: Int, _ columns: Taps) -> [Float] {
        var sums = [Float](repeating: 0, count: columns.count * 3)
        let start = row * width * 3
        for column in 0..<columns.count {
            for tap in columns[column] {
                for channel in 0..<3 {
                    sums[column * 3 + channel] += Float(source[start + tap.position * 3 + channel]) * tap.weight
                }
            }
        }
        return sums
    }
}

/// The source pixels that make each pixel of a window along one axis, with their weights.
private struct Taps {
    private var taps: [(position: Int, weight: Float)] = []
    private var starts = [0]

    var count: Int { starts.count - 1 }

    subscript(index: Int) -> ArraySlice<(position: Int, weight: Float)> { taps[starts[index]..<starts[index + 1]] }

    init(_ filter: ResamplingFilter, from source: Int, to target: Int, window: Range<Int>) {
        let scale = Double(source) / Double(target)
        for position in window {
            switch filter {
            case .area: addArea(Double(position) * scale, Double(position + 1) * scale, source)
            default:
                let center = Float((Double(position) + 0.5) * scale - 0.5)
                let first = center.rounded(.down)
                add(
                    Int(first), filter == .cubic ? Self.cubic(center - first) : Self.lanczos4(center - first), source)
            }
            starts.append(taps.count)
        }
    }

    /// The taps around a source pixel, of which half lie before it or on it. Pixels beyond an edge are those on it.
    private mutating func add(_ position: Int, _ weights: [Float], _ source: Int) {
        for (index, weight) in weights.enumerated() {
            let place = position - weights.count / 2 + 1 + index
            // OpenCV rounds weights to multiples of 2⁻¹¹.
            let rounded = (weight * 2048).rounded(.toNearestOrEven) / 2048
            taps.append((min(max(place, 0), source - 1), rounded))
        }
    }

    /// The pixels from one place to another, each by the part of it that lies between.
    private mutating func addArea(_ start: Double, _ end: Double, _ source: Int) {
        let length = min(end, Double(source)) - start
        for place in Int(start)..<min(Int(end.rounded(.up)), source) {
            let part = min(end, Double(place + 1)) - max(start, Double(place))
            if part > 1e-3 { taps.append((place, Float(part / length))) }
        }
    }

    /// Cubic convolution with a = -0.75.
    private static func cubic(_ x: Float) -> [Float] {
        let a: Float = -0.75
        func near(_ x: Float) -> Float { ((a + 2) * x - (a + 3)) * x * x + 1 }
        func far(_ x: Float) -> Float { ((a * x - 5 * a) * x + 8 * a) * x - 4 * a }
        let (before, on, after) = (far(x + 1), near(x), near(1 - x))
        return [before, on, after, 1 - before - on - after]
    }

    /// A sinc windowed to four lobes, whose weights are normalized.
    private static func lanczos4(_ x: Float) -> [Float] {
        let weights = (0..<8).map { (index: Int) -> Double in
            let distance = Double(x) + 3 - Double(index)
            guard abs(distance) >= 1e-6 else { return 1 }
            return 4 * sin(distance * .pi) * sin(distance * .pi / 4) / (distance * distance * .pi * .pi)
        }
        let sum = weights.reduce(0, +)
        return weights.map { Float($0 / sum) }
    }
}
