import Datasets
import Images
import Models
import Platform
import Preparation
import Tensors
import Vision

extension Model {
    /// Prepares the first pictures or arrays of a dataset for a comparison.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of inputs.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Returns: The inputs, and whether there are more.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture or the dataset is empty;
    ///   ``ApusError/file(path:message:)`` for a picture that cannot be read.
    public func comparisonInputs(
        from dataset: some Dataset, limit: Int = .max, preprocessing: Preprocessing? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws -> (inputs: [Comparison.Input], isCut: Bool) {
        let input = try ImageInput(self, preprocessing: preprocessing)
        let constants = try input.further.constants(input.preprocessing, decoding)
        let executor = try BlockingExecutor(name: "apus-images", role: .tasks(threadCount: 1))
        return try await executor.run {
            let listing = try dataset.records()
            var inputs: [Comparison.Input] = []
            while let record = try listing.next() {
                if inputs.count == limit { return (inputs, true) }
                do {
                    let tensor = try input.prepared(record.source, decoding).tensor
                    let others = try input.further.values(of: record.inputs, input.preprocessing, decoding)
                    var tensors = try input.further.tensors(constants, [others], size: input.extent(of: tensor))
                    tensors[input.name] = tensor
                    inputs.append(Comparison.Input(id: record.id, tensors: tensors))
                } catch {
                    throw ApusError.file(path: record.id, message: "\(error)")
                }
            }
            guard !inputs.isEmpty else { throw ApusError.usage("there are no pictures to compare on") }
            return (inputs, false)
        }
    }
}
