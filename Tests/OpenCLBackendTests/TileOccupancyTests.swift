import Foundation
import OpenCLBackend
import Testing
import TestSupport

/// What the tiles of products need of a GPU, as a committed table beside them.
@Suite(.ownThreads, .enabled(if: TestDevice.isPresent)) struct TileOccupancyTests {
    private static let title = """
        # Tiles of products on NVIDIA

        What a group of each tile needs of a multiprocessor of an H100, by arithmetic (`TileShape+Occupancy.swift`), and
        the groups at a time with which times on an H100 agree best (`TileShape.groupsPerUnit`). Registers are an estimate
        of what the compiler makes. `make tables` writes the table.

        | precision | tile | work-items | registers | local bytes | groups that fit | work-items of 2048 | groups by times | multiply-adds an element |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |

        """

    @Test("Tiles are expected to share a multiprocessor with no more groups than fit, and the table says how many do")
    func fits() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Engine/OpenCLBackend/Matrices/TILES.md")
        let device = try DeviceInformation.h100()
        var lines: [String] = []
        for (name, precision) in [("float32", MatrixPrecision.float32), ("tf32", .tf32), ("float16", .float16)] {
            for tiles in TileShape.candidates(device, precision) {
                let occupancy = tiles.occupancy(of: .ofH100)
                // The estimate of registers is good to one group.
                #expect(tiles.groupsPerUnit <= occupancy.groups + 1, "\(name) \(tiles.name)")
                #expect(occupancy.registers <= 255, "\(name) \(tiles.name) spills")
                let cells = [
                    name, tiles.name, "\(tiles.threadCount)", "\(occupancy.registers)", "\(occupancy.localByteCount)",
                    "\(occupancy.groups)", "\(occupancy.groups * tiles.threadCount)", "\(tiles.groupsPerUnit)",
                    String(format: "%.1f", occupancy.multiplyAddsPerElement),
                ]
                lines.append("| \(cells.joined(separator: " | ")) |")
            }
        }
        let text = Self.title + lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["APUS_WRITE_TABLES"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "make tables writes the table")
    }
}
