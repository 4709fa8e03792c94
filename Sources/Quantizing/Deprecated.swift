import Inference

// Names of the version before, which the next one leaves out.

@available(*, deprecated, renamed: "Model.QuantizationOptions")
public typealias QuantizationOptions = Model.QuantizationOptions

extension Model.QuantizationOptions {
    /// The former name of ``imageCount``.
    @available(*, deprecated, renamed: "imageCount")
    public var pictureCount: Int {
        get { imageCount }
        set { imageCount = newValue }
    }
}
