import Images

extension Model {
    /// How pictures would become inputs if nothing said how the network was trained, and their size when it is fixed.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
    package func guessedInput() throws(ApusError) -> (preprocessing: Preprocessing, size: ImageSize?) {
        var model = self
        model.preprocessing = nil
        let input = try ImageInput(model, preprocessing: nil)
        return (input.preprocessing, input.size)
    }
}
