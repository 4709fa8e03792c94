import FoundationEssentials

extension Preprocessing {
    /// All steps as one JSON object, for a model's metadata.
    ///
    /// - Throws: ``PreprocessingError`` when the steps are not valid.
    package func json() throws(PreprocessingError) -> String {
        try validate()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(Document(self)), let text = String(data: data, encoding: .utf8) else {
            throw .malformed("it cannot be written")
        }
        return text
    }

    /// Whether JSON is an object such as ``json()`` writes, and not one of another maker.
    package static func isOwn(json: Data) -> Bool {
        guard let document = try? JSONDecoder().decode(Mark.self, from: json) else { return false }
        return document.resize?.mode != nil
    }

    private struct Mark: Decodable {
        struct Resize: Decodable { var mode: String? }
        var resize: Resize?
    }

    /// Reads an object that ``json()`` wrote, or one with some of its keys; the others have their usual values.
    ///
    /// - Throws: ``PreprocessingError`` when it is not such an object, or its steps are not valid.
    package init(json: String) throws(PreprocessingError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
        } catch let error as PreprocessingError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw .invalid(key: key.stringValue, reason: "is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
            guard let key = context.codingPath.first?.stringValue else { throw .malformed("it is not JSON") }
            throw .invalid(key: key, reason: "has another value than is read here")
        } catch {
            throw .malformed("it is not JSON")
        }
        try self.init(document)
        try validate()
    }

    /// The steps in the form in which they are written.
    private struct Document: Codable {
        struct Size: Codable {
            var width: Int
            var height: Int

            init(_ size: ImageSize) { (width, height) = (size.width, size.height) }
            var size: ImageSize { ImageSize(width: width, height: height) }
        }

        enum Mode: String, Codable {
            case none, exact, shortestEdge, within, nearest, covering, letterbox, line, limited, middleSquare
        }

        struct Resize: Codable {
            var mode: Mode
            var size: Size?
            var edge: Int?
            var longestEdge: Int?
            var color: [UInt8]?
            var letterbox: String?
            var minimumWidth: Int?
            var maximumWidth: Int?
            var side: String?
            var multiple: Int?
        }

        static let newestVersion = 1

        enum CodingKeys: String, CodingKey, CaseIterable {
            case version, squareBorder, resize, roundsLongEdgeDown, filter, crop, cropRounding, borderMultiple
            case jpegQuality, scale, dividesByMaximum, mean, standardDeviation, standardizesEachImage, channels, padding
        }

        private struct AnyKey: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }

        struct Border: Codable {
            var color: [UInt8]
            var isCentered: Bool
        }

        var version = newestVersion
        /// Missing where pictures stay as they are.
        var squareBorder: Border?
        var resize: Resize
        var roundsLongEdgeDown: Bool
        var filter: String
        var crop: Size?
        /// Missing where the place is rounded down.
        var cropRounding: String?
        /// Missing where no border is added.
        var borderMultiple: Int?
        /// Missing where pictures are not compressed.
        var jpegQuality: Int?
        var scale: Float
        /// Missing where pixels are multiplied by the scale.
        var dividesByMaximum: Bool?
        var mean: [Float]
        var standardDeviation: [Float]
        var standardizesEachImage: Bool
        var channels: String
        var padding: Size?

        init(_ steps: Preprocessing) {
            resize =
                switch steps.resizing {
                case .none: Resize(mode: .none)
                case .exact(let size): Resize(mode: .exact, size: Size(size))
                case .shortestEdge(let edge, let longest):
                    Resize(mode: .shortestEdge, edge: edge, longestEdge: longest)
                case .within(let size): Resize(mode: .within, size: Size(size))
                case .nearest(let size, let multiple): Resize(mode: .nearest, size: Size(size), multiple: multiple)
                case .covering(let size): Resize(mode: .covering, size: Size(size))
                case .middleSquare(let size): Resize(mode: .middleSquare, size: Size(size))
                case .letterbox(let size, let color, let letterbox):
                    Resize(
                        mode: .letterbox, size: Size(size), color: [color.red, color.green, color.blue],
                        letterbox: letterbox.rawValue)
                case .line(let line):
                    Resize(
                        mode: .line, edge: line.height, minimumWidth: line.minimumWidth,
                        maximumWidth: line.maximumWidth)
                case .limited(let limit):
                    Resize(
                        mode: .limited, edge: limit.length, side: limit.side.rawValue, multiple: limit.multiple)
                }
            squareBorder = steps.squareBorder.map { border in
                Border(
                    color: [border.color.red, border.color.green, border.color.blue], isCentered: border.isCentered)
            }
            roundsLongEdgeDown = steps.longEdgeRounding == .down
            filter = steps.filter.rawValue
            crop = steps.crop.map(Size.init)
            cropRounding = steps.cropRounding == .down ? nil : steps.cropRounding.rawValue
            borderMultiple = steps.borderMultiple == 1 ? nil : steps.borderMultiple
            (jpegQuality, scale) = (steps.jpegQuality, steps.scale)
            dividesByMaximum = steps.dividesByMaximum ? true : nil
            (mean, standardDeviation) = (steps.mean, steps.standardDeviation)
            standardizesEachImage = steps.standardizesEachImage
            channels = steps.channelOrder.rawValue
            padding = steps.padding.map(Size.init)
        }

        init(from decoder: any Decoder) throws {
            let known = CodingKeys.allCases.map(\.rawValue)
            for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
                throw PreprocessingError.unsupported(
                    key: String(key.stringValue.prefix(40)),
                    reason: "it is no key; the keys are "
                        + known.joined(separator: ", "))
            }
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
                try values.decodeIfPresent(Value.self, forKey: key)
            }
            self.init(Preprocessing())
            version = try value(.version) ?? version
            squareBorder = try value(.squareBorder)
            resize = try values.decode(Resize.self, forKey: .resize)
            roundsLongEdgeDown = try value(.roundsLongEdgeDown) ?? roundsLongEdgeDown
            filter = try value(.filter) ?? filter
            (crop, cropRounding) = (try value(.crop), try value(.cropRounding))
            (borderMultiple, jpegQuality) = (try value(.borderMultiple), try value(.jpegQuality))
            (scale, dividesByMaximum) = (try value(.scale) ?? scale, try value(.dividesByMaximum))
            mean = try value(.mean) ?? mean
            standardDeviation = try value(.standardDeviation) ?? standardDeviation
            standardizesEachImage = try value(.standardizesEachImage) ?? standardizesEachImage
            channels = try value(.channels) ?? channels
            padding = try value(.padding)
        }
    }

    private init(_ document: Document) throws(PreprocessingError) {
        guard document.version <= Document.newestVersion else {
            throw .unsupported(key: "version", reason: "\(document.version) is of a later Apus")
        }
        self.init()
        resizing = try Self.resizing(document.resize)
        if let border = document.squareBorder {
            let channels = border.color
            guard channels.count == 3 else { throw .invalid(key: "squareBorder", reason: "has no color of 3 numbers") }
            let color = Color(red: channels[0], green: channels[1], blue: channels[2])
            squareBorder = SquareBorder(color, isCentered: border.isCentered)
        }
        longEdgeRounding = document.roundsLongEdgeDown ? .down : .nearest
        guard let filter = ResamplingFilter(rawValue: document.filter) else {
            throw .unsupported(key: "filter", reason: "there is no \"\(document.filter.prefix(40))\"")
        }
        guard let order = ChannelOrder(rawValue: document.channels) else {
            throw .unsupported(key: "channels", reason: "there is no \"\(document.channels.prefix(40))\"")
        }
        (self.filter, channelOrder) = (filter, order)
        crop = document.crop?.size
        if let name = document.cropRounding {
            guard let rounding = CropRounding(rawValue: name) else {
                throw .unsupported(key: "cropRounding", reason: "there is no \"\(name.prefix(40))\"")
            }
            cropRounding = rounding
        }
        (borderMultiple, jpegQuality) = (document.borderMultiple ?? 1, document.jpegQuality)
        (scale, dividesByMaximum) = (document.scale, document.dividesByMaximum ?? false)
        (mean, standardDeviation) = (document.mean, document.standardDeviation)
        standardizesEachImage = document.standardizesEachImage
        padding = document.padding?.size
    }

    private static func resizing(_ resize: Document.Resize) throws(PreprocessingError) -> Resizing {
        switch (resize.mode, resize.size?.size) {
        case (.none, _): return .none
        case (.shortestEdge, _):
            guard let edge = resize.edge else { throw .invalid(key: "resize", reason: "has no edge") }
            return .shortestEdge(edge, longestEdge: resize.longestEdge)
        case (.line, _):
            guard let height = resize.edge else { throw .invalid(key: "resize", reason: "has no edge") }
            let line = Line(height: height, minimumWidth: resize.minimumWidth ?? 1, maximumWidth: resize.maximumWidth)
            return .line(line)
        case (.limited, _):
            guard let length = resize.edge, let side = resize.side.flatMap(SideLimit.Side.init(rawValue:)) else {
                throw .invalid(key: "resize", reason: "has no side and edge")
            }
            return .limited(SideLimit(side, length, multiple: resize.multiple ?? 1))
        case (.exact, let size?): return .exact(size)
        case (.within, let size?): return .within(size)
        case (.nearest, let size?): return .nearest(size, multiple: resize.multiple ?? 1)
        case (.covering, let size?): return .covering(size)
        case (.middleSquare, let size?): return .middleSquare(size)
        case (.letterbox, let size?):
            guard let color = resize.color, color.count == 3,
                let letterbox = resize.letterbox.flatMap(Letterbox.init(rawValue:))
            else { throw .invalid(key: "resize", reason: "has no border that is known") }
            return .letterbox(size, color: Color(red: color[0], green: color[1], blue: color[2]), letterbox)
        case (_, nil): throw .invalid(key: "resize", reason: "has no size")
        }
    }
}
