extension Peer {
    /// The program that runs another engine in Python, and answers each line of standard input with a line of JSON.
    ///
    /// Arguments: engine, model, folder, threads, precision. `inputs.json` in the folder lists the inputs, whose
    /// elements are in files beside it. `load` loads the model and runs it once, `time SECONDS` runs it for so long,
    /// three to 5000 times, and `output` writes the outputs into the folder.
    static let script = #"""
        import sys

        # Modules are not taken from the folder that the command runs in.
        sys.path[:] = [place for place in sys.path if place]

        import importlib, importlib.metadata, json, os, time

        engine, model, folder, threads, precision = sys.argv[1:]
        threads = int(threads)
        # What engines print goes to standard error.
        answers = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)


        class OnnxRuntime:
            package, module = "onnxruntime", "onnxruntime"

            def __init__(self, onnxruntime, given):
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
                self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
                self.names, self.given = [output.name for output in self.session.get_outputs()], given

            def run(self):
                return self.session.run(None, self.given)


        class OpenVINO:
            package, module = "openvino", "openvino"

            def __init__(self, openvino, given):
                options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
                if precision:
                    options["INFERENCE_PRECISION_HINT"] = precision
                network = openvino.Core().read_model(model)
                if network.is_dynamic():
                    network.reshape({name: value.shape for name, value in given.items()})
                compiled = openvino.Core().compile_model(network, "CPU", options)
                self.request, self.given = compiled.create_infer_request(), given
                self.names = [output.get_any_name() for output in compiled.outputs]

            def run(self):
                results = self.request.infer(self.given, share_inputs=True, share_outputs=True)
                return [results[index] for index in range(len(self.names))]


        class LiteRT:
            package, module = "ai-edge-litert", "ai_edge_litert.interpreter"

            def __init__(self, litert, given):
                self.interpreter = litert.Interpreter(model_path=model, num_threads=threads)
                entries = self.interpreter.get_input_details()
                values = list(given.values())
                for entry, value in zip(entries, values):
                    if list(entry["shape"]) != list(value.shape):
                        self.interpreter.resize_tensor_input(entry["index"], value.shape)
                self.interpreter.allocate_tensors()
                for entry, value in zip(entries, values):
                    self.interpreter.set_tensor(entry["index"], value)
                outputs = self.interpreter.get_output_details()
                self.names, self.outputs = [o["name"] for o in outputs], [o["index"] for o in outputs]

            def run(self):
                self.interpreter.invoke()
                return [self.interpreter.get_tensor(index) for index in self.outputs]


        engines = {"onnxruntime": OnnxRuntime, "openvino": OpenVINO, "litert": LiteRT}


        def memory(field):
            with open("/proc/self/status") as status:
                return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field + ":"))


        class Worker:
            def load(self):
                Engine = engines[engine]
                try:
                    version = importlib.metadata.version(Engine.package)
                except importlib.metadata.PackageNotFoundError:
                    raise RuntimeError(f"{sys.executable} has no package {Engine.package}; pip installs it")
                import numpy
                module = importlib.import_module(Engine.module)
                with open(os.path.join(folder, "inputs.json")) as file:
                    entries = json.load(file)
                given = {e["name"]: numpy.fromfile(os.path.join(folder, e["file"]), e["type"]).reshape(e["shape"])
                         for e in entries}
                idle, start = memory("VmRSS"), time.perf_counter()
                self.engine = Engine(module, given)
                loaded = time.perf_counter()
                self.engine.run()
                return {"version": version, "loadSeconds": loaded - start, "idleBytes": idle,
                        "firstRunSeconds": time.perf_counter() - loaded}

            def time(self, seconds):
                self.engine.run()
                times, end = [], time.perf_counter() + float(seconds)
                while len(times) < 3 or len(times) < 5000 and time.perf_counter() < end:
                    start = time.perf_counter()
                    self.engine.run()
                    times.append(time.perf_counter() - start)
                return {"seconds": times, "peakBytes": memory("VmHWM")}

            def output(self):
                import numpy
                found = []
                for number, (name, value) in enumerate(zip(self.engine.names, self.engine.run())):
                    value = numpy.asarray(value)
                    numpy.ascontiguousarray(value, "<f8").tofile(os.path.join(folder, f"output-{number}"))
                    found.append({"name": name, "shape": list(value.shape), "file": f"output-{number}"})
                return {"outputs": found}


        worker = Worker()
        for line in sys.stdin:
            request, *arguments = line.split()
            try:
                answer = getattr(worker, request)(*arguments)
            except Exception as error:
                answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:500]}
            print(json.dumps(answer), file=answers)
        """#
}
