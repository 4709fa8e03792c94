import Apus
import ArgumentParser
import SharedOptions

/// `apus export`: writes a network as an ONNX file.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a network of the zoo, or an imported one, as ONNX.",
        discussion: """
            EXAMPLES:
              apus export zoo:squeezenet1_1 -o squeezenet.onnx
              apus export zoo:squeezenet1_1 --seed 7 --batch 8 -o squeezenet_8.onnx
              apus export model.onnx --declutter -o simpler.onnx
              apus export model.onnx --pixels -o model_of_pixels.onnx
              apus export model.onnx -o - | wc -c

            The file uses operator set 18, or a later one if nodes need it, and holds at most
            2 GiB. Its metadata contain the preprocessing, the labels and the decoding of objects
            (apus.preprocessing, apus.labels, apus.postprocess), so apus predict needs no other
            file. With --pixels, scaling and normalizing are layers: the input is then 8-bit
            pixels, resized and cropped, with the channels in the network's order.
            """)

    @OptionGroup var network: ModelOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The output; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("Images per run (default: open, as N).", valueName: "count"))
    var batch: Int?

    @Flag(help: "Apply the rewrites of a session: fold weights, and drop nodes without effect.")
    var declutter = false

    @Flag(help: "Take 8-bit pixels: scaling and normalizing become layers.")
    var pixels = false

    @OptionGroup var writing: WritingOptions

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output needs the name of a file") }
        if let batch { try ExecutionOptions.check(batch, "--batch", atMost: 65_536) }
    }

    func run() throws {
        var claims = writing.claims(model: network.model)
        if output != "-" { try claims.add(output, as: .network(.export), option: "--output") }
        let options = Model.ExportOptions(batch: batch, isDecluttered: declutter)
        var model = try network.load()
        if let loss = model.lossOfExport { StandardError.write("apus: warning: \(model.name): \(loss)") }
        if pixels { model = try model.takingPixels() }
        guard output == "-" else {
            try claims.confirm(output)
            return try model.export(to: output, options: options)
        }
        try model.onnx(options: options).withUnsafeBytes { try OutputFile.standardOutput().write($0) }
    }
}
