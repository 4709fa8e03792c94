import Platform
import Vision

/// Writes aligned columns for people: the picture, then its classes with the highest confidence, one per line.
///
///     photos/coffee.png   espresso                   99.94 %
///                         cup                         0.03 %
///     photos/broken.jpg   error: the image is cut off: …
///
/// Objects have their box in pixels: left, top, width × height. Segments have their share of the picture. Outputs have
/// their shape and the range of their numbers.
///
/// Columns widen as answers arrive. Colors are used on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
public struct TableSink: Sink {
    private let output: RowFile
    private let options: SinkKind.RowOptions
    private let usesColors: Bool
    private var idWidth: Int
    private var labelWidth: Int

    /// The maximum width of the id column; longer ids overflow it.
    private static let maximumIDWidth = 48
    private static let maximumLabelWidth = 40

    package init(_ output: RowFile, _ options: SinkKind.RowOptions, checkpoint: SinkCheckpoint? = nil, idWidth: Int = 0)
    {
        self.output = output
        self.options = options
        usesColors = output.isTerminal && TextStyle.isWanted
        self.idWidth = min(Self.maximumIDWidth, max(0, checkpoint?.state["idWidth"] ?? idWidth))
        labelWidth = min(Self.maximumLabelWidth, max(0, checkpoint?.state["labelWidth"] ?? 32))
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        let id = record.id.printable
        idWidth = min(Self.maximumIDWidth, max(idWidth, id.columnCount))
        var lines: [String] = []
        switch record.answer {
        case .success(.objects(let detection)): lines = self.lines(detection)
        case .success(.classes(let answer)):
            let predictions = options.predictions(answer)
            let labels = predictions.map { ($0.label ?? "class \($0.index)").printable }
            labelWidth = min(Self.maximumLabelWidth, max(labelWidth, labels.map(\.columnCount).max() ?? 0))
            for (position, (prediction, label)) in zip(predictions, labels).enumerated() {
                let style: TextStyle = position == 0 ? .bold : .faint
                let cells = label.padded(to: labelWidth) + "  " + Self.percentage(prediction.confidence)
                lines.append(styled(cells, style))
            }
            if lines.isEmpty { lines.append(styled("no class is confident enough", .faint)) }
        case .success(.segments(let segmentation)): lines = self.lines(segmentation)
        case .success(.instances(let segmentation)):
            let objects = segmentation.instances.map {
                RecognizedObject(confidence: $0.confidence, box: $0.box, labels: [$0.label])
            }
            lines = self.lines(ObjectDetection(objects, imageSize: segmentation.imageSize))
        case .success(.poses(let estimation)): lines = self.lines(estimation)
        case .success(.landmarks(let landmarks)):
            let confidence = landmarks.confidence.map { "  " + Self.percentage($0) } ?? ""
            lines = [styled("\(landmarks.points.count) points\(confidence)", .bold)]
        case .success(.embedding(let embedding)):
            let first = embedding.vector.prefix(4).map { Double($0).text(decimals: 4) }.joined(separator: " ")
            let rest = embedding.vector.count > 4 ? " …" : ""
            lines = [styled("\(embedding.vector.count) numbers  \(first)\(rest)", .bold)]
        case .success(.depth(let depth)):
            lines = [styled("depth \(depth.minimum) to \(depth.maximum), median \(depth.median)", .bold)]
        case .success(.image(let image)):
            let file = record.files["file"].map { "  " + $0.printable } ?? ""
            lines = [styled("a picture of \(image.size)\(file)", .bold)]
        case .success(.text(let text)): lines = self.lines(text)
        case .success(.parts(let parts)): lines = self.lines(parts)
        case .success(.outputs(let outputs)): lines = outputs.outputs.map { styled($0.summary, .bold) }
        case .failure(let error):
            lines.append(styled("error: \(error.message.printable)", .red))
        }
        var text = ""
        for (position, line) in lines.enumerated() {
            text += (position == 0 ? id : "").padded(to: idWidth) + "  " + line + "\n"
        }
        try output.write(text)
    }

    /// A line for each object: class, confidence, and box in pixels, or in fractions of the picture when its size is
    /// unknown.
    private mutating func lines(_ detection: ObjectDetection) -> [String] {
        guard !detection.objects.isEmpty else { return [styled("nothing found", .faint)] }
        let labels = detection.objects.map { ($0.label ?? "class \($0.identifier)").printable }
        labelWidth = min(Self.maximumLabelWidth, max(labelWidth, labels.map(\.columnCount).max() ?? 0))
        return zip(detection.objects, labels).map { object, label in
            var text = label.padded(to: labelWidth) + "  " + Self.percentage(object.confidence) + "  "
            if let size = detection.imageSize {
                let box = object.box.pixels(in: size)
                text += Self.box([box.x, box.y, box.width, box.height], decimals: 0, width: 5)
            } else {
                let box = object.box
                text += Self.box([box.x, box.y, box.width, box.height], decimals: 3, width: 6)
            }
            return styled(text + (object.trackID.map { "  #\($0)" } ?? ""), .bold)
        }
    }

