import Platform
import Predicting
import Vision

/// Writes comma-separated values, RFC 4180: a header, then one row per picture.
///
///     id,error,index_1,label_1,confidence_1,index_2,…,warning
///     a.jpg,,967,espresso,0.99938,…,
///     b.jpg,decode/truncated: the picture is cut off: …,,,…,
///
/// The last column has what is wrong with the picture's file although all pixels could be decoded.
///
/// Each object has its own row, with its box in fractions of the picture from the upper left. A picture without objects
/// has one row with empty cells:
///
///     id,error,time,index,label,confidence,x,y,width,height,track,warning
///     a.jpg,,,0,cat,0.9,0.1,0.2,0.3,0.4,,
///
/// Turned boxes have eight more columns, `x1` to `y4`, for their corners.
///
/// Each class that a picture shows has its own row, with its number of pixels and the box around them:
///
///     id,error,mask,index,label,area,x,y,width,height,warning
///     a.jpg,,a.jpg.png,0,cat,3,0.0,0.0,0.5,1.0,
///
/// Each object with a mask has its own row:
///
///     id,error,mask,number,index,label,confidence,area,x,y,width,height,warning
///     a.jpg,,a.jpg.png,1,0,cat,0.9,3,0.0,0.0,0.5,1.0,
///
/// Each point of a pose, and of landmarks, has its own row, with its place in fractions of the picture:
///
///     id,error,pose,index,label,pose_confidence,point,name,x,y,z,confidence,warning
///     a.jpg,,0,0,person,0.9,0,nose,0.2,0.3,,0.8,
///
///     id,error,confidence,point,name,x,y,z,point_confidence,warning
///     a.jpg,,0.99,0,,0.5,0.6,-0.1,,
///
/// A vector has a column for each element:
///
///     id,error,x0,x1,warning
///     a.jpg,,0.6,0.8,
///
/// Depth has its figures and the paths of its files, and a picture that was made its size and path:
///
///     id,error,width,height,minimum,maximum,median,range_minimum,range_maximum,npy,png,warning
///     a.jpg,,4,2,0.5,9.0,2.25,0.5,9.0,a.jpg.npy,a.jpg.png,
///
///     id,error,width,height,channels,file,warning
///     a.jpg,,8,4,3,a.jpg.png,
///
/// Each line of text has its own row, with its corners in pixels, clockwise from the upper left:
///
///     id,error,line,text,confidence,direction,x1,y1,x2,y2,x3,y3,x4,y4,warning
///     a.jpg,,1,Some text,0.97,0,10.0,5.0,200.0,5.0,200.0,30.0,10.0,30.0,
///
/// Each output of a network has its own row, with its extents and numbers separated by spaces:
///
///     id,error,output,type,shape,values,warning
///     a.jpg,,eyes,float32,2,0.5 0.25,
///
/// Each object that a recipe found, and each stage behind, has its own row, with the answer as JSON:
///
///     id,error,part,index,label,confidence,x,y,width,height,stage,kind,value,value_confidence,json,warning
///     a.jpg,,1,0,face,0.9,0.1,0.2,0.3,0.4,identity,embeddings,,,"{""embedding"":[0.6,0.8]}",
///
/// Every row has the same number of cells; missing ones are empty. Control characters except line breaks and tabs are
/// escaped, as in `\x1B`. No spreadsheet reads a text as a formula, whichever separator it uses: see
/// `String.withoutFormulas`.
public struct CSVSink: Sink {
    private let output: RowFile
    private let options: RowOptions
    /// The names of the columns.
    private let names: [String]
    private var hasHeader: Bool

    /// - Throws: ``OutputError`` for vectors whose length is not fixed, and for a file with other columns.
    package init(_ output: RowFile, _ options: RowOptions, rowShape: [Int]?) throws(OutputError) {
        if options.content.type.forms.contains(.vector), rowShape?.count != 1 {
            throw .failed(
                name: output.name, message: "the length of the vectors is not fixed, so that they make no columns")
        }
        self.init(output, options, columnCount: rowShape?.first ?? 0)
        guard hasHeader else { return }
        let beginning = try? FileContent.read(output.name, from: 0, count: header.utf8.count)
        guard beginning.map({ $0.elementsEqual(header.utf8) }) ?? false else {
            throw .failed(
                name: output.name,
                message: "has other columns than this version of Apus writes; start the run again without --resume")
        }
    }

    /// - Parameter columnCount: The number of elements of a vector.
    package init(_ output: RowFile, _ options: RowOptions, columnCount: Int) {
        let columns = options.content.type.columns(options, vectorLength: columnCount)
        names = ["id", "error"] + columns.map(\.name) + ["warning"]
        self.output = output
        self.options = options
        hasHeader = output.byteCount > 0
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        try writeHeader()
        let warning = RowCell.text(record.warning).csvText
        let rows = rows(of: record, options.content.type).map { cells in
            let missing = [String](repeating: "", count: max(0, names.count - cells.count - 1))
            return (cells + missing + [warning]).joined(separator: ",") + "\r\n"
        }
        try output.write(rows.joined())
    }

    /// The first cells of the rows of a record.
    private func rows<Answer: TaskAnswer>(of record: PredictionRecord<ImageAnswer>, _ type: Answer.Type) -> [[String]] {
        let row = RowContext(record, options)
        var (error, rows) = ("", [[RowCell]]())
        switch record.required(as: type) {
        case .success(let answer):
            rows = answer.cells(row)
            if rows.isEmpty { rows = [answer.cellsOfNothing(row)] }
        case .failure(let failure):
            error = "\(failure.stage)/\(failure.code): \(failure.message)"
            rows = [type.cellsOfFailure(row)]
        }
        return rows.map { [record.id.csvCell, error.csvCell] + $0.map(\.csvText) }
    }

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
        try output.write(header)
    }

    private var header: String { names.joined(separator: ",") + "\r\n" }
}

extension Sink where Self == CSVSink {
    /// A sink of comma-separated values, one row per picture.
    public static func csv(to output: OutputFile, _ options: RowOptions = RowOptions()) -> CSVSink {
        CSVSink(RowFile(output), options, columnCount: 0)
    }
}
