/// The decoders of pictures, in the order in which they are asked about a file.
enum PictureDecoders {
    static let all: [any PictureDecoder.Type] = [
        JPEGDecoder.self, PNGDecoder.self, WebPDecoder.self, GIFDecoder.self, TIFFDecoder.self, BitmapDecoder.self,
        PortableMapDecoder.self, HEIFDecoder.self, JPEG2000Decoder.self,
    ]

    /// The names of the kinds, for messages.
    static var names: String {
        let names = all.map { $0.name }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    /// The decoder of a file, recognized by its first bytes.
    static func decoder(of file: Bytes) throws(ImageError) -> any PictureDecoder.Type {
        guard file.count > 0 else { throw .empty }
        for decoder in all {
            let signatures = decoder.signatures
            if signatures.contains(where: file.matches), decoder.accepts(file) { return decoder }
            if signatures.contains(where: file.isCutOff) { throw .truncated("only \(file.count) bytes are left") }
        }
        if let name = UndecodedFile.picture(file) { throw .unsupported(name) }
        throw .unrecognized(UndecodedFile.lookalike(file))
    }
}

extension Image {
    /// The libraries that some kinds of pictures need and that this system does not have, an error each. An error says
    /// the kind, the library and the Debian package that brings it.
    public static var missingLibraries: [ImageError] {
        PictureDecoders.all.flatMap { $0.missingLibraries } + [missingColorLibrary].compactMap(\.self)
    }

    /// The extensions of picture files, in lowercase.
    public static let fileExtensions: Set<String> = PictureDecoders.all.reduce(into: []) {
        $0.formUnion($1.fileExtensions)
    }
}
