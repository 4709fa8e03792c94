import Platform

/// Writes comma-separated values, RFC 4180: a header, then one row per picture.
///
///     id,error,index_1,label_1,confidence_1,index_2,…
///     a.jpg,,967,espresso,0.99938,…
///     b.jpg,decode/truncated: the image is cut off: …,,,
///
/// Each object has its own row, with its box in fractions of the picture from the upper left. A picture without objects
/// has one row with empty cells:
///
///     id,error,time,index,label,confidence,x,y,width,height,track
///     a.jpg,,,0,cat,0.9,0.1,0.2,0.3,0.4,
///
/// Turned boxes have eight more columns, `x1` to `y4`, for their corners.
///
/// Each class that a picture shows has its own row, with its number of pixels and the box around them:
///
///     id,error,mask,index,label,area,x,y,width,height
///     a.jpg,,a.jpg.png,0,cat,3,0.0,0.0,0.5,1.0
///
/// Each object with a mask has its own row:
///
///     id,error,mask,number,index,label,confidence,area,x,y,width,height
///     a.jpg,,a.jpg.png,1,0,cat,0.9,3,0.0,0.0,0.5,1.0
///
/// Each point of a pose, and of landmarks, has its own row, with its place in fractions of the picture:
///
///     id,error,pose,index,label,pose_confidence,point,name,x,y,z,confidence
///     a.jpg,,0,0,person,0.9,0,nose,0.2,0.3,,0.8
///
///     id,error,confidence,point,name,x,y,z,point_confidence
///     a.jpg,,0.99,0,,0.5,0.6,-0.1,
///
/// A vector has a column for each element:
///
///     id,error,x0,x1
///     a.jpg,,0.6,0.8
///
/// Depth has its figures and the paths of its files, and a picture that was made its size and path:
///
///     id,error,width,height,minimum,maximum,median,range_minimum,range_maximum,npy,png
///     a.jpg,,4,2,0.5,9.0,2.25,0.5,9.0,a.jpg.npy,a.jpg.png
///
///     id,error,width,height,channels,file
///     a.jpg,,8,4,3,a.jpg.png
///
/// Each line of text has its own row, with its corners in pixels, clockwise from the upper left:
///
///     id,error,line,text,confidence,direction,x1,y1,x2,y2,x3,y3,x4,y4
///     a.jpg,,1,Some text,0.97,0,10.0,5.0,200.0,5.0,200.0,30.0,10.0,30.0
///
/// Each output of a network has its own row, with its extents and numbers separated by spaces:
///
///     id,error,output,type,shape,values
///     a.jpg,,eyes,float32,2,0.5 0.25
///
/// Each object that a recipe found, and each stage behind, has its own row, with the answer as JSON:
///
///     id,error,part,index,label,confidence,x,y,width,height,stage,kind,value,value_confidence,json
///     a.jpg,,1,0,face,0.9,0.1,0.2,0.3,0.4,identity,embeddings,,,"{""embedding"":[0.6,0.8]}"
///
/// Every row has the same number of cells; missing ones are empty. Control characters except line breaks and tabs are
/// escaped, as in `\x1B`. No spreadsheet reads a text as a formula, whichever separator it uses: see
/// `String.withoutFormulas`.
public struct CSVSink: Sink {
    private let output: RowFile
    private let options: SinkKind.RowOptions
    private var hasHeader: Bool

    /// The number of elements of a vector.
    private let columnCount: Int

    /// - Throws: ``OutputError`` for vectors whose length is not fixed.
    package init(_ output: RowFile, _ options: SinkKind.RowOptions, rowShape: [Int]?) throws(OutputError) {
        if options.content == .embeddings, rowShape?.count != 1 {
            throw .failed(
                name: output.name, message: "the length of the vectors is not fixed, so that they make no columns")
        }
        self.init(output, options, columnCount: rowShape?.first ?? 0)
    }

    package init(_ output: RowFile, _ options: SinkKind.RowOptions, columnCount: Int) {
        self.columnCount = columnCount
        self.output = output
        self.options = options
        hasHeader = output.byteCount > 0
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        try writeHeader()
        switch options.content {
        case .objects: return try writeObjects(record)
        case .segments: return try writeSegments(record)
        case .text: return try writeText(record)
        case .parts: return try write(Self.partRows(of: record, options))
        case .outputs: return try writeOutputs(record)
        case .instances: return try write(Self.instanceRows(of: record))
        case .poses: return try write(Self.poseRows(of: record))
        case .landmarks: return try write(Self.landmarkRows(of: record))
        case .embeddings: return try writeEmbedding(record)
        case .depth, .image: return try writePixels(record)
        case .classes: break
        }
        var cells = [Self.cell(record.id)]
        switch record.classification {
        case .success(let answer):
            cells.append("")
            for prediction in options.predictions(answer) {
                cells += [
                    String(prediction.index), Self.cell(prediction.label ?? ""), prediction.confidence.description,
                ]
            }
        case .failure(let error):
            cells.append(Self.cell("\(error.stage)/\(error.code): \(error.message)"))
        }
        let columnCount = 2 + 3 * max(0, options.top)
        cells += [String](repeating: "", count: max(0, columnCount - cells.count))
        try output.write(cells.joined(separator: ",") + "\r\n")
    }

