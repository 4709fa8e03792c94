import Images

extension TaskPredictor {
    /// The settings on which the numbers of an answer depend, beside the model: the preprocessing, and what the task
    /// has.
    package var answerSettings: [String: String] {
        var settings = settings
        settings["preprocessing"] = pictures.input.preprocessing.description
        let profile = pictures.decodingOptions.colorProfile
        if profile != .ignore { settings[Self.colorProfileKey] = profile.rawValue }
        return settings
    }

    /// The name of a setting that only runs have which convert colors.
    package static var colorProfileKey: String { "color profile" }
}
