import Apus
import ArgumentParser

/// The root command, `apus`.
struct ApusCommand: AsyncParsableCommand {
    /// The list of the zoo's networks, one per line.
    private static let zoo: String = Networks.all.map { network -> String in
        let names = ([network.name] + network.aliases).joined(separator: ", ")
        return "  \(names): \(network.summary)"
    }.joined(separator: "\n")

    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "Run vision networks over pictures and arrays.",
        discussion: """
            EXAMPLES:
              apus predict squeezenet1_1.onnx photos/
              apus predict squeezenet1_1.onnx photos/ -o results.csv
              apus evaluate squeezenet1_1.onnx labelled/
              apus search vectors.npy coffee.png
              apus duplicates vectors.npy
              apus inspect squeezenet1_1.onnx
              apus plan squeezenet1_1.onnx --why
              apus plan zoo:resnet50
              apus tune zoo:resnet50
              apus compare zoo:resnet50 --backends cpu,openblas,opencl
              apus bench zoo:resnet50 --profile

            MODEL is an .onnx, .mlmodel or .tflite file, recognised by content, an
            .mlpackage folder, or zoo:NAME, a network of the zoo with random weights.
            Results go to standard output, everything else to standard error. An error
            is one line that begins with "apus: ". An existing file is replaced if an
            earlier run of the same command made it, and otherwise only with --force.

            ZOO:
            \(zoo)

            \(ExitStatus.explanation)
            """,
        version: Version.current,
        subcommands: [
            PredictCommand.self, EvaluateCommand.self, SearchCommand.self, DuplicatesCommand.self, MergeCommand.self,
            RunCommand.self, PlanCommand.self, InspectCommand.self, ExportCommand.self, GenerateCommand.self,
            QuantizeCommand.self, TuneCommand.self,
            BenchCommand.self, CompareCommand.self,
            DevicesCommand.self, DoctorCommand.self, DemoCommand.self,
        ])

    /// What the command prints without arguments.
    static let welcome = """
        apus runs vision networks (ONNX, Core ML, TensorFlow Lite) over pictures.

          apus demo                        predict four photos that come with apus
          apus predict MODEL PICTURE...    find classes, objects, masks or text
          apus predict MODEL FOLDER -o results.csv
          apus inspect MODEL               what a model takes and gives
          apus plan MODEL --why            what runs each layer, and why
          apus bench MODEL                 how fast it is here
          apus evaluate MODEL LABELLED     how right it is on marked pictures
          apus doctor                      what this machine and installation lack

        apus --help lists all commands, and apus COMMAND --help shows one.
        """
}
