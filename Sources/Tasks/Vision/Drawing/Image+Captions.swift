import Images
import Platform

extension Image {
    /// The name of a class, cut where it is long, and a confidence in percent.
    static func caption(_ name: String, _ confidence: Float) -> String {
        let percentage = "\(Int((min(1, max(0, confidence)) * 100).rounded()))%"
        return name.printable.prefix(32) + " " + percentage
    }

    static let colors: [Preprocessing.Color] = [
        .init(red: 230, green: 25, blue: 75), .init(red: 60, green: 180, blue: 75),
        .init(red: 0, green: 110, blue: 220), .init(red: 255, green: 200, blue: 25),
        .init(red: 145, green: 30, blue: 180), .init(red: 70, green: 220, blue: 230),
        .init(red: 245, green: 130, blue: 48), .init(red: 240, green: 50, blue: 230),
        .init(red: 170, green: 110, blue: 40), .init(red: 0, green: 128, blue: 128),
    ]
}

extension Preprocessing.Color {
    static let white = Preprocessing.Color(red: 255, green: 255, blue: 255)

    /// Black or white, which is easier to read on this color, by the luma of ITU-R BT.601.
    var ofText: Preprocessing.Color {
        Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 > 140_000 ? .black : .white
    }
}
