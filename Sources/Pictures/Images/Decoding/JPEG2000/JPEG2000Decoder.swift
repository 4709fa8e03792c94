import CPictures

/// JPEG 2000, through OpenJPEG.
struct JPEG2000Decoder: PictureDecoder {
    static let name = "JPEG 2000"
    static let fileExtensions: Set<String> = ["jp2", "j2k", "j2c", "jpc", "jpf", "jpx"]
    static let signatures: [[UInt8?]] = [
        [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], [0xFF, 0x4F, 0xFF, 0x51],
    ]

    private static let library: Result<PictureLibrary<apus_openjpeg>, ImageError> = {
        let found = PictureLibrary.find(
            apus_openjpeg(), for: name, "libopenjp2.so.7", package: "libopenjp2-7", apus_openjpeg_load)
        return found.flatMap { library in
            let version = library.functions.opj_version().map { String(cString: $0) } ?? ""
            guard version.hasPrefix("2.") else {
                return .failure(.missingLibrary(kind: name, library: "OpenJPEG 2", package: "libopenjp2-7"))
            }
            return found
        }
    }()
    static var missingLibraries: [ImageError] { [library.error].compactMap(\.self) }

    private let file: Bytes
    private let codestream: JPEG2000Codestream
    private let isBare: Bool
    private let channelCount: Int

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        isBare = file.starts(with: [0xFF, 0x4F])
        guard let content = isBare ? file : try BoxWalk.content(of: "jp2c", in: file) else {
            throw .corrupt("the file has no picture")
        }
        codestream = try JPEG2000Codestream(content)
        channelCount = isBare ? codestream.componentCount : max(codestream.componentCount, try Self.channelCount(file))
        guard channelCount <= 4 else { throw .unsupported("JPEG 2000 with a palette of \(channelCount) channels") }
    }

    /// The number of channels that a palette makes of one component; 0 without a palette.
    private static func channelCount(_ file: Bytes) throws(ImageError) -> Int {
        guard let header = try BoxWalk.content(of: "jp2h", in: file),
            let palette = try BoxWalk.content(of: "pclr", in: header)
        else { return 0 }
        return palette.integer(at: 2, byteCount: 1) ?? 0
    }

    var size: ImageSize { codestream.size }
    var orientation: Orientation { .upright }
    /// Samples of 32 bits, of the picture and of a tile.
    var decodingBytesPerPixel: Int {
        let made = channelCount > codestream.componentCount ? channelCount * 4 : 0
        return 3 + codestream.componentCount * (codestream.tileCount > 1 ? 5 : 4) + made
    }
    var decodingByteCount: Int { codestream.blockByteCount }
    var pixelDescription: String {
        "\(codestream.bits)-bit, \(codestream.componentCount) component\(codestream.componentCount == 1 ? "" : "s")"
    }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let functions = try Self.library.get().functions
        var message = [CChar](repeating: 0, count: Int(apus_openjpeg_message_capacity))
        let format = isBare ? apus_openjpeg_codestream : apus_openjpeg_jp2
        let result = withUnsafePointer(to: functions) { table in
            apus_openjpeg_decode(
                table, file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count, Int32(format),
                &message)
        }
        guard let result else {
            let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .onOneLine
            throw text.contains("memory") ? .outOfMemory : .corrupt(text.isEmpty ? "it cannot be decoded" : text)
        }
        defer { functions.opj_image_destroy(result) }
        return try JPEG2000Pixels(result.pointee, size).image()
    }
}
