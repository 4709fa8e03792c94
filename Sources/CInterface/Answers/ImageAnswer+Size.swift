import Apus

extension ImageAnswer {
    /// The size of the upright picture in pixels, where the answer knows it.
    var imageSize: ImageSize? {
        switch self {
        case .objects(let answer): answer.imageSize
        case .segments(let answer): answer.imageSize
        case .instances(let answer): answer.imageSize
        case .poses(let answer): answer.imageSize
        case .landmarks(let answer): answer.imageSize
        case .depth(let answer): answer.imageSize
        case .text(let answer): answer.imageSize
        case .parts(let answer): answer.imageSize
        case .classes, .embedding, .image, .outputs: nil
        }
    }
}
