import Formats
import Graphs
import Images

extension Preprocessing {
    /// Makes the steps that a model file describes for one of its inputs.
    ///
    /// The size is that of the input, where the network fixes it.
    package init(_ picture: PictureInput, for graph: Graph) {
        self.init()
        scale = picture.scale
        mean = picture.mean
        standardDeviation = picture.standardDeviation
        standardizesEachImage = picture.standardizes
        channelOrder =
            switch picture.channels {
            case .rgb: .rgb
            case .bgr: .bgr
            case .gray: .gray
            }
        guard let input = graph.inputs.first(where: { graph[$0].name == picture.name }),
            let extents = graph[input].shape?.dimensions.map(\.value), extents.count == 4
        else { return }
        // Channels come first or last; the other two axes are height and width.
        let spatial = extents[1] == channelOrder.channelCount ? extents[2...3] : extents[1...2]
        guard let height = spatial.first ?? nil, let width = spatial.last ?? nil else { return }
        setResizing(picture.fitting == .centerCrop ? .centerCrop : .fill, to: ImageSize(width: width, height: height))
    }
}
