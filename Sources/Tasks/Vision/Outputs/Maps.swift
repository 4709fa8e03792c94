import Images

/// Maps of numbers, and how they lie in memory.
struct Maps {
    /// The numbers.
    let numbers: [Float]
    let channels: Int
    let height: Int
    let width: Int
    /// The distances of channels, rows and columns.
    let strides: (channel: Int, row: Int, column: Int)

    /// - Parameter shape: [channels, height, width], or [height, width, channels] with channels last.
    init(_ numbers: [Float], shape: [Int], _ layout: Preprocessing.Layout) {
        self.numbers = numbers
        if layout == .channelsFirst {
            (channels, height, width) = (shape[0], shape[1], shape[2])
            strides = (height * width, width, 1)
        } else {
            (height, width, channels) = (shape[0], shape[1], shape[2])
            strides = (1, width * channels, channels)
        }
    }

    /// The maps with all numbers brought to 0…1: (number - least) / (largest - least). Equal ones become 0.
    var stretched: Maps {
        guard let least = numbers.min(), let largest = numbers.max(), largest > least else {
            return Maps(self, [Float](repeating: 0, count: numbers.count))
        }
        return Maps(self, numbers.map { ($0 - least) / (largest - least) })
    }

    private init(_ maps: Maps, _ numbers: [Float]) {
        self.numbers = numbers
        (channels, height, width, strides) = (maps.channels, maps.height, maps.width, maps.strides)
    }

    /// A row of a channel between two rows, written to `result`.
    func mix(_ channel: Int, _ lower: Int, _ upper: Int, _ weight: Float, into result: inout [Float]) {
        let first = channel * strides.channel + lower * strides.row
        let second = channel * strides.channel + upper * strides.row
        for column in 0..<width {
            let place = column * strides.column
            result[column] = numbers[first + place] * (1 - weight) + numbers[second + place] * weight
        }
    }
}