    /// A line for each person or hand: its class, confidence, and how many of its points have a confidence of at least
    /// 0.5.
    private mutating func lines(_ estimation: PoseEstimation) -> [String] {
        guard !estimation.poses.isEmpty else { return [styled("nothing found", .faint)] }
        let labels = estimation.poses.map { ($0.label?.identifier ?? "pose").printable }
        labelWidth = min(Self.maximumLabelWidth, max(labelWidth, labels.map(\.columnCount).max() ?? 0))
        return zip(estimation.poses, labels).map { pose, label in
            let count = pose.keypoints.count { $0.confidence.map { $0 >= 0.5 } ?? true }
            let text = label.padded(to: labelWidth) + "  " + Self.percentage(pose.confidence)
            return styled(text + "  \(count) of \(pose.keypoints.count) points", .bold)
        }
    }

    /// A line for each class, with its share of the picture.
    private mutating func lines(_ segmentation: Segmentation) -> [String] {
        guard !segmentation.segments.isEmpty else { return [styled("nothing found", .faint)] }
        let labels = segmentation.segments.map { ($0.label ?? "class \($0.index)").printable }
        labelWidth = min(Self.maximumLabelWidth, max(labelWidth, labels.map(\.columnCount).max() ?? 0))
        let count = segmentation.imageSize.width * segmentation.imageSize.height
        return zip(segmentation.segments, labels).map { segment, label in
            let share = Self.percentage(Float(segment.area) / Float(max(1, count)))
            return styled(label.padded(to: labelWidth) + "  " + share, .bold)
        }
    }

    /// A line for each object, and behind it a few words for each answer of the other stages.
    private mutating func lines(_ parts: PictureParts) -> [String] {
        let objects = lines(ObjectDetection(parts.parts.map(\.object), imageSize: parts.imageSize))
        guard !parts.parts.isEmpty else { return objects }
        return zip(objects, parts.parts).map { line, part in
            line + part.answers.map { "  \($0.stage.printable): \(summary($0.answer))" }.joined()
        }
    }

    /// An answer to a part in a few words.
    private func summary(_ answer: ImageAnswer) -> String {
        switch answer {
        case .classes(let classes):
            (classes.label ?? "class \(classes.best.index)").printable
                + Self.percentage(classes.confidence).replacing("  ", with: " ")
        case .text(let text): text.string.printable
        case .embedding(let embedding): "\(embedding.vector.count) numbers"
        case .objects(let detection): "\(detection.objects.count) objects"
        case .instances(let segmentation): "\(segmentation.instances.count) objects"
        case .poses(let estimation): "\(estimation.poses.count) poses"
        case .landmarks(let landmarks): "\(landmarks.points.count) points"
        case .outputs(let outputs): "\(outputs.outputs.count) outputs"
        case .depth(let depth): "depth \(depth.minimum) to \(depth.maximum)"
        case .image(let image): "a picture of \(image.size)"
        case .segments, .parts: "…"
        }
    }

    /// A row for each line of text, with its confidence; one that was not read has the box around it in pixels.
    private mutating func lines(_ text: RecognizedText) -> [String] {
        guard !text.lines.isEmpty else { return [styled("no text found", .faint)] }
        let rows = text.lines.map { line in
            let edges = line.box.edges
            func pixels(_ number: Double, width: Int) -> String { number.text(decimals: 0, width: width) }
            let place = "\(pixels(edges.left, width: 5)) \(pixels(edges.top, width: 5))"
            let size = "\(pixels(edges.right - edges.left, width: 5)) x \(pixels(edges.bottom - edges.top, width: 0))"
            let box = "\(place)  \(size)"
            return (line.text?.printable ?? box, line.confidence)
        }
        labelWidth = min(Self.maximumLabelWidth, max(labelWidth, rows.map(\.0.columnCount).max() ?? 0))
        return rows.map { styled($0.padded(to: labelWidth) + "  " + Self.percentage($1), .bold) }
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try output.commit(state: state)
    }

    private var state: [String: Int] { ["idWidth": idWidth, "labelWidth": labelWidth] }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint { try output.finish(state: state) }

    private func styled(_ text: String, _ style: TextStyle) -> String { usesColors ? style.applied(to: text) : text }

    /// The place and the size of a box as `  10    20    300 x 400`, aligned.
    private static func box(_ numbers: [Float], decimals: Int, width: Int) -> String {
        let texts = numbers.map { Double($0).text(decimals: decimals, width: width) }
        return "\(texts[0]) \(texts[1])  \(texts[2]) x \(texts[3].trimmed)"
    }

    /// A confidence as ` 99.94 %`, aligned.
    private static func percentage(_ confidence: Float) -> String {
        guard confidence.isFinite else { return "     ? %" }
        return (Double(confidence) * 100).text(decimals: 2, width: 6) + " %"
    }
}

extension NetworkOutputs.Output {
    /// The name, the shape, and the numbers or their range, on one line.
    fileprivate var summary: String {
        let values = tensor.elements(as: Float.self)
        let extents = tensor.shape.map(String.init).joined(separator: ", ")
        var text = "\(name.printable) \(tensor.elementType)[\(extents)]"
        if values.count <= 4 {
            text += "  " + values.map(\.description).joined(separator: " ")
        } else if let least = values.min(), let most = values.max() {
            text += "  \(least) to \(most)"
        }
        return text
    }
}

extension Sink where Self == TableSink {
    /// A sink of aligned columns for people.
    ///
    /// - Parameter idWidth: The width of the longest id in terminal columns, if known, so that columns have their final
    ///   width from the first line on.
    public static func table(
        to output: OutputFile, _ options: SinkKind.RowOptions = SinkKind.RowOptions(), idWidth: Int = 0
    ) -> TableSink {
        TableSink(RowFile(output), options, idWidth: idWidth)
    }
}
