import FoundationEssentials
import Graphs

/// A file format for networks.
///
/// A format depends on bytes and graphs only, and on nothing that runs them.
package protocol ModelFormat: Sendable {
    /// The format's common name, such as `ONNX`.
    var name: String { get }

    /// The usual extensions of such files, without the dot.
    var fileExtensions: [String] { get }

    /// Whether `content` has this format, judged by its outermost structure and never by a file's name.
    ///
    /// A truncated file of this format is still recognized.
    func recognizes(_ content: ModelContent) -> Bool

    /// Reads a network.
    ///
    /// - Parameters:
    ///   - content: The file's bytes.
    ///   - folder: The file's folder, for formats that keep weights in files beside it; nil when there is none.
    /// - Returns: A graph that is sorted and valid, and whose shapes agree.
    func read(_ content: ModelContent, folder: URL?) throws(FormatError) -> Graph

    /// Reads a network and the file's descriptions of its pictures and classes.
    ///
    /// - Parameters: As in ``read(_:folder:)``.
    func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel
}

extension ModelFormat {
    /// Reads only the network, for formats that hold nothing else.
    package func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel {
        ImportedModel(try read(content, folder: folder))
    }

    /// Recognizes a file that was read into memory, like ``recognizes(_:)``.
    package func recognizes(_ content: Data) -> Bool { recognizes(ModelContent(content)) }

    /// Reads a file that was read into memory, like ``read(_:folder:)``.
    package func read(_ content: Data, folder: URL?) throws(FormatError) -> Graph {
        try read(ModelContent(content), folder: folder)
    }
}

extension Sequence<any ModelFormat> {
    /// The first format that recognizes `content`.
    ///
    /// - Throws: ``FormatError/invalid(_:)``, which names the kind of the content where it is known.
    package func format(of content: ModelContent) throws(FormatError) -> any ModelFormat {
        for format in self where format.recognizes(content) { return format }
        if let foreign = try ForeignContent(content) { throw foreign.error }
        throw .invalid("the file is not a model that Apus reads (\(map(\.name).joined(separator: ", ")))")
    }
}
