import CTurboJPEG
import FoundationEssentials

extension Image {
    /// Encodes the image as a JPEG file with halved color resolution.
    ///
    /// - Parameters:
    ///   - quality: From 1 to 100.
    ///   - isAccurate: Whether the slow cosine transform is taken, as Pillow does, and not the fast one.
    /// - Throws: ``ImageError/outOfMemory``, or ``ImageError/invalidSize(_:)`` when an edge exceeds 65,500 pixels, the
    ///   format's limit.
    package func jpegData(quality: Int, isAccurate: Bool = false) throws(ImageError) -> Data {
        guard width <= 65_500, height <= 65_500 else { throw .invalidSize("a JPEG file cannot have the size \(size)") }
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        defer { tjDestroy(handle) }
        var file: UnsafeMutablePointer<UInt8>?
        defer { tjFree(file) }
        var byteCount: UInt = 0
        let status = pixels.withUnsafeBufferPointer { pixels in
            tjCompress2(
                handle, pixels.baseAddress, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &file, &byteCount,
                Int32(TJSAMP_420.rawValue), Int32(min(100, max(1, quality))),
                isAccurate ? TJFLAG_ACCURATEDCT : 0)
        }
        guard status == 0, let file else { throw .outOfMemory }
        return Data(bytes: file, count: Int(byteCount))
    }
}
