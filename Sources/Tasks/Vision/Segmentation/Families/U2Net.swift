import Images
import Models

/// U²-Net and U²-Netp: the foreground of a picture, by seven maps, of which the first is the answer.
///
/// Sources: `session_simple.py` of https://github.com/danielgatis/rembg and https://arxiv.org/abs/2005.09007
struct U2Net: MatteFamily {
    let name = "u2net"
    let title = "U²-Net"
    let source = "https://github.com/danielgatis/rembg"
    let content = MapScores.Content.stretched

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.outputs.count == 7, signature.channelCount == 3, let size = signature.inputSize,
            signature.outputs.allSatisfy({ output in
                output.endsInSigmoid && output.shape.map { Array($0.dropFirst()) } == [1, size.height, size.width]
            })
        else { return nil }
        return "its seven maps"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        let size = signature.inputSize ?? ImageSize(width: 320, height: 320)
        var steps = Preprocessing(
            .fill, to: size, filter: .lanczos, mean: Preprocessing.imageNetMean,
            standardDeviation: Preprocessing.imageNetDeviation)
        steps.dividesByMaximum = true
        return steps
    }
}
