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
    /// Whether what is read in objects becomes one text.
    let joinsText: Bool
    /// The paths of the recipes whose stages begin this one.
    private let recipes: [String]

    /// The paths of the models.
    package var modelPaths: [String] { stages.map(\.path) }

    /// The paths of all files that the recipe names.
    package var paths: [String] { recipes + stages.flatMap { [$0.path] + $0.files } }

    /// Whether a path is that of a recipe: it ends in `.json`.
    package static func isRecipe(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }

    private static let maximumByteCount = 1 << 20
    static let version = 1
    /// How deep recipes may name recipes.
    private static let maximumDepth = 3

    /// What the answer may be, besides what the stages give.
    private enum Answer: String, CaseIterable { case text }

    /// Reads a file.
    ///
    /// - Parameter allowsFilesElsewhere: Whether the files that it names may lie outside its folder.
    /// - Throws: ``ApusError/file(path:message:)``.
    package init(contentsOf path: String, allowsFilesElsewhere: Bool = false) throws(ApusError) {
        try self.init(contentsOf: path, allowsFilesElsewhere, depth: 0)
    }

    private init(contentsOf path: String, _ allowsFilesElsewhere: Bool, depth: Int) throws(ApusError) {
        let data = try FileContent.read(path, atMost: Self.maximumByteCount)
        do {
            try self.init(data, path: path, allowsFilesElsewhere, depth: depth)
            for stage in stages where !allowsFilesElsewhere { try stage.checkPlaces() }
        } catch let error as ApusError {
            throw error
        } catch let error as RecipeFields.Problem {
            throw .file(path: path, message: error.message)
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }

    private init(_ data: Data, path: String, _ allowsFilesElsewhere: Bool, depth: Int) throws {
        self.path = path
        guard let json = JSONValue(data) else {
            throw RecipeFields.Problem(message: "is not JSON")
        }
        let file = try RecipeFields(json, place: "the recipe", keys: ["recipe", "stages", "answer"])
        guard let version = try file.integer("recipe", in: 1...Int(Int32.max)) else {
            throw RecipeFields.Problem(message: "is no recipe: the key \"recipe\" with its version is missing")
        }
        guard version <= Self.version else { throw file.problem("has the version \(version), of a later Apus") }
        guard let list = file.value("stages")?.array else { throw file.problem("has no list of \"stages\"") }
        guard list.count <= Recipe.maximumStageCount else {
            throw file.problem("has \(list.count) stages; there are at most \(Recipe.maximumStageCount)")
        }
        let answer: Answer? = try file.choice("answer")
        joinsText = answer == .text
        let folder = path.pathOfFolder
        var (stages, recipes): ([Stage], [String]) = ([], [])
        for (position, value) in list.enumerated() {
            guard value.object?["recipe"] != nil else {
                stages.append(try Stage(value, number: stages.count + 1, folder: folder))
                continue
            }
            let fields = try RecipeFields(value, place: "stage \(position + 1)", keys: ["recipe"])
            guard position == 0, let name = try fields.text("recipe"), depth < Self.maximumDepth else {
                throw fields.problem("names a recipe, with which only the first stage of up to 3 recipes may begin")
            }
            if !allowsFilesElsewhere { try fields.checkPlace(name, in: folder) }
            let place = Stage.place(name, in: folder)
            let beginning = try RecipeFile(contentsOf: place, allowsFilesElsewhere, depth: depth + 1)
            stages = beginning.stages
            recipes += [place] + beginning.recipes
        }
        guard stages.count <= Recipe.maximumStageCount else {
            throw file.problem("has \(stages.count) stages; there are at most \(Recipe.maximumStageCount)")
        }
        (self.stages, self.recipes) = (stages, recipes)
        try checkOrigins()
    }

    /// Refuses regions that come from no stage before.
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
        for file in inputs.files { try fields.checkPlace(file, in: folder) }
        for key in ["model", "labels", "preprocessing", "postprocess"] {
            guard let named = fields.value(key)?.string, !(key == "model" && named.hasPrefix("zoo:")) else { continue }
            try fields.checkPlace(named, in: folder)
        }
    }

    /// Whether a path leads to a place beneath a folder, or to nothing.
    fileprivate static func lies(_ path: String, in folder: String) -> Bool {
        guard let place = FilePlace.resolved(folder + path) else { return true }
        guard let root = FilePlace.resolved(folder.isEmpty ? "." : folder) else { return false }
        return place.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
    }

    /// A path of the file, from the folder in which the command runs.
    func place(_ path: String) -> String { Self.place(path, in: folder) }

    fileprivate static func place(_ path: String, in folder: String) -> String {
        path.isAbsolutePath || path.hasPrefix("zoo:") ? path : folder + path
    }
}

extension RecipeFields {
    /// Refuses a file that lies outside the folder of the recipe.
    fileprivate func checkPlace(_ named: String, in folder: String) throws(Problem) {
        let isInside =
            !named.isAbsolutePath && !named.pathParts().contains("..") && RecipeFile.Stage.lies(named, in: folder)
        guard isInside else {
            throw problem(
                "names \"\(named.printable)\", which lies outside the recipe's folder; --recipe-files-anywhere "
                    + "allows it")
        }
    }
}

extension RecipeFields {
    /// The shape of a region in the file.
    private enum Shape: String, CaseIterable {
        case box, circle, corners, template, picture
    }

    /// The region of a stage; nil where it has none.
    func region() throws(Problem) -> Region? {
        guard let value = value("region") else { return nil }
        let keys = [
            "shape", "around", "margin", "square", "upright_by", "vertical_by", "shift", "center", "rim", "points",
            "size", "mirrored", "resample",
        ]
        let fields = try RecipeFields(value, place: "\(place) has a \"region\" that", keys: keys)
        let named: Shape? = try fields.choice("shape")
        let shape = named ?? .box
        var region = Region(.box)
        if let around = try fields.points("around") {
            if named != nil { throw fields.problem("has both \"shape\" and \"around\"") }
            region.shape = .points(around)
        }
        switch shape {
        case .box: break
        case .circle:
            guard let center = try fields.integer("center", in: Self.pointRange),
                let rim = try fields.integer("rim", in: Self.pointRange)
            else { throw fields.problem("needs the positions of two points, \"center\" and \"rim\"") }
            region.shape = .circle(center: center, rim: rim)
        case .corners: region.shape = .corners
        case .picture: region.shape = .picture
        case .template: region.shape = try fields.template()
        }
        region.margin = try fields.number("margin", in: -0.4...4) ?? 0
        region.isSquare = try fields.flag("square") ?? false
        region.isMirrored = try fields.flag("mirrored") ?? false
        if region.isMirrored, shape != .box, shape != .circle {
            throw fields.problem("has \"mirrored\", which only a box, a circle and \"around\" take")
        }
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

    /// The positions of several points.
    private func points(_ key: String) throws(Problem) -> [Int]? {
        guard let points = try numbers(key, atMost: 100) else { return nil }
        let indices = points.compactMap { Int(exactly: $0) }
        guard indices.count == points.count, indices.count >= 2, indices.allSatisfy(Self.pointRange.contains) else {
            throw problem("has \"\(key)\", which must be the positions of 2 to 100 points")
        }
        return indices
    }

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
