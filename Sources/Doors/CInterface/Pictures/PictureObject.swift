import Apus
import CApus
import FoundationEssentials

/// A picture to predict.
final class PictureObject: HandleObject {
    static let kind = "picture"

    let source: ImageSource

    init(_ source: ImageSource) { self.source = source }
}

@c @implementation
public func apus_picture_file(
    _ path: UnsafePointer<CChar>?, _ picture: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(picture, "picture")
        try give(PictureObject(.file(text(path, "path"))), to: place)
    }
}

@c @implementation
public func apus_picture_bytes(
    _ content: UnsafeRawPointer?, _ count: Int, _ picture: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(picture, "picture")
        guard count <= FileContent.maximumPictureByteCount else {
            throw InterfaceError.argument(
                "a picture may have \(FileContent.maximumPictureByteCount) bytes, not \(count)", code: "length")
        }
        try give(PictureObject(.data(Data(bytes(content, count, "bytes")))), to: place)
    }
}

@c @implementation
public func apus_picture_pixels(
    _ pixels: UnsafeRawPointer?, _ width: Int64, _ height: Int64, _ channels: Int32, _ rowStride: Int,
    _ byteCount: Int, _ picture: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(picture, "picture")
        let rows = try PixelRows(
            bytes(pixels, byteCount, "pixels"), width: width, height: height, channels: channels, stride: rowStride)
        try give(PictureObject(.image(rows.image())), to: place)
    }
}

@c @implementation
public func apus_picture_tensor(
    _ tensor: OpaquePointer?, _ picture: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(picture, "picture")
        try give(PictureObject(.array(object(tensor, TensorObject.self).tensor)), to: place)
    }
}
