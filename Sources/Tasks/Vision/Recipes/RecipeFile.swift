import FoundationEssentials
import Images
import Models
import Platform
import Predicting
import Tensors

/// The content of a recipe's file, before its models are read.
package struct RecipeFile {
    /// A stage.
    struct Stage {
        let name: String
        /// The model's path, from the folder in which the command runs.
        let path: String
        let fields: RecipeFields
        let task: VisionTask?
        let from: String?
        let region: Region?
        let turns: [String: Int]
        let minimumConfidence: Float?
        /// What inputs beside the picture are given.
        let inputs: [String: RecipeFields.Input]
        /// The paths of the files beside the model that the stage names.
        let files: [String]
        /// The folder of the recipe, with a slash at its end.
        let folder: String
    }

    /// The path of the file.
    package let path: String
    let stages: [Stage]

    /// The paths of the models.
    package var modelPaths: [String] { stages.map(\.path) }

    /// The paths of all files that the recipe names.
    package var paths: [String] { stages.flatMap { [$0.path] + $0.files } }

    /// Whether a path is that of a recipe: it ends in `.json`.
    package static func isRecipe(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }

    private static let maximumByteCount = 1 << 20
    static let version = 1

    /// Reads a file.
    ///
    /// - Parameter allowsFilesElsewhere: Whether the files that it names may lie outside its folder.
    /// - Throws: ``ApusError/file(path:message:)``.
    package init(contentsOf path: String, allowsFilesElsewhere: Bool = false) throws(ApusError) {
        let data = try FileContent.read(path, atMost: Self.maximumByteCount)
        do throws(RecipeFields.Problem) {
            try self.init(data, path: path)
            for stage in stages where !allowsFilesElsewhere { try stage.checkPlaces() }
        } catch {
            throw .file(path: path, message: error.message)
        }
    }

    private init(_ data: Data, path: String) throws(RecipeFields.Problem) {
        self.path = path
        guard let json = JSONValue(data) else {
            throw RecipeFields.Problem(message: "is not JSON")
        }
        let file = try RecipeFields(json, place: "the recipe", keys: ["recipe", "stages"])
        guard let version = try file.integer("recipe", in: 1...Int(Int32.max)) else {
            throw RecipeFields.Problem(message: "is no recipe: the key \"recipe\" with its version is missing")
        }
        guard version <= Self.version else { throw file.problem("has the version \(version), of a later Apus") }
        guard let list = file.value("stages")?.array else { throw file.problem("has no list of \"stages\"") }
        guard list.count <= Recipe.maximumStageCount else {
            throw file.problem("has \(list.count) stages; there are at most \(Recipe.maximumStageCount)")
        }
        let folder = path.pathOfFolder
        var stages: [Stage] = []
        for (position, value) in list.enumerated() {
            stages.append(try Stage(value, number: position + 1, folder: folder))
        }
        self.stages = stages
        try checkOrigins()
    }

    /// Refuses regions that come from other stages than the first.
    private func checkOrigins() throws(RecipeFields.Problem) {
        for (position, stage) in stages.enumerated() {
            guard let from = stage.from else { continue }
            let name = from.printable
            if from == stage.name { throw stage.fields.problem("takes its regions from itself") }
            guard let origin = stages.firstIndex(where: { $0.name == from }) else {
                throw stage.fields.problem("takes its regions from \"\(name)\", which is no stage")
            }
            if origin > position {
                throw stage.fields.problem("takes its regions from \"\(name)\", which runs behind it")
            }
            if origin > 0 {
                throw stage.fields.problem("takes its regions from \"\(name)\", but only the first stage finds any")
            }
        }
    }
}

extension RecipeFile.Stage {
    static let keys = [
        "name", "model", "task", "from", "region", "turn", "minimum_confidence", "preprocessing", "labels",
        "postprocess", "output_name", "limit", "threshold", "growth", "pooling", "normalize",
        "inputs",
    ]

    init(_ value: JSONValue, number: Int, folder: String) throws(RecipeFields.Problem) {
        let plain = try RecipeFields(value, place: "stage \(number)", keys: Self.keys)
        guard let name = try plain.text("name") else { throw plain.problem("has no \"name\"") }
        let fields = RecipeFields(plain, place: "stage \"\(name.printable)\"")
        guard let model = try fields.text("model"), !model.isEmpty else { throw fields.problem("has no \"model\"") }
        (self.name, self.fields) = (name, fields)
        path = Self.place(model, in: folder)
        task = try fields.choice("task")
        from = try fields.text("from")
        if number == 1, from != nil || fields.value("region") != nil {
            throw fields.problem("is the first: it looks at whole pictures, and has no \"from\" and no \"region\"")
        }
        region = try fields.region()
        turns = try fields.turns()
        minimumConfidence = try fields.number("minimum_confidence", in: 0...1).map { Float($0) }
        inputs = try fields.inputs()
        let named = ["labels", "preprocessing", "postprocess"].compactMap { fields.value($0)?.string }
        files = (named + inputs.files).map { Self.place($0, in: folder) }
        self.folder = folder
    }

