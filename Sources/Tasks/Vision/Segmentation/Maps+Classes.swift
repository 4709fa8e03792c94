import Tensors

extension Maps {
    /// The class with the largest score of every pixel, after the scores are brought to the picture's size. Of equal
    /// scores the first counts; NaN never does.
    ///
    /// - Parameter unseen: The number of pixels that the network did not see.
    func classes<Element: FixedWidthInteger>(_ x: MapSampling, _ y: MapSampling, unseen: Element) -> [Element] {
        let columns = x.lower.count
        var result = [Element](repeating: unseen, count: columns * y.lower.count)
        var row = [Float](repeating: 0, count: width)
        var best = [Float](repeating: 0, count: columns)
        for line in y.seen {
            let start = line * columns
            for index in best.indices { best[index] = -.infinity }
            for column in x.seen { result[start + column] = 0 }
            for channel in 0..<channels {
                mix(channel, y.lower[line], y.upper[line], y.weight[line], into: &row)
                for column in x.seen {
                    let weight = x.weight[column]
                    let score = row[x.lower[column]] * (1 - weight) + row[x.upper[column]] * weight
                    if score > best[column] {
                        best[column] = score
                        result[start + column] = Element(truncatingIfNeeded: channel)
                    }
                }
            }
        }
        return result
    }

    /// The numbers of the first map at the picture's size; `unseen` for pixels that the network did not see.
    func resized(_ x: MapSampling, _ y: MapSampling, unseen: Float) -> [Float] {
        let columns = x.lower.count
        var result = [Float](repeating: unseen, count: columns * y.lower.count)
        var row = [Float](repeating: 0, count: width)
        for line in y.seen {
            mix(0, y.lower[line], y.upper[line], y.weight[line], into: &row)
            for column in x.seen {
                let weight = x.weight[column]
                result[line * columns + column] =
                    row[x.lower[column]] * (1 - weight) + row[x.upper[column]] * weight
            }
        }
        return result
    }

    /// The numbers of the first map, which are classes, at the picture's size.
    func nearest<Element: FixedWidthInteger>(_ x: MapSampling, _ y: MapSampling, unseen: Element) -> [Element] {
        let columns = x.nearest.count
        var result = [Element](repeating: unseen, count: columns * y.nearest.count)
        for line in y.seen {
            for column in x.seen {
                let number = numbers[y.nearest[line] * strides.row + x.nearest[column] * strides.column]
                result[line * columns + column] = Element(exactly: number) ?? unseen
            }
        }
        return result
    }
}
