import Graphs
import Images
import Models
import Platform

extension Model {
    /// The model with pixels as input. Scaling and normalizing become layers, which may run on any backend.
    ///
    ///     let pixels = try model.takingPixels()
    ///     try pixels.export(to: "with_normalization.onnx")
    ///
    /// The input becomes `uint8`, 0 to 255, in the order of channels with which the network was trained; a quarter of
    /// the bytes is copied to a device. Resizing and cropping stay in ``preprocessing``.
    ///
    /// - Parameter given: Overrides the model's own preprocessing.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture of `float32`, nothing says how
    ///   pictures become its numbers, zeros surround pictures after they are normalized, or each picture is
    ///   compressed, standardized or divided by its maximum.
    public func takingPixels(preprocessing given: Preprocessing? = nil) throws(ApusError) -> Model {
        let input = try ImageInput(self, preprocessing: given)
        guard let id = source.inputs.first(where: { source[$0].name == input.name }),
            graph.value(named: input.name).map({ graph[$0].elementType }) == .float32, !input.isUnbatched
        else { throw .usage("\(name): input \"\(input.name)\" takes no numbers of float32") }
        guard !input.isGuessed else {
            throw .usage("\(name): nothing says how pixels become the numbers that the network takes")
        }
        var steps = input.preprocessing
        guard steps.padding == nil else {
            throw .usage("\(name): the preprocessing pads normalized pictures with zeros, which no pixel stands for")
        }
        guard steps.jpegQuality == nil else {
            throw .usage("\(name): the preprocessing compresses each picture as JPEG, which no layer does")
        }
        guard !steps.dividesByMaximum else {
            throw .usage("\(name): the preprocessing divides by the maximum of each picture, which no layer knows")
        }
        guard !steps.standardizesEachImage else {
            throw .usage("\(name): the preprocessing standardizes each picture, which cannot be done pixel by pixel")
        }
        // The numbers are stored in the order red, green, blue.
        func ordered(_ numbers: [Float]) -> [Float] { steps.channelOrder == .bgr ? numbers.reversed() : numbers }
        let changed: Graph
        do {
            changed = try source.takingPixels(
                of: id, scale: steps.scale, means: ordered(steps.mean), deviations: ordered(steps.standardDeviation),
                channelAxis: input.layout == .channelsFirst ? 3 : 1)
        } catch {
            throw ApusError(error, model: name)
        }
        (steps.scale, steps.mean, steps.standardDeviation) = (1, [0], [1])
        var model = try Model(changed, name: name)
        model.describe(as: self)
        model.preprocessing = steps
        return model
    }
}
