import FoundationEssentials
import Images
import Predicting
import Tensors

/// An answer that says of every pixel whether it belongs to something.
protocol MaskedAnswer: TaskAnswer {
    /// The mask as a PNG file, as ``MaskFolder`` says.
    func maskFile(comment: String) throws -> Data

    /// The opacity of every pixel of the foreground, row after row, as ``CutoutFolder`` says.
    var opacity: [UInt8] { get }
}

extension Segmentation: MaskedAnswer {
    func maskFile(comment: String) throws -> Data {
        if let matte {
            return try PNGEncoder.encode(
                matte.elements(as: UInt8.self), size: imageSize, .gray8, comment: comment)
        }
        if classes.elementType == .uint8 {
            return try PNGEncoder.encode(
                classes.elements(as: UInt8.self), size: imageSize,
                .indices(palette: Preprocessing.Color.ofClasses), comment: comment)
        }
        let bytes = classes.elements(as: UInt16.self).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return try PNGEncoder.encode(bytes, size: imageSize, .gray16, comment: comment)
    }

    var opacity: [UInt8] {
        if let matte { return matte.elements(as: UInt8.self) }
        let left = Set(segments.filter(\.isBackground).map(\.index) + [Self.unseen(classes.elementType)])
        return classes.elements(as: Int32.self).map { left.contains(Int($0)) ? 0 : 255 }
    }
}
