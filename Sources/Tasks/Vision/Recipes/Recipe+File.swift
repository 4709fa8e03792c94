import Images
import Models
import Platform

extension Recipe {
    /// Reads a recipe and its models.
    ///
    ///     {"recipe": 1, "stages": [
    ///       {"name": "lines", "model": "det.onnx"},
    ///       {"name": "direction", "model": "cls.onnx"},
    ///       {"name": "text", "model": "rec.onnx", "minimum_confidence": 0.5}]}
    ///
    /// Paths are relative to the file, and lead to places beneath its folder. Each stage has a `name` and a `model`.
    /// Its `task` may be left out where the model says what it is for. `region` says which part of the picture the
    /// stage looks at. `turn` gives, for each class, the angle by which a region is turned for the later stages.
    /// `preprocessing`, `labels` and `postprocess` are objects or the names of files. `inputs` gives inputs beside the
    /// picture numbers, or the names of `.npy` files or pictures. In a recipe that reads text, a
    /// classifier by default turns a line by 180° if its second class has a confidence of at least 0.9, and
    /// preprocesses pictures as PaddleOCR's classifiers do.
    ///
    /// - Parameter allowsFilesElsewhere: Whether files may lie outside the folder of the recipe, for recipes of one's
    ///   own.
    /// - Throws: ``ApusError/file(path:message:)`` naming the file, the stage and the key; otherwise as
    ///   ``Model/init(contentsOf:)``.
    public init(contentsOf path: String, allowsFilesElsewhere: Bool = false) throws(ApusError) {
        try self.init(try RecipeFile(contentsOf: path, allowsFilesElsewhere: allowsFilesElsewhere))
    }

    /// Reads the models of a file.
    package init(_ file: RecipeFile) throws(ApusError) {
        func located<Value>(_ body: () throws(ApusError) -> Value) throws(ApusError) -> Value {
            do {
                return try body()
            } catch {
                guard case .usage(let message) = error else { throw error }
                throw .file(path: file.path, message: message)
            }
        }
        let tasks = file.stages.compactMap { stage in
            stage.task.map {
                RecipeOutline.Stage(
                    name: stage.name, task: $0, turns: stage.turns, origin: stage.from,
                    seesPicture: stage.region?.shape == .picture)
            }
        }
        if tasks.count == file.stages.count {
            try located { () throws(ApusError) in try Self.check(tasks, joinsText: file.joinsText) }
        }
        var models: [Model] = []
        for stage in file.stages { models.append(try stage.readModel()) }
        // Nothing in a detector of lines says what it is for, but the stage that reads them does.
        let last = file.stages.last.flatMap { $0.task ?? models.last?.purpose.task }
        let readsText = last == .text && (file.stages[0].task ?? models[0].purpose.task ?? .text) == .text
        var stages: [Stage] = []
        for (stage, model) in zip(file.stages, models) {
            let task = stage.task ?? (stages.isEmpty && readsText ? .text : nil)
            stages.append(
                try located { () throws(ApusError) in
                    try Stage(stage, model, task, isOfText: readsText, file: file.path)
                })
        }
        self = try located { () throws(ApusError) in try Recipe(stages, joinsText: file.joinsText) }
    }
}

extension Recipe.Stage {
    fileprivate init(
        _ stage: RecipeFile.Stage, _ model: Model, _ task: VisionTask?, isOfText: Bool, file: String
    ) throws(ApusError) {
        try self.init(stage.name, model, task: task, region: stage.region, origin: stage.from)
        (turns, minimumConfidence) = (stage.turns, stage.minimumConfidence)
        do {
            try readSettings(stage, isOfText: isOfText)
        } catch let problem as RecipeFields.Problem {
            throw .file(path: file, message: problem.message)
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: file, message: "stage \"\(name.printable)\": \(error)")
        }
    }

    private mutating func readSettings(_ stage: RecipeFile.Stage, isOfText: Bool) throws {
        let fields = stage.fields
        settings.outputName = try fields.text("output_name")
        if let minimumConfidence, task == .text { settings.text.minimumConfidence = minimumConfidence }
        settings.text = try fields.text(settings.text)
        if let pooling: Embedder.Pooling = try fields.choice("pooling") { settings.embedding.pooling = pooling }
        if let normalize = try fields.flag("normalize") { settings.embedding.isNormalized = normalize }
        switch fields.value("labels") {
        case .string(let path)?: settings.labels = try Labels(contentsOf: stage.place(path))
        case let value?:
            guard let list = value.strings else {
                throw fields.problem("has \"labels\", which must be a list of names or the name of a file")
            }
            settings.labels = Labels(list)
        case nil: break
        }
        switch fields.value("preprocessing") {
        case .string(let path)?: settings.preprocessing = try Preprocessing(contentsOf: stage.place(path))
        case let value? where Preprocessing.isOwn(json: value.document):
            settings.preprocessing = try Preprocessing(json: String(decoding: value.document, as: UTF8.self))
        case let value?:
            let own = try task.type.preprocessing(of: model, settings)
            let customary = isOfText && task == .classify ? Preprocessing.ofDirections : Preprocessing()
            settings.preprocessing = try fields.preprocessing(value, on: own ?? customary)
        case nil: break
        }
        if isOfText, task == .classify { becomeDirection() }
        try readPostprocessing(stage)
    }

    private mutating func readPostprocessing(_ stage: RecipeFile.Stage) throws {
        let hasDecoder = [.detect, .pose, .landmarks].contains(task)
        var configuration = task == .detect ? model.detection : model.decoding
        switch stage.fields.value("postprocess") {
        case .some where !hasDecoder:
            throw stage.fields.problem("has \"postprocess\", which the task \(task.rawValue) does not read")
        case .string(let path)?: configuration = try DetectionConfiguration(contentsOf: stage.place(path))
        case let value?:
            configuration = try DetectionConfiguration(json: value.document, path: "\(model.name) (\"postprocess\")")
        case nil: break
        }
        if task == .detect {
            if let minimumConfidence {
                configuration = configuration ?? DetectionConfiguration()
                configuration?.minimumConfidence = minimumConfidence
            }
            settings.detection = configuration
        } else {
            settings.decodingConfiguration = configuration
            settings.minimumConfidence = hasDecoder ? minimumConfidence : nil
        }
    }
}

extension RecipeFields {
    /// How lines of text are found.
    fileprivate func text(_ options: TextDetector.Options) throws(Problem) -> TextDetector.Options {
        var options = options
        if let limit = value("limit") {
            let fields = try RecipeFields(
                limit, place: "\(place) has a \"limit\" that", keys: ["side", "length", "multiple"])
            let side: Preprocessing.SideLimit.Side = try fields.choice("side") ?? options.limit.side
            options.limit = Preprocessing.SideLimit(
                side, try fields.integer("length", in: 1...16_384) ?? options.limit.length,
                multiple: try fields.integer("multiple", in: 1...4096) ?? options.limit.multiple)
        }
        if let threshold = try number("threshold", in: 0...1) { options.threshold = Float(threshold) }
        if let growth = try number("growth", in: 0...10) { options.growth = Float(growth) }
        return options
    }
}
