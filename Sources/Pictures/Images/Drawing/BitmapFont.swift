/// A font of capital letters, digits and signs, 5 × 7 dots each.
enum BitmapFont {
    static let width = 5
    static let height = 7

    /// The rows of a character from the top, five bits each, the highest bit on the left. Lowercase letters are drawn
    /// as capitals, and characters without a glyph as a block.
    static func rows(of character: Character) -> [UInt8] {
        let glyph = glyphs[character] ?? character.uppercased().first.flatMap { glyphs[$0] } ?? "vvvvvvv"
        return glyph.utf8.map { digit in digit < 0x3A ? digit - 0x30 : digit - 0x57 }
    }

    /// The glyphs; each digit of base 32 is a row.
    private static let glyphs: [Character: String] = [
        "A": "ehhvhhh", "B": "uhhuhhu", "C": "ehggghe", "D": "uhhhhhu", "E": "vgguggv", "F": "vgguggg", "G": "ehgnhhf",
        "H": "hhhvhhh", "I": "e44444e", "J": "72222ic", "K": "hikokih", "L": "ggggggv", "M": "hrllhhh", "N": "hhpljhh",
        "O": "ehhhhhe", "P": "uhhuggg", "Q": "ehhhlid", "R": "uhhukih", "S": "fgge11u", "T": "v444444", "U": "hhhhhhe",
        "V": "hhhhha4", "W": "hhhllla", "X": "hha4ahh", "Y": "hhha444", "Z": "v1248gv", "0": "ehjlphe", "1": "4c4444e",
        "2": "eh1248v", "3": "v2421he", "4": "26aiv22", "5": "vgu11he", "6": "68guhhe", "7": "v124888", "8": "ehhehhe",
        "9": "ehhf12c", " ": "0000000", ".": "00000cc", ",": "0000448", "-": "000e000", "_": "000000v", ":": "0cc0cc0",
        "/": "01248g0", "%": "op248j3", "#": "aavavaa", "(": "2488842", ")": "8422248", "'": "4480000", "+": "044v440",
        "?": "eh12404", "!": "4444404", "=": "00v0v00",
    ]
}
