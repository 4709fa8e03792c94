import Images

extension Preprocessing {
    /// The steps of networks for crops of people: the picture keeps its proportions in a black border, and numbers have
    /// the mean and the deviation of ImageNet.
    static func imageNetFit(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing(
            .fit, to: size, filter: .linear, scale: 1 / 255, mean: imageNetMean,
            standardDeviation: imageNetDeviation)
        steps.setResizing(.fit, to: size, color: .black, letterbox: .ultralytics)
        return steps
    }

    /// The steps of MediaPipe's networks for crops: the picture keeps its proportions in a black border, and numbers go
    /// from 0 to 1.
    static func fractionsFit(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing(.fit, to: size, filter: .linear, scale: 1 / 255)
        steps.setResizing(.fit, to: size, color: .black, letterbox: .ultralytics)
        return steps
    }
}
