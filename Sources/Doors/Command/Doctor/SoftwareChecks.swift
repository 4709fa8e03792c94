import Apus
import FoundationEssentials
import Glibc
import Platform

/// The checks of `apus doctor` that are about what is installed.
enum SoftwareChecks {
    static func findings() async -> [Finding] { [installation] + backends + pictures + [await demonstration] }

    /// The installed files, compared with the list that was installed with them: CRC-32, bytes and path from the folder
    /// above `share`, a line each.
    private static var installation: Finding {
        let subject = "installation"
        guard let share = Installation().share else {
            guard Installation().network == nil else {
                return .good(subject, "apus \(Version.current), built in a checkout")
            }
            return .problem(
                subject, "share/apus is not beside the folder of \(Installation.program)", advice: "install Apus again")
        }
        let list = share.appendingPathComponent("files.txt")
        guard let text = try? String(contentsOf: list, encoding: .utf8) else {
            return .problem(subject, "\(list.path) cannot be read", advice: "install Apus again")
        }
        let top = share.deletingLastPathComponent().deletingLastPathComponent()
        var damaged: [String] = [], count = 0
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count == 3, let checksum = UInt32(fields[0], radix: 16), let size = Int(fields[1]) else {
                return .problem(subject, "\(list.path) is damaged", advice: "install Apus again")
            }
            count += 1
            let content = try? Data(contentsOf: top.appendingPathComponent(String(fields[2])))
            if content?.count != size || content.map({ Checksum(Array($0)).value }) != checksum {
                damaged.append(String(fields[2]))
            }
        }
        guard damaged.isEmpty else {
            let names = damaged.prefix(5).joined(separator: ", ") + (damaged.count > 5 ? ", …" : "")
            return .problem(
                subject, "\(damaged.count) of \(count) files in \(top.path) are missing or damaged: \(names)",
                advice: "install Apus again")
        }
        return .good(subject, "apus \(Version.current) in \(top.path): all \(count) files are as they were packed")
    }

    private static var backends: [Finding] {
        Catalog.backendDescriptions.map { .good($0.name, $0.device) }
            + Catalog.absentBackends.map { absence in
                .note(
                    absence.name, absence.reason,
                    advice: absence.name == BackendName.opencl.rawValue
                        ? "install the driver of the GPU and the package ocl-icd-libopencl1 to use a GPU"
                        : "install the package libopenblas0 to compare with it; nothing else needs it")
            }
    }

    private static var pictures: [Finding] {
        let missing = Image.missingLibraries
        var findings = missing.map { error -> Finding in
            guard case .missingLibrary(let kind, let library, let package) = error else {
                return .problem("pictures", "\(error)", advice: "install the library again")
            }
            return .note("pictures", "\(kind) needs \(library)", advice: "install the package \(package)")
        }
        if missing.isEmpty { findings = [.good("pictures", "every kind of picture can be read")] }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        if !folders.contains(where: { access("\($0)/ffmpeg", X_OK) == 0 }) {
            findings.append(.note("videos", "there is no ffmpeg", advice: "install the package ffmpeg to read videos"))
        }
        return findings
    }

    /// A prediction of a photo that comes with the command.
    private static var demonstration: Finding {
        get async {
            let subject = "prediction"
            guard let network = Installation().network, let photos = Installation().photos else {
                return .note(
                    subject, "the network and the photos of apus demo are not there", advice: "install them with Apus")
            }
            do {
                let classifier = try await Classifier(try Model(contentsOf: network.path))
                let answer = try await classifier.predict(.file(photos.appendingPathComponent("coffee.png").path))
                guard answer.label == "espresso" else {
                    return .problem(
                        subject, "the photo of an espresso is told \(answer.label ?? "nothing")",
                        advice: "compare the backends with apus compare \(network.path), and report it")
                }
                return .good(subject, "a photo of an espresso is told right")
            } catch {
                return .problem(subject, "\(error)", advice: "install Apus again")
            }
        }
    }
}
