import Images
import Models
import Platform

extension Model {
    /// The preprocessing that is assumed when nothing says how the network was trained, and the size of pictures when
    /// it is fixed.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
    package func guessedInput() throws(ApusError) -> (preprocessing: Preprocessing, size: ImageSize?) {
        var model = self
        model.preprocessing = nil
        let input = try ImageInput(model, preprocessing: nil)
        return (input.preprocessing, input.size)
    }
}