    /// Refuses files that lie outside the folder of the recipe, also by links, as models refuse such data of theirs: a
    /// recipe may come from anyone, and rows would quote what a file of labels has in it.
    func checkPlaces() throws(RecipeFields.Problem) {
        let named = ["labels", "preprocessing", "postprocess"].compactMap { fields.value($0)?.string } + inputs.files
        let model = fields.value("model")?.string.flatMap { $0.hasPrefix("zoo:") ? nil : $0 }
        for named in [model].compactMap(\.self) + named {
            let isInside = !named.isAbsolutePath && !named.pathParts().contains("..") && Self.lies(named, in: folder)
            guard isInside else {
                throw fields.problem(
                    "names \"\(named.printable)\", which lies outside the recipe's folder; --recipe-files-anywhere "
                        + "allows it")
            }
        }
    }

    /// Whether a path leads to a place beneath a folder, or to nothing.
    private static func lies(_ path: String, in folder: String) -> Bool {
        guard let place = FilePlace.resolved(folder + path) else { return true }
        guard let root = FilePlace.resolved(folder.isEmpty ? "." : folder) else { return false }
        return place.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
    }

    /// A path of the file, from the folder in which the command runs.
    func place(_ path: String) -> String { Self.place(path, in: folder) }

    private static func place(_ path: String, in folder: String) -> String {
        path.isAbsolutePath || path.hasPrefix("zoo:") ? path : folder + path
    }
}

extension RecipeFields {
    /// The shape of a region in the file.
    private enum Shape: String, CaseIterable {
        case box, circle, corners, template
    }

    /// The region of a stage; nil where it has none.
    func region() throws(Problem) -> Region? {
        guard let value = value("region") else { return nil }
        let keys = [
            "shape", "margin", "square", "upright_by", "vertical_by", "shift", "center", "rim", "points", "size",
            "resample",
        ]
        let fields = try RecipeFields(value, place: "\(place) has a \"region\" that", keys: keys)
        let shape: Shape = try fields.choice("shape") ?? .box
        var region = Region(.box)
        switch shape {
        case .box: break
        case .circle:
            guard let center = try fields.integer("center", in: Self.pointRange),
                let rim = try fields.integer("rim", in: Self.pointRange)
            else { throw fields.problem("needs the positions of two points, \"center\" and \"rim\"") }
            region.shape = .circle(center: center, rim: rim)
        case .corners: region.shape = .corners
        case .template: region.shape = try fields.template()
        }
        region.margin = try fields.number("margin", in: -0.4...4) ?? 0
        region.isSquare = try fields.flag("square") ?? false
        region.baseline = try fields.pointPair("upright_by")
        region.verticalLine = try fields.pointPair("vertical_by")
        if region.baseline != nil, region.verticalLine != nil {
            throw fields.problem("has both \"upright_by\" and \"vertical_by\"")
        }
        if let shift = try fields.numbers("shift", atMost: 2) {
            guard shift.count == 2, shift.allSatisfy({ abs($0) <= 4 }) else {
                throw fields.problem("has \"shift\", which must be two numbers from -4 to 4")
            }
            region.shift = SIMD2(shift[0], shift[1])
        }
        region.interpolation = try fields.choice("resample") ?? .cubic
        if shape == .box || shape == .circle { region.size = try fields.size("size") }
        return region
    }

    /// The positions of points found with an object.
    private static let pointRange = 0...999

    /// The positions of two points.
    private func pointPair(_ key: String) throws(Problem) -> [Int]? {
        guard let points = try numbers(key, atMost: 2) else { return nil }
        let indices = points.compactMap { Int(exactly: $0) }
        guard indices.count == 2, indices.allSatisfy(Self.pointRange.contains) else {
            throw problem("has \"\(key)\", which must be the positions of two points")
        }
        return indices
    }

    private func template() throws(Problem) -> Region.Shape {
        guard let size = try size("size") else { throw problem("has no \"size\", which a template needs") }
        let list = value("points")?.array ?? []
        let points = list.compactMap { pair -> PixelPoint? in
            let numbers = pair.array?.map(Self.number) ?? []
            guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else { return nil }
            return PixelPoint(x: x, y: y)
        }
        guard points.count == list.count, (2...100).contains(points.count) else {
            throw problem("has \"points\", which must be 2 to 100 pairs of numbers")
        }
        return .template(points, size)
    }

    /// The angles by class.
    func turns() throws(Problem) -> [String: Int] {
        guard let value = value("turn") else { return [:] }
        guard let members = value.object, members.count <= 1000 else {
            throw problem("has \"turn\", which must be an object from class to angle")
        }
        let fields = try RecipeFields(value, place: "\(place) has \"turn\", which", keys: Array(members.keys))
        var turns: [String: Int] = [:]
        for key in members.keys.sorted() { turns[key] = try fields.integer(key, in: 0...359) }
        return turns
    }
}
