import Apus
import ArgumentParser

/// The options for inputs of a network beside the picture.
package struct InputValueOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            """
            What an input beside the picture is given: a number for every element, numbers with commas, an .npy file, a \
            picture, or @COLUMN for the column of a manifest that names each picture's own; may be repeated. apus \
            inspect lists the inputs.
            """, valueName: "name=value"),
        transform: GivenInput.reading("NAME=VALUE, the name of an input and a number, numbers, a file or @COLUMN"))
    package var input: [GivenInput] = []

    /// The columns of manifests, by the names of the inputs.
    package var columns: [String: String] {
        input.reduce(into: [:]) { columns, given in
            if case .column(let name) = given.source { columns[given.name] = name }
        }
    }

    /// The files that are read.
    package var files: [String] {
        input.compactMap { given in if case .file(let path) = given.source { path } else { nil } }
    }

    package func validate() throws {
        var names: Set<String> = []
        for given in input where !names.insert(given.name).inserted {
            throw ValidationError("--input \(given.name.printable) is given more than once")
        }
    }

    /// The model with the values that are given.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` for a file that is neither an array nor a picture.
    package func applied(to model: Model, decoding: Image.DecodingOptions) throws(ApusError) -> Model {
        var model = model
        for given in input {
            model.inputValues[given.name] =
                switch given.source {
                case .numbers(let numbers): .numbers(numbers)
                case .column: .ofRecord
                case .file(let path): try InputValue(contentsOf: path, decoding: decoding)
                }
        }
        return model
    }
}

/// An argument such as `threshold=0.5`, `style=waves.jpg` or `second=@after`.
package struct GivenInput: ExpressibleByArgument {
    package enum Source {
        case numbers([Double])
        case file(String)
        case column(String)
    }

    package let name: String
    package let source: Source

    package init?(argument: String) {
        guard let separator = argument.firstIndex(of: "=") else { return nil }
        name = String(argument[..<separator])
        let value = String(argument[argument.index(after: separator)...])
        if name.isEmpty || value.isEmpty || value == "@" { return nil }
        if value.hasPrefix("@") {
            source = .column(String(value.dropFirst()))
        } else if let numbers = InputValue.numbers(in: value) {
            source = .numbers(numbers)
        } else {
            source = .file(value)
        }
    }
}
