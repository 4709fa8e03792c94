import Models

// Names of the previous version, which the next one removes.

@available(*, deprecated, renamed: "Model.QuantizationOptions")
public typealias QuantizationOptions = Model.QuantizationOptions

extension Model.QuantizationOptions {
    /// The former name of ``imageCount``.
    @available(*, deprecated, renamed: "imageCount")
    public var pictureCount: Int {
        get { imageCount }
        set { imageCount = newValue }
    }

    /// The former name of ``minimumAgreement``.
    @available(*, deprecated, renamed: "minimumAgreement")
    public var leastAgreement: Double {
        get { minimumAgreement }
        set { minimumAgreement = newValue }
    }
}
