import CPictures

/// The primary picture of an open HEIF file.
final class HEIFPicture {
    let size: ImageSize
    private let functions: apus_heif
    private let context: OpaquePointer
    private let handle: OpaquePointer

    init(_ file: Bytes, _ functions: apus_heif) throws(ImageError) {
        guard let context = functions.heif_context_alloc() else { throw .outOfMemory }
        self.functions = functions
        self.context = context
        var handle: OpaquePointer?
        do throws(ImageError) {
            functions.heif_context_set_maximum_image_size_limit(context, Int32(Image.maximumEdge))
            // Tiles are decoded on the thread that asks for them.
            functions.heif_context_set_max_decoding_threads(context, 0)
            try Self.check(
                functions.heif_context_read_from_memory_without_copy(
                    context, file.buffer.baseAddress, file.count, nil))
            try Self.check(functions.heif_context_get_primary_image_handle(context, &handle))
        } catch {
            functions.heif_context_free(context)
            throw error
        }
        guard let handle else {
            functions.heif_context_free(context)
            throw .corrupt("the file has no picture")
        }
        self.handle = handle
        size = ImageSize(
            width: Int(functions.heif_image_handle_get_width(handle)),
            height: Int(functions.heif_image_handle_get_height(handle)))
    }

    deinit {
        functions.heif_image_handle_release(handle)
        functions.heif_context_free(context)
    }

    /// The bits of a sample of brightness.
    var bits: Int { max(8, Int(functions.heif_image_handle_get_luma_bits_per_pixel(handle))) }
    var hasAlpha: Bool { functions.heif_image_handle_has_alpha_channel(handle) != 0 }

    var colorProfile: [UInt8]? {
        let count = functions.heif_image_handle_get_raw_color_profile_size(handle)
        guard count > 0, count < 1 << 26 else { return nil }
        var profile = [UInt8](repeating: 0, count: count)
        return functions.heif_image_handle_get_raw_color_profile(handle, &profile).code == 0 ? profile : nil
    }

    /// Red, green and blue, as the library makes them.
    ///
    /// - Parameter isPremultiplied: Whether colors are divided by transparency, as Pillow does.
    func decoded(isPremultiplied: Bool) throws(ImageError) -> Image {
        let divides = isPremultiplied && hasAlpha
        let decoded = try decoded(
            apus_heif_colorspace_rgb,
            divides ? apus_heif_chroma_interleaved_rgba : apus_heif_chroma_interleaved_rgb, reducesDepth: true)
        defer { withExtendedLifetime(decoded) {} }
        let sampleCount = divides ? 4 : 3
        let interleaved = decoded.plane(apus_heif_channel_interleaved, size, sampleByteCount: sampleCount)
        guard let (plane, stride) = interleaved else {
            throw .corrupt("the size of the picture is declared twice, differently")
        }
        return Image(size) { target in
            let rowByteCount = size.width * 3
            for row in 0..<size.height {
                let source = UnsafeBufferPointer(start: plane + row * stride, count: size.width * sampleCount)
                guard divides else {
                    _ = target[row * rowByteCount..<(row + 1) * rowByteCount].update(fromContentsOf: source)
                    continue
                }
                for column in 0..<size.width {
                    for channel in 0..<3 {
                        let color = source[column * 4 + channel]
                        target[row * rowByteCount + column * 3 + channel] = color.divided(
                            by: source[column * 4 + 3], clear: color)
                    }
                }
            }
        }
    }

    /// The picture of a file that asks for its samples as they are coded.
    func decoded(_ coding: HEIFCoding) throws(ImageError) -> Image {
        let decoded = try decoded(apus_heif_colorspace_undefined, apus_heif_chroma_undefined, reducesDepth: false)
        defer { withExtendedLifetime(decoded) {} }
        let samples = try decoded.samples(coding)
        // Where the library has converted them nevertheless, they are colors.
        let conversion = decoded.hasColors && !coding.isTakenForColors ? .colors : coding.colors
        return samples.image(conversion)
    }

    private func decoded(_ space: Int, _ chroma: Int, reducesDepth: Bool) throws(ImageError) -> HEIFDecodedImage {
        guard let options = functions.heif_decoding_options_alloc() else { throw .outOfMemory }
        defer { functions.heif_decoding_options_free(options) }
        if options.pointee.version >= 2 { options.pointee.convert_hdr_to_8bit = reducesDepth ? 1 : 0 }
        var decoded: OpaquePointer?
        try Self.check(functions.heif_decode_image(handle, &decoded, Int32(space), Int32(chroma), options))
        guard let decoded else { throw .corrupt("the picture cannot be decoded") }
        return HEIFDecodedImage(decoded, functions)
    }

    private static func check(_ error: apus_heif_error) throws(ImageError) {
        guard error.code != 0 else { return }
        let text = (error.message.map { String(cString: $0) } ?? "error \(error.code)").onOneLine
        switch Int(error.code) {
        case apus_heif_memory_error: throw .outOfMemory
        case apus_heif_unsupported_file, apus_heif_unsupported_feature:
            throw .unsupported("this kind of HEIC or AVIF (\(text))")
        default: throw .corrupt(text)
        }
    }
}
