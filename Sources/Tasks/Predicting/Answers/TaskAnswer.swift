import Images
import SQLite
import Tensors

/// What a task says about one picture. Each task has a type of its own; rows, files, drawings and doors know of it what
/// stands here.
package protocol TaskAnswer: Sendable {
    // MARK: Rows

    /// The kind of the answer in options, in messages and in doors.
    static var kind: String { get }
    /// The word for the answer in errors and in their codes.
    static var name: String { get }
    /// The key of the answer in a row of JSON, where it is null when there is an error.
    static var key: String { get }
    /// The forms in which it can be written, beside rows.
    static var forms: AnswerForms { get }

    /// The name of the table of a database that has the answers.
    static var tableName: String { get }
    /// The table's columns. Kinds other than classes and vectors have the columns of CSV.
    static var table: AnswerTable { get }

    /// The columns of a row of CSV, after the id and the error.
    ///
    /// - Parameter vectorLength: The number of elements of a vector.
    static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn]

    /// The first cells of those columns for a record with an error.
    static func cellsOfFailure(_ row: RowContext) -> [RowCell]

    /// The best class or the text, with the confidence in it; empty where the answer has none.
    var bestCells: (value: RowCell, confidence: RowCell) { get }
    /// The answer to a part of a picture, in a few words.
    var summary: String { get }
    /// Why a network whose output has no fixed extents makes no array, in one line.
    static var reasonForNoArray: String { get }
    /// The one row of numbers that the answer has in an array; nil for none.
    var numberRow: RowNumbers? { get }
    /// The entries of COCO's results.
    var cocoEntries: [COCOEntry] { get }

    /// The members of an object of JSON, without the braces.
    func jsonMembers(_ row: RowContext) -> String

    /// The first cells of each row of CSV; no row where nothing was found.
    func cells(_ row: RowContext) -> [[RowCell]]

    /// The first cells of the one row of CSV where nothing was found.
    func cellsOfNothing(_ row: RowContext) -> [RowCell]

    /// The rows of the answer in the table of a database, without the record.
    func databaseRows(_ row: RowContext) -> [[DatabaseValue]]

    /// The lines of a table.
    func tableLines(_ row: RowContext) -> [TableLine]

    /// The regions of a prediction of Label Studio; none for answers that it cannot show.
    ///
    /// - Throws: ``RegionsWithoutSize`` for places in a record without a picture.
    func labelStudioRegions(_ options: RowOptions) throws(RegionsWithoutSize) -> [LabelStudioRegion]

    // MARK: Parts

    /// The size of the upright picture in pixels; nil where the answer does not know it.
    var pictureSize: ImageSize? { get }

    /// What the answer names, in its order; empty for vectors, depth, pictures and arrays.
    ///
    /// - Parameter options: Which classes of a classification count.
    func items(_ options: RowOptions) -> [FoundItem]

    /// The items as a page shows them, the most important first.
    func shownItems(_ options: RowOptions) -> [FoundItem]

    /// The arrays of the answer, by name.
    func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)]

    /// The image with what the answer finds in it, or an image of the answer; nil for answers that are not drawn.
    ///
    /// - Throws: ``ImageError`` when there is not enough memory.
    func drawing(on image: Image) throws(ImageError) -> Image?

    // MARK: Recipes

    /// The image with the answer to a part of it; nil where the answer says nothing of places.
    ///
    /// - Throws: ``ImageError`` when there is not enough memory.
    func drawingOfPart(on image: Image) throws(ImageError) -> Image?

    /// The answer to a part, with boxes and points in the whole picture.
    ///
    /// - Parameter size: The size of the picture from which the part was cut out.
    func placed(by crop: RegionCrop, in size: ImageSize) -> Self
}

extension TaskAnswer {
    package static var name: String { kind }
    package static var key: String { kind }
    package static var tableName: String { key }
    package static func cellsOfFailure(_ row: RowContext) -> [RowCell] { [] }
    package static var reasonForNoArray: String {
        "the network's first output has no fixed extents to make an array of"
    }

    package var bestCells: (value: RowCell, confidence: RowCell) { (.empty, .empty) }
    package var numberRow: RowNumbers? { nil }
    package var cocoEntries: [COCOEntry] { [] }

    package func labelStudioRegions(_ options: RowOptions) throws(RegionsWithoutSize) -> [LabelStudioRegion] { [] }

    package func cellsOfNothing(_ row: RowContext) -> [RowCell] { Self.cellsOfFailure(row) }
    package func shownItems(_ options: RowOptions) -> [FoundItem] { items(options) }
    package func drawingOfPart(on image: Image) throws(ImageError) -> Image? { try drawing(on: image) }
}

/// The forms of output that only some answers can take.
package struct AnswerForms: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A row of an array of numbers.
    package static let numbers = AnswerForms(rawValue: 1)
    /// Numbers of a vector, which have a column each.
    package static let vector = AnswerForms(rawValue: 2)
    /// Results of COCO.
    package static let cocoResults = AnswerForms(rawValue: 4)
    /// Regions of Label Studio.
    package static let regions = AnswerForms(rawValue: 8)
    /// Pages of text.
    package static let text = AnswerForms(rawValue: 16)
    /// A drawing.
    package static let drawing = AnswerForms(rawValue: 32)
    /// Things with names, which pages count.
    package static let items = AnswerForms(rawValue: 64)
}

/// Regions were asked for whose picture has no size, since the record is an array.
package struct RegionsWithoutSize: Error {
    package init() {}
}
