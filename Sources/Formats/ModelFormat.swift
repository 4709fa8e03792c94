#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Graphs

/// A kind of file that describes a network.
///
/// A format knows bytes and graphs, and nothing of what runs them.
package protocol ModelFormat: Sendable {
    /// The name people call the format by, such as `ONNX`.
    var name: String { get }

    /// The extensions such files usually have, without the dot.
    var fileExtensions: [String] { get }

    /// Whether `content` looks like this format, judged by its outermost structure and never by a file's name.
    ///
    /// A file of this format that was cut short is still recognized.
    func recognizes(_ content: ModelContent) -> Bool

    /// Reads a network.
    ///
    /// - Parameters:
    ///   - content: The file's bytes.
    ///   - folder: Where the file lies, for formats that keep weights in files beside it; nil when it lies nowhere.
    /// - Returns: A graph that is sorted, valid, and whose shapes fit together.
    func read(_ content: ModelContent, folder: URL?) throws(FormatError) -> Graph

    /// Reads a network with what the file says about pictures and classes.
    ///
    /// - Parameters: As in ``read(_:folder:)``.
    func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel
}

extension ModelFormat {
    /// The network alone, for formats that hold nothing else.
    package func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel {
        ImportedModel(try read(content, folder: folder))
    }

    /// ``recognizes(_:)`` for a file that was read into memory.
    package func recognizes(_ content: Data) -> Bool { recognizes(ModelContent(content)) }

    /// ``read(_:folder:)`` for a file that was read into memory.
    package func read(_ content: Data, folder: URL?) throws(FormatError) -> Graph {
        try read(ModelContent(content), folder: folder)
    }
}

extension Sequence<any ModelFormat> {
    /// The first format that recognizes `content`.
    ///
    /// - Throws: ``FormatError/invalid(_:)`` saying what the content is instead, when that can be told.
    package func format(of content: ModelContent) throws(FormatError) -> any ModelFormat {
        for format in self where format.recognizes(content) { return format }
        if let foreign = try ForeignContent(content) { throw foreign.error }
        throw .invalid("the file is not a model that Apus reads (\(map(\.name).joined(separator: ", ")))")
    }
}
