import Apus
import FoundationEssentials

/// The report of `apus inspect` about a picture.
struct PictureReport: Encodable {
    struct Profile: Encodable {
        let name: String?
        let colorSpace: String
    }

    let picture: String
    let format: String
    let width: Int
    let height: Int
    /// The orientation as EXIF numbers it, from 1.
    let orientation: Int
    let pixels: String
    let frames: Int
    let animated: Bool
    let colorProfile: Profile?
    /// What happens to the pixels before preprocessing, one phrase for each step.
    let steps: [String]
    /// The error of decoding, or nil.
    let error: String?
    /// What is wrong with the file although its pixels can be decoded.
    let warning: String?

    init(_ path: String, _ content: Data) throws(ImageError) {
        let description = try PictureDescription(of: content)
        picture = path
        format = description.kind
        (width, height) = (description.storedSize.width, description.storedSize.height)
        orientation = description.orientation.rawValue
        pixels = description.pixels
        frames = description.frameCount
        animated = description.isAnimated
        colorProfile = description.colorProfile.map { Profile(name: $0.name, colorSpace: $0.colorSpace) }
        steps = Self.steps(description)
        do throws(ImageError) {
            warning = try Image(decoding: content).warning
            error = nil
        } catch {
            warning = nil
            self.error = "\(error)"
        }
    }

    /// Whether a regular file begins as a picture. Devices and pipes are not read.
    static func isPicture(_ path: String) -> Bool {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let kind = try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType,
            kind == .typeRegular, let start = try? FileContent.read(path, at: 0, count: 4096)
        else { return false }
        return PictureDescription.isPicture(start)
    }

    /// The content of a picture's file.
    static func content(of path: String) throws(ApusError) -> Data {
        try FileContent.read(path, atMost: FileContent.maximumPictureByteCount)
    }

    private static func steps(_ description: PictureDescription) -> [String] {
        var steps: [String] = []
        if description.frameCount > 1 {
            steps.append(
                description.isAnimated
                    ? "the first frame is taken; every frame with --every-frame" : "each page is a picture of its own")
        } else if description.isAnimated {
            steps.append("the first frame is taken")
        }
        if let depth = description.pixels.split(separator: "-").first.flatMap({ Int($0) }), depth > 8 {
            steps.append("samples of \(depth) bits become 8 bits")
        }
        if description.pixels.contains("palette") { steps.append("the palette is looked up") }
        if description.pixels.contains("grey") { steps.append("grey is repeated in red, green and blue") }
        if description.pixels.contains("CMYK") { steps.append("inks become red, green and blue without a profile") }
        if description.pixels.contains("alpha") { steps.append("alpha is dropped") }
        if description.colorProfile != nil {
            steps.append("the color profile is ignored; --color-profile srgb applies it")
        }
        if description.orientation != .up {
            steps.append("turned upright, to \(description.uprightSize) pixels")
        }
        return steps
    }

    var lines: [String] {
        var table = TextTable([("", .left), ("", .left)])
        func add(_ name: String, _ value: String?) { if let value { table.append([name, value]) } }
        add("picture", picture)
        add("format", format)
        add("size", "\(width)x\(height) pixels")
        add("pixels", pixels)
        if frames > 1 { add(animated ? "frames" : "pages", "\(frames)") }
        add("orientation", orientation == 1 ? "upright" : "EXIF \(orientation)")
        let name = colorProfile.map { "\($0.name ?? "without a name"), \($0.colorSpace)" }
        add("color profile", name ?? "none")
        for (index, step) in steps.enumerated() { add(index == 0 ? "steps" : "", step) }
        add("warning", warning)
        add("error", error)
        return table.lines()
    }
}
