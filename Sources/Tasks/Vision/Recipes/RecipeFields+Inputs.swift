import Models
import Platform

extension RecipeFields {
    /// What an input beside the picture is given.
    enum Input {
        case numbers([Double])
        case file(String)
    }

    /// What inputs beside the picture are given, by name: numbers, or the name of an `.npy` file or of a picture.
    func inputs() throws(Problem) -> [String: Input] {
        guard let value = value("inputs") else { return [:] }
        guard let members = value.object, members.count <= 100 else {
            throw problem("has \"inputs\", which must be an object from the name of an input to its value")
        }
        let fields = try RecipeFields(value, place: "\(place) has \"inputs\", which", keys: Array(members.keys))
        var inputs: [String: Input] = [:]
        for key in members.keys.sorted() {
            if let file = members[key]?.string, Self.number(.string(file)) == nil {
                guard !file.isEmpty, !file.utf8.contains(0) else { throw fields.problem("has no file for \"\(key)\"") }
                inputs[key] = .file(file)
            } else {
                inputs[key] = try fields.numbers(key, atMost: 1 << 16).map { .numbers($0) }
            }
        }
        return inputs
    }
}

extension [String: RecipeFields.Input] {
    /// The names of files, in the order of the inputs.
    var files: [String] {
        sorted { $0.key < $1.key }.compactMap { if case .file(let name) = $0.value { name } else { nil } }
    }
}

extension RecipeFile.Stage {
    /// Reads the model, and gives its inputs their values.
    func readModel() throws(ApusError) -> Model {
        var model = try Model(contentsOf: path)
        for (name, input) in inputs {
            model.inputValues[name] =
                switch input {
                case .numbers(let numbers): .numbers(numbers)
                case .file(let file): try InputValue(contentsOf: place(file))
                }
        }
        return model
    }
}
