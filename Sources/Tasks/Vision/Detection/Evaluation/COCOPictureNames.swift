/// Finds the pictures of a ground truth by the names that records and results have.
struct COCOPictureNames {
    private let ids: Set<Int>
    private var places: [String: Int] = [:]
    /// Names that several pictures have, and which therefore tell none.
    private var ambiguous: Set<String> = []

    init(_ truth: COCOGroundTruth) {
        ids = Set(truth.pictures.map(\.id))
        for picture in truth.pictures {
            guard let name = picture.fileName else { continue }
            for form in Set([name, Self.lastComponent(name)]) {
                if places.updateValue(picture.id, forKey: form) != nil { ambiguous.insert(form) }
            }
        }
    }

    /// The id of the picture with a number.
    func id(_ number: Int) -> Int? { ids.contains(number) ? number : nil }

    /// The id of the picture of a record: by the name of its file, with or without its folders, or by the number that
    /// the file is called by.
    func id(_ name: String) -> Int? {
        for form in [name, Self.lastComponent(name)] where !ambiguous.contains(form) {
            if let id = places[form] { return id }
        }
        let stem = Self.lastComponent(name).prefix { $0 != "." }
        guard !stem.isEmpty, stem.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(stem).flatMap { id($0) }
    }

    private static func lastComponent(_ name: String) -> String {
        String(name.split(separator: "/").last ?? "")
    }
}
