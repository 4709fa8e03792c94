import Apus
import ArgumentParser
import Logging

/// The options of preprocessing: a file and single steps.
package struct PreprocessingOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "A Hugging Face preprocessor_config.json (default: the one beside the model).", valueName: "file"),
        completion: .file())
    package var preprocess: String?

    @Option(
        help: ArgumentHelp(
            "How pictures get the network's size: cropped, with a border, or stretched (square-crop: first cropped, then stretched).",
            valueName: "mode"))
    package var resize: Preprocessing.ResizeMode?

    @Option(help: ArgumentHelp("The filter of the resize.", valueName: "filter"))
    package var resample: ResamplingFilter?

    @Option(
        help: ArgumentHelp("The mean to subtract: a number, or one each for red,green,blue.", valueName: "numbers"),
        transform: NumberList.reading("a number, or several with commas such as 0.5,0.5,0.5"))
    package var mean: NumberList?

    @Option(
        help: ArgumentHelp(
            "The divisor after subtraction: a number, or one each for red,green,blue.", valueName: "numbers"),
        transform: NumberList.reading("a number, or several with commas such as 0.5,0.5,0.5"))
    package var std: NumberList?

    @Option(
        help: ArgumentHelp(
            """
            The factor for pixels from 0 to 255, applied first, such as 1/255 (default: that of the model, or else \
            1/255).
            """, valueName: "number"),
        transform: Fraction.reading("a number such as 0.5 or 1/255"))
    package var scale: Fraction?

    @Option(help: ArgumentHelp("The order of the color channels.", valueName: "order"))
    package var channels: Preprocessing.ChannelOrder?

    @Option(help: ArgumentHelp("The maximum number of pixels in a picture.", valueName: "count"))
    package var maximumPixels = Image.defaultMaximumPixelCount

    @Option(
        help: ArgumentHelp(
            """
            What to do with a picture whose file is damaged but has all its pixel data: predict it, with a warning \
            (accept), or give it an error row (refuse).
            """, valueName: "reaction"))
    package var damaged = DamageReaction.accept

    @Option(
        help: ArgumentHelp(
            "What to do with a color profile: ignore it, as training code does, or convert the pixels to sRGB (srgb).",
            valueName: "use"))
    package var colorProfile = ColorProfileUse.ignore

    package enum DamageReaction: String, CaseIterable, ExpressibleByArgument {
        case accept, refuse
    }

    /// The options for decoding pictures.
    package var decoding: Image.DecodingOptions {
        var options = Image.DecodingOptions(maximumPixelCount: maximumPixels)
        options.acceptsDamage = damaged == .accept
        options.colorProfile = colorProfile
        return options
    }

    package func validate() throws {
        try ExecutionOptions.check(maximumPixels, "--maximum-pixels")
    }

    /// The preprocessing for a model; nil when the model's own files define all of it.
    ///
    /// - Parameter keepsSize: Whether pictures keep their size where nothing says otherwise.
    /// - Returns: Also whether the range of the numbers is a guess.
    package func preprocessing(for model: Model, keepsSize: Bool = false) throws(ApusError) -> (
        steps: Preprocessing?, isGuessed: Bool
    ) {
        var given: Preprocessing?
        if let preprocess { given = try Preprocessing(contentsOf: preprocess) }
        let isGuessed =
            given == nil && model.preprocessing == nil && mean == nil && std == nil && scale == nil
        guard hasSingleSteps else { return (given, isGuessed) }
        let guess = try model.guessedInput()
        var steps = given ?? model.preprocessing ?? guess.preprocessing
        if keepsSize, given == nil, model.preprocessing == nil { (steps.resizing, steps.crop) = (.none, nil) }
        if let resize {
            guard let size = guess.size ?? steps.fixedOutputSize else {
                throw .usage(
                    "\(model.name): --resize \(resize.rawValue) needs a size, and nothing gives one (see --preprocess)")
            }
            // The border of the model's own preprocessing is kept, since it depends on the detector.
            if resize == .fit, case .letterbox(_, let color, let letterbox) = steps.resizing {
                steps.setResizing(resize, to: size, color: color, letterbox: letterbox)
            } else {
                steps.setResizing(resize, to: size)
            }
        }
        if let resample { steps.filter = resample }
        if let mean { steps.mean = mean.numbers }
        if let std { steps.standardDeviation = std.numbers }
        if let scale { steps.scale = scale.value }
        if let channels { steps.channelOrder = channels }
        if given == nil, model.preprocessing == nil { try checkRange(of: steps) }
        do {
            try steps.validate()
        } catch {
            throw .usage("\(error)")
        }
        return (steps, isGuessed)
    }

    /// Refuses a mean or a deviation above 1 where no option says the scale: pixels are then scaled to 0 to 1.
    private func checkRange(of steps: Preprocessing) throws(ApusError) {
        guard scale == nil, mean != nil || std != nil else { return }
        guard let number = (steps.mean + steps.standardDeviation).first(where: { abs($0) > 1 }) else { return }
        throw .usage(
            "\(number) of --mean or --std is for pixels from 0 to 255, but they are scaled to 0 to 1; --scale 1 keeps "
                + "them, and --scale 1/255 says that they are scaled")
    }

    /// Warns that the range of the numbers is a guess.
    package static func warnOfGuess(_ model: Model, _ logger: Logger) {
        logger.warning(
            "\(model.name): nothing says how pictures become inputs; guessing RGB from 0 to 1 (see --preprocess)")
    }

    /// Whether an option about the steps is given.
    package var isMentioned: Bool { preprocess != nil || hasSingleSteps }

    private var hasSingleSteps: Bool {
        resize != nil || resample != nil || mean != nil || std != nil || scale != nil || channels != nil
    }
}

extension Preprocessing.ResizeMode: ExpressibleByArgument {}
extension Preprocessing.ChannelOrder: ExpressibleByArgument {}
extension ResamplingFilter: ExpressibleByArgument {}

/// Numbers separated by commas.
package struct NumberList: ExpressibleByArgument {
    package let numbers: [Float]

    package init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        numbers = words.compactMap { Fraction(argument: String($0))?.value }
        if numbers.count != words.count { return nil }
    }
}

/// A finite number, or one divided by another.
package struct Fraction: ExpressibleByArgument {
    package let value: Float

    package init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { part in
            Double(part.drop { $0 == " " })
        }
        guard (1...2).contains(parts.count), let first = parts[0], let divisor = parts.count == 2 ? parts[1] : 1 else {
            return nil
        }
        value = Float(first / divisor)
        if !value.isFinite { return nil }
    }
}

extension ColorProfileUse: ExpressibleByArgument {}
