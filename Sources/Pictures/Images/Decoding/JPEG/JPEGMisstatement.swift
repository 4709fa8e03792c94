/// A byte of a JPEG file that libjpeg does not know, and takes for another with a warning. All pixels are there.
struct JPEGMisstatement {
    let offset: Int
    /// What libjpeg takes the byte for.
    let meaning: UInt8
    let warning: String

    private init?(_ file: Bytes, _ offset: Int, meaning: UInt8, _ warning: (UInt8) -> String) {
        guard let value = file.byte(offset), value != meaning else { return nil }
        self.offset = offset
        self.meaning = meaning
        self.warning = warning(value)
    }

    /// A revision of JFIF other than 1.
    ///
    /// - Parameter offset: The offset of the content of a segment APP0.
    init?(revision file: Bytes, at offset: Int) {
        self.init(file, offset + 5, meaning: 1) { "the revision \($0) of JFIF is unknown" }
    }

    /// A color transform of Adobe that is not one of this number of components.
    ///
    /// Source: libjpeg's jdapimin.c, `default_decompress_parms`.
    ///
    /// - Parameter offset: The offset of the content of a segment APP14.
    init?(transform file: Bytes, at offset: Int, componentCount: Int) {
        let meaning: UInt8 = componentCount == 4 ? 2 : 1
        guard file.byte(offset + 11) != 0 else { return nil }
        self.init(file, offset + 11, meaning: meaning) {
            "Adobe's color transform \($0) is unknown for \(componentCount) components, and taken for \(meaning)"
        }
    }

    /// Parameters of a scan that are those of a progressive file, in a file that is not progressive.
    ///
    /// - Parameter offset: The offset of the marker of a scan.
    static func parameters(_ file: Bytes, scanAt offset: Int) -> [JPEGMisstatement] {
        guard let count = file.byte(offset + 4) else { return [] }
        let first = offset + 5 + 2 * Int(count)
        return [(first, 0), (first + 1, 63), (first + 2, 0)].compactMap { place, meaning in
            JPEGMisstatement(file, place, meaning: meaning) { _ in "the parameters of a scan are not sequential" }
        }
    }
}
