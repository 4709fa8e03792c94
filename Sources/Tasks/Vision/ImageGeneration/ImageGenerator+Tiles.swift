import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

extension ImageGenerator: TaskPredictor {
    public var core: PredictorCore<GeneratedImage> { PredictorCore(self) }

    package var labels: Labels? { nil }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        [
            "task": VisionTask.image.rawValue, "output": outputName, "range": range.rawValue,
            "tile": tile.map { "\($0)" } ?? "none", "overlap": "\(overlap)",
            "multiple": "\(options.multiple)", "size": "\(preprocessing)",
        ]
    }

    /// The bands of each picture's output, from the top, by their number.
    package func outputs(of pictures: [PreparedPicture]) async throws -> [[String: Tensor]] {
        var results: [[String: Tensor]] = []
        do {
            for picture in pictures { results.append(try await bands(of: picture)) }
        } catch let error as TensorError {
            throw withAdvice(ApusError(error, model: session.model.name))
        } catch let error as ApusError {
            throw withAdvice(error)
        }
        return results
    }

    /// An error that says how a picture needs less memory, where memory was short.
    private func withAdvice(_ error: ApusError) -> ApusError {
        guard case .memory(let message) = error, tile == nil else { return error }
        return .memory("\(message); --tile 512 takes the picture in tiles")
    }

    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<GeneratedImage, RecordError>] {
        outputs.map { bands in
            let bands = (0..<bands.count).compactMap { bands["\($0)"] }
            guard let first = bands.first else {
                return .failure(RecordError(stage: "predict", code: "failed", message: "the picture has no rows"))
            }
            let height = bands.reduce(0) { $0 + $1.shape[0] }
            return .success(
                GeneratedImage(
                    size: ImageSize(width: first.shape[1], height: height), channelCount: first.shape[2], bands: bands))
        }
    }

    private func bands(of picture: PreparedPicture) async throws -> [String: Tensor] {
        guard picture.size != nil, let pixels = TiledPixels(picture.tensor) else {
            let output = try await run(picture.tensor, of: picture)
            return ["0": try Tensor(output.bytes, shape: [output.size.height, output.size.width, output.channelCount])]
        }
        let multiple = options.multiple
        func spans(_ extent: Int, _ tile: Int?) -> [TileSpan] {
            TileSpan.spans(of: extent, tile: tile, overlap: overlap, multiple: multiple, isFilled: isOfOneSize)
        }
        let columns = spans(pixels.size.width, tile?.width)
        let rows = spans(pixels.size.height, tile?.height)
        var bands: [String: Tensor] = [:]
        for (index, row) in rows.enumerated() {
            try Task.checkCancellation()
            bands["\(index)"] = try await band(row, columns, of: pixels, picture)
        }
        return bands
    }

    /// The output of one row of tiles, [rows, width, channels]. As many tiles run at a time as there are streams.
    private func band(
        _ row: TileSpan, _ columns: [TileSpan], of pixels: TiledPixels, _ picture: PreparedPicture
    ) async throws -> Tensor {
        var parts: [(span: TileSpan, output: TileOutput)] = []
        for start in stride(from: 0, to: columns.count, by: session.options.streams) {
            let some = columns[start..<min(columns.count, start + session.options.streams)]
            let outputs = try await withThrowingTaskGroup(of: (Int, TileOutput).self) { group in
                for (index, column) in some.enumerated() {
                    group.addTask { [self] in
                        let image = try pixels.tile(columns: column.seen, rows: row.seen)
                        let geometry = try counting.geometry(for: image.size)
                        let numbers = try pictures.input.tensor(from: image, counting, geometry)
                        return (index, try await run(numbers, of: picture))
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, column) in some.enumerated() {
                if let output = outputs[index] { parts.append((column, output)) }
            }
        }
        return try joined(parts, row)
    }

    private func run(_ numbers: Tensor, of picture: PreparedPicture) async throws -> TileOutput {
        let outputs = try await session.predict(pictures.inputs([numbers], others: [picture.others]))
        guard let output = outputs[outputName] else { throw ApusError.bug("output \(outputName) is missing") }
        return try await pictures.executor.run { [self] in try bytes(of: output) }
    }

    /// The kept parts of tiles side by side.
    private func joined(_ parts: [(span: TileSpan, output: TileOutput)], _ row: TileSpan) throws -> Tensor {
        guard let first = parts.first?.output else { throw ApusError.bug("no tiles") }
        let channels = first.channelCount
        let rows = try scaled(row, to: first.size.height)
        let columns = try parts.map { try scaled($0.span, to: first.size.width) }
        let width = columns.reduce(0) { $0 + $1.count }
        var bytes = [UInt8](repeating: 0, count: width * rows.count * channels)
        var left = 0
        for (part, range) in zip(parts, columns) {
            let output = part.output
            guard output.size == first.size, output.channelCount == channels else {
                throw ApusError.usage("\(session.model.name): tiles of one size have outputs of several sizes")
            }
            for (line, source) in rows.enumerated() {
                let start = (source * output.size.width + range.lowerBound) * channels
                let target = (line * width + left) * channels
                bytes.replaceSubrange(
                    target..<target + range.count * channels, with: output.bytes[start..<start + range.count * channels]
                )
            }
            left += range.count
        }
        return try Tensor(bytes, shape: [rows.count, width, channels])
    }

    /// The part of a tile's output that is kept.
    ///
    /// - Parameter extent: The output's extent.
    private func scaled(_ span: TileSpan, to extent: Int) throws(ApusError) -> Range<Int> {
        let seen = span.seen.count
        let lower = (span.kept.lowerBound - span.seen.lowerBound) * extent
        let upper = (span.kept.upperBound - span.seen.lowerBound) * extent
        guard lower % seen == 0, upper % seen == 0 || span.isLast else {
            throw .usage(
                "\(session.model.name): a tile of \(seen) pixels gives \(extent), which cannot be cut where tiles meet; "
                    + "--tile and --multiple must be multiples of the network's stride")
        }
        // The last pixel of a smaller output may show less than its share of the picture.
        return lower / seen..<max(lower / seen + 1, min(extent, (upper + seen - 1) / seen))
    }
}

/// The pixels of a picture, from which tiles are taken.
struct TiledPixels: Sendable {
    let size: ImageSize
    private let pixels: Tensor

    /// - Parameter pixels: uint8, [1, height, width, 3].
    /// - Returns: Nil for other tensors.
    init?(_ pixels: Tensor) {
        guard pixels.elementType == .uint8, pixels.shape.count == 4, pixels.shape[0] == 1, pixels.shape[3] == 3 else {
            return nil
        }
        self.pixels = pixels
        size = ImageSize(width: pixels.shape[2], height: pixels.shape[1])
    }

    /// A part of the picture, which is mirrored at its right and bottom edges.
    func tile(columns: Range<Int>, rows: Range<Int>) throws -> Image {
        let inside = columns.clamped(to: 0..<size.width)
        let outside = columns.dropFirst(inside.count).map { Self.mirrored($0, size.width) * 3 }
        return try pixels.withContiguousBytes { bytes in
            var tile: [UInt8] = []
            tile.reserveCapacity(columns.count * rows.count * 3)
            for row in rows {
                let start = Self.mirrored(row, size.height) * size.width * 3
                tile += bytes[start + inside.lowerBound * 3..<start + inside.upperBound * 3]
                for place in outside { tile += bytes[start + place..<start + place + 3] }
            }
            return try Image(width: columns.count, height: rows.count, pixels: tile)
        }
    }

    /// The place in a row of `count` that a place behind its end mirrors; the last is not repeated.
    private static func mirrored(_ place: Int, _ count: Int) -> Int {
        guard place >= count, count > 1 else { return min(place, count - 1) }
        let rest = place % (2 * count - 2)
        return rest < count ? rest : 2 * count - 2 - rest
    }
}
