import FoundationEssentials
import Images
import NumPyFiles
import Platform
import Tensors

/// What an input of a network beside the picture is given, such as a threshold or the picture of a style.
///
///     var model = try Model(contentsOf: "transfer.tflite")
///     model.inputValues["style_image"] = try InputValue(contentsOf: "waves.jpg")
///     let generator = try await ImageGenerator(model)
///
/// The value is the same for every picture, and is repeated over a batch. ``ofRecord`` is each record's own.
public enum InputValue: Sendable {
    /// Numbers. One stands in every element; otherwise there are as many as the input has for one picture, in their
    /// order.
    case numbers([Double])
    /// The elements, of the extents of the input, or without that of the batch.
    case tensor(Tensor)
    /// A picture. It is prepared by the steps that the model file has for the input, or else by those of the main
    /// picture, in the size of the input.
    case image(Image)
    /// The value that each record of a data set has: `ImageRecord.inputs`.
    case ofRecord

    /// A number in every element.
    public static func number(_ number: Double) -> InputValue { .numbers([number]) }

    /// Reads a NumPy `.npy` file or a picture.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` for a file that is missing, damaged or neither of them;
    ///   ``ApusError/memory(_:)``.
    public init(
        contentsOf path: String, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) throws(ApusError) {
        let data = try FileContent.read(path, atMost: FileContent.maximumPictureByteCount)
        do {
            try self.init(content: data, decoding: decoding)
        } catch let error as TensorError {
            throw .memory("\(path): \(error)")
        } catch ImageError.unrecognized {
            throw .file(path: path, message: "is neither an .npy file nor a picture")
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }

    /// Reads the content of a NumPy `.npy` file or of a picture.
    ///
    /// - Throws: `NumPyError`, `TensorError` or ``ImageError``.
    package init(content data: Data, decoding: Image.DecodingOptions) throws {
        if data.starts(with: Self.beginningOfNumPy) {
            self = .tensor(try Tensor(numPyData: data))
        } else {
            self = .image(try Image(decoding: data, options: decoding))
        }
    }

    private static let beginningOfNumPy: [UInt8] = [0x93] + Array("NUMPY".utf8)

    /// The numbers of a text such as `0.5`, or `0.1,0.2,0.3`; nil for another text.
    package static func numbers(in text: String) -> [Double]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = words.compactMap { word in Double(String(word).trimmed) }
        guard numbers.count == words.count, numbers.allSatisfy(\.isFinite) else { return nil }
        return numbers
    }
}