    private func write(_ rows: [[String]]) throws(OutputError) {
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    private func writeObjects(_ record: PredictionRecord) throws(OutputError) {
        let time = record.timestamp?.secondsText ?? ""
        let empty = [String](repeating: "", count: objectNames.count - 3)
        var rows: [[String]] = []
        switch record.detection {
        case .success(let detection):
            rows = detection.objects.map { object in
                let box = object.box
                return [
                    Self.cell(record.id), "", time, String(object.labels.first?.index ?? 0),
                    Self.cell(object.label ?? ""),
                ]
                    + [object.confidence, box.x, box.y, box.width, box.height].map(\.description)
                    + [object.trackID.map { String($0) } ?? ""]
                    + (options.hasCorners ? Self.cornerCells(object) : [])
            }
            if rows.isEmpty { rows = [[Self.cell(record.id), "", time] + empty] }
        case .failure(let error):
            rows = [[Self.cell(record.id), Self.cell("\(error.stage)/\(error.code): \(error.message)"), time] + empty]
        }
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    private func writeSegments(_ record: PredictionRecord) throws(OutputError) {
        let empty = [String](repeating: "", count: Self.segmentColumns.count - 3)
        var rows: [[String]] = []
        let mask = Self.cell(record.files["mask"] ?? "")
        switch record.segmentation {
        case .success(let segmentation):
            rows = segmentation.segments.map { segment in
                let box = segment.box
                return [Self.cell(record.id), "", mask, String(segment.index), Self.cell(segment.label ?? "")]
                    + [String(segment.area)] + [box.x, box.y, box.width, box.height].map(\.description)
            }
            if rows.isEmpty { rows = [[Self.cell(record.id), "", mask] + empty] }
        case .failure(let error):
            rows = [[Self.cell(record.id), Self.cell("\(error.stage)/\(error.code): \(error.message)"), ""] + empty]
        }
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    private static let segmentColumns = [
        "id", "error", "mask", "index", "label", "area", "x", "y", "width", "height",
    ]

    private func writeEmbedding(_ record: PredictionRecord) throws(OutputError) {
        var cells = [Self.cell(record.id), ""]
        switch record.embedding {
        case .success(let embedding): cells += embedding.vector.map(\.description)
        case .failure(let error):
            cells[1] = Self.cell("\(error.stage)/\(error.code): \(error.message)")
            cells += [String](repeating: "", count: columnCount)
        }
        try output.write(cells.joined(separator: ",") + "\r\n")
    }

    private func writeOutputs(_ record: PredictionRecord) throws(OutputError) {
        var rows: [[String]] = []
        switch record.outputs {
        case .success(let answer):
            rows = answer.outputs.map { output in
                let numbers = output.writtenNumbers?.map(\.description).joined(separator: " ")
                let extents = output.tensor.shape.map(String.init).joined(separator: " ")
                return [
                    Self.cell(record.id), "", Self.cell(output.name), "\(output.tensor.elementType)", extents,
                    Self.cell(numbers ?? ""),
                ]
            }
        case .failure(let error):
            rows = [
                [Self.cell(record.id), Self.cell("\(error.stage)/\(error.code): \(error.message)"), "", "", "", ""]
            ]
        }
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    /// Writes the row of a record whose answer is a number or a color for every pixel.
    private func writePixels(_ record: PredictionRecord) throws(OutputError) {
        let count = options.content == .depth ? Self.depthColumns.count : Self.imageColumns.count
        var cells = [Self.cell(record.id), ""]
        switch record.answer {
        case .success(.depth(let depth)):
            let range = depth.range
            cells += [depth.imageSize.width, depth.imageSize.height].map(String.init)
            cells += [depth.minimum, depth.maximum, depth.median, range.lowerBound, range.upperBound].map(\.description)
            cells += ["npy", "png"].map { Self.cell(record.files[$0] ?? "") }
        case .success(.image(let image)):
            cells += [image.size.width, image.size.height, image.channelCount].map(String.init)
            cells.append(Self.cell(record.files["file"] ?? ""))
        case .success: break
        case .failure(let error): cells[1] = Self.cell("\(error.stage)/\(error.code): \(error.message)")
        }
        cells += [String](repeating: "", count: max(0, count - cells.count))
        try output.write(cells.joined(separator: ",") + "\r\n")
    }

    private static let depthColumns =
        ["id", "error", "width", "height", "minimum", "maximum", "median"]
        + ["range_minimum", "range_maximum", "npy", "png"]

    private static let imageColumns = ["id", "error", "width", "height", "channels", "file"]

    private func writeText(_ record: PredictionRecord) throws(OutputError) {
        let empty = [String](repeating: "", count: Self.textColumns.count - 2)
        var rows: [[String]] = []
        switch record.text {
        case .success(let text):
            rows = text.lines.enumerated().map { position, line in
                [
                    Self.cell(record.id), "", String(position + 1), Self.cell(line.text ?? ""),
                    line.confidence.description, line.direction.map { String($0.degrees) } ?? "",
                ] + line.box.corners.flatMap { [Float($0.x).description, Float($0.y).description] }
            }
            if rows.isEmpty { rows = [[Self.cell(record.id), ""] + empty] }
        case .failure(let error):
            rows = [[Self.cell(record.id), Self.cell("\(error.stage)/\(error.code): \(error.message)")] + empty]
        }
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    private static let textColumns = [
        "id", "error", "line", "text", "confidence", "direction", "x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4",
    ]

    private static let outputColumns = ["id", "error", "output", "type", "shape", "values"]

    private static let objectColumns = [
        "id", "error", "time", "index", "label", "confidence", "x", "y", "width", "height", "track",
    ]

    /// The columns of objects; turned boxes have those of their corners too.
    private var objectNames: [String] { Self.objectColumns + (options.hasCorners ? Self.cornerColumns : []) }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.commit()
    }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.finish()
    }

    private mutating func writeHeader() throws(OutputError) {
        guard !hasHeader else { return }
        hasHeader = true
        let names =
            switch options.content {
            case .objects: objectNames
            case .segments: Self.segmentColumns
            case .instances: Self.instanceColumns
            case .poses: Self.poseColumns
            case .landmarks: Self.landmarkColumns
            case .depth: Self.depthColumns
            case .image: Self.imageColumns
            case .text: Self.textColumns
            case .parts: Self.partColumns
            case .outputs: Self.outputColumns
            case .embeddings: ["id", "error"] + (0..<columnCount).map { "x\($0)" }
            case .classes:
                ["id", "error"]
                    + (0..<max(0, options.top)).flatMap { position in
                        ["index", "label", "confidence"].map { "\($0)_\(position + 1)" }
                    }
            }
        try output.write(names.joined(separator: ",") + "\r\n")
    }

    /// A text as a cell, quoted if necessary.
    package static func cell(_ text: String) -> String {
        let visible = text.withVisibleControls
        let safe = visible.withoutFormulas
        let needsQuotes =
            safe != visible
            || safe.unicodeScalars.contains { [",", ";", "\t", "\"", "\r", "\n"].contains($0) }
            || safe.first == " " || safe.last == " "
        guard needsQuotes else { return safe }
        var quoted = "\""
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension String {
    /// The text, escaped so that no spreadsheet runs it as a formula, even one that separates cells at semicolons or
    /// tabs.
    ///
    /// A cell may begin at the start of the text and after each comma, semicolon, tab and line break, with spaces and
    /// quotation marks before its content. There `=`, `+`, `-` and `@`, and their wide forms, get an apostrophe in
    /// front. So do tabs and line breaks at the start of the text. Existing apostrophes before such a character get one
    /// more, so removing one apostrophe at each of these places restores the text.
    var withoutFormulas: String {
        let starters: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
        let separators: Set<Unicode.Scalar> = [",", ";", "\t", "\r", "\n"]
        guard unicodeScalars.contains(where: { starters.contains($0) || separators.contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        var mayBegin = true
        var isFirst = true
        for scalar in unicodeScalars {
            let isBlank = isFirst && ["\t", "\r", "\n"].contains(scalar)
            if isBlank || mayBegin && starters.contains(scalar) { result.append("'") }
            result.append(scalar)
            mayBegin = separators.contains(scalar) || mayBegin && [" ", "\"", "'"].contains(scalar)
            isFirst = isFirst && scalar == "'"
        }
        return String(result)
    }
}

extension Sink where Self == CSVSink {
    /// A sink of comma-separated values, one row per picture.
    public static func csv(to output: OutputFile, _ options: SinkKind.RowOptions = SinkKind.RowOptions()) -> CSVSink {
        CSVSink(RowFile(output), options, columnCount: 0)
    }
}
