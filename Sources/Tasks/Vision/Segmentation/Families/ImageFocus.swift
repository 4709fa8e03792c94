import Images
import Models

/// img-focus: how important each part of a picture is, by one map of shares.
///
/// Source: `detector.py` of img-focus, https://pypi.org/project/img-focus/
struct ImageFocus: MatteFamily {
    let name = "img-focus"
    let title = "img-focus"
    let source = "https://pypi.org/project/img-focus/"
    let content = MapScores.Content.shares

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.channelCount == 3, let size = signature.inputSize, signature.outputs.count == 1,
            let output = signature.outputs.first, output.name == "output_importance", output.endsInSigmoid,
            signature.outputs(are: [1, size.height, size.width])
        else { return nil }
        return "its map \"output_importance\""
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        let size = signature.inputSize ?? ImageSize(width: 224, height: 224)
        var steps = Preprocessing()
        (steps.resizing, steps.filter) = (.letterbox(size, .ultralytics), .area)
        (steps.scale, steps.mean) = (1 / 255, Preprocessing.imageNetMean)
        steps.standardDeviation = Preprocessing.imageNetDeviation
        return steps
    }
}
