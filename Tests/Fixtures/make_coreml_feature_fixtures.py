"""Makes classical Core ML models with coremltools' converters, and the answers of scikit-learn for some rows.

    python3 -m venv environment && environment/bin/pip install coremltools==9.0 scikit-learn==1.5.1 numpy
    environment/bin/python Tests/Fixtures/make_coreml_feature_fixtures.py

Tests/Fixtures/coreml/features/NAME.mlmodel goes with the rows NAME in features.json.
"""

import json
import pathlib
import shutil

import coremltools
import numpy as np
from sklearn import datasets, ensemble, linear_model, neighbors, preprocessing, svm, tree
from sklearn.feature_extraction import DictVectorizer
from sklearn.impute import SimpleImputer

FOLDER = pathlib.Path(__file__).parent / "coreml" / "features"
answers = {}
convert = coremltools.converters.sklearn.convert


def plain(value):
    if isinstance(value, dict):
        return {"keys": [plain(key) for key in value], "numbers": [float(number) for number in value.values()]}
    if isinstance(value, np.ndarray):
        return [None if np.isnan(number) else float(number) for number in value.flatten()]
    if isinstance(value, (np.integer, int)):
        return int(value)
    if isinstance(value, (np.floating, float)):
        return float(value)
    return str(value)


def save(name, model, rows):
    """Rows are pairs of inputs and expected outputs, by the names of features."""
    spec = model.get_spec() if hasattr(model, "get_spec") else model
    (FOLDER / f"{name}.mlmodel").write_bytes(spec.SerializeToString())
    answers[name] = [
        {"inputs": {key: plain(value) for key, value in given.items()},
         "outputs": {key: plain(value) for key, value in expected.items()}} for given, expected in rows]


def regressor(name, model, data, count=12):
    x, y = data.data[:, :6], data.target
    model.fit(x, y)
    columns = [f"c{index}" for index in range(x.shape[1])]
    picked = x[:: max(1, len(x) // count)][:count]
    rows = [({column: float(number) for column, number in zip(columns, row)}, {"prediction": float(model.predict([row])[0])})
            for row in picked]
    save(name, convert(model, columns, "prediction"), rows)


def classifier(name, model, data, probabilities=True, count=12, positions=slice(None)):
    x, y = data.data[:, positions], data.target
    model.fit(x, y)
    columns = [f"c{index}" for index in range(x.shape[1])]
    converted = convert(model, columns, "label")
    rows = []
    for row in x[:: max(1, len(x) // count)][:count]:
        expected = {"label": int(model.predict([row])[0])}
        if probabilities:
            numbers = model.predict_proba([row])[0]
            expected["classProbability"] = {int(key): float(number) for key, number in zip(model.classes_, numbers)}
        rows.append(({column: float(number) for column, number in zip(columns, row)}, expected))
    save(name, converted, rows)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    iris, wine, cancer, diabetes = (datasets.load_iris(), datasets.load_wine(), datasets.load_breast_cancer(),
                                    datasets.load_diabetes())
    regressor("linear_regression", linear_model.LinearRegression(), diabetes)
    regressor("tree_regressor", tree.DecisionTreeRegressor(max_depth=4, random_state=0), diabetes)
    regressor("forest_regressor", ensemble.RandomForestRegressor(5, max_depth=4, random_state=0), diabetes)
    regressor("boosted_regressor", ensemble.GradientBoostingRegressor(n_estimators=6, max_depth=3, random_state=0), diabetes)
    regressor("svr_rbf", svm.SVR(C=40, gamma=8), datasets_subset(diabetes, 60))
    regressor("nu_svr_poly", svm.NuSVR(kernel="poly", degree=2, gamma=4, coef0=0.5), datasets_subset(diabetes, 60))
    classifier("logistic_two", linear_model.LogisticRegression(max_iter=5000, multi_class="ovr"), cancer, positions=slice(0, 6))
    classifier("tree_classifier", tree.DecisionTreeClassifier(max_depth=4, random_state=0), iris)
    classifier("forest_classifier", ensemble.RandomForestClassifier(5, max_depth=4, random_state=0), wine, positions=slice(0, 6))
    classifier("boosted_two", ensemble.GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0), cancer,
               positions=slice(0, 6))
    classifier("boosted_three", ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0), iris)
    classifier("svc_rbf", svm.SVC(C=2, gamma=0.5), iris, probabilities=False)
    classifier("svc_linear", svm.SVC(kernel="linear"), datasets_subset(wine, 178), probabilities=False, positions=slice(0, 4))
    classifier("svc_sigmoid_two", svm.SVC(kernel="sigmoid", gamma=0.01, coef0=0.2), datasets_subset(cancer, 120),
               probabilities=False, positions=slice(0, 4))
    classifier("svc_probabilities", svm.SVC(C=2, gamma=0.5, probability=True, random_state=0), iris)

    # Models that prepare features, one by one.
    x = iris.data[:20]
    scaler = preprocessing.StandardScaler().fit(iris.data)
    proto = array_model(4, 4)
    proto.scaler.shiftValue.extend(-scaler.mean_)
    proto.scaler.scaleValue.extend(1 / scaler.scale_)
    save("scaler", proto, [({"x": row}, {"y": scaler.transform([row])[0]}) for row in x])
    for number, norm in enumerate(["max", "l1", "l2"]):
        normalizer = preprocessing.Normalizer(norm).fit(iris.data)
        proto = array_model(4, 4)
        proto.normalizer.normType = number
        save(f"normalizer_{norm}", proto,
             [({"x": row}, {"y": normalizer.transform([row])[0]}) for row in x])
    holes = x.copy()
    holes[::3, 1], holes[1::4, 2] = np.nan, np.nan
    imputer = SimpleImputer().fit(holes)
    proto = array_model(4, 4)
    proto.imputer.imputedDoubleArray.vector.extend(imputer.statistics_)
    proto.imputer.replaceDoubleValue = float("nan")
    save("imputer", proto, [({"x": row}, {"y": imputer.transform([row])[0]}) for row in holes])
    vectorizer = DictVectorizer(sparse=False).fit([{"red": 1, "green": 2}, {"blue": 3}])
    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 1
    entry = proto.description.input.add()
    entry.name = "x"
    entry.type.dictionaryType.stringKeyType.SetInParent()
    feature(proto.description.output, "y", array=3)
    proto.dictVectorizer.stringToIndex.vector.extend(vectorizer.get_feature_names_out())
    save("dict_vectorizer", proto,
         [({"x": row}, {"y": vectorizer.transform([row])[0]}) for row in [{"red": 2.5, "blue": 1}, {"other": 4, "green": 1}]])

    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 1
    feature(proto.description.input, "x", text=True)
    feature(proto.description.output, "y", array=3)
    proto.oneHotEncoder.stringCategories.vector.extend(["north", "east", "south"])
    proto.oneHotEncoder.handleUnknown = 1
    save("one_hot", proto, [({"x": "east"}, {"y": np.array([0, 1, 0])}), ({"x": "west"}, {"y": np.array([0, 0, 0])})])

    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 1
    feature(proto.description.input, "x", text=True)
    feature(proto.description.output, "y", integer=True)
    for key, value in [("cat", 3), ("dog", 5)]:
        proto.categoricalMapping.stringToInt64Map.map[key] = value
    proto.categoricalMapping.int64Value = -1
    save("categories", proto, [({"x": "dog"}, {"y": 5}), ({"x": "cow"}, {"y": -1})])

    proto = array_model(4, 2)
    proto.arrayFeatureExtractor.extractIndex.extend([3, 1])
    save("extractor", proto, [({"x": row}, {"y": row[[3, 1]]}) for row in x[:3]])

    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 4
    nearest = neighbors.KNeighborsClassifier(3).fit(iris.data.astype(np.float32)[::3], iris.target[::3])
    feature(proto.description.input, "x", array=4)
    feature(proto.description.output, "label", integer=True)
    proto.description.predictedFeatureName = "label"
    index = proto.kNearestNeighborsClassifier.nearestNeighborsIndex
    index.numberOfDimensions = 4
    for row in iris.data[::3]:
        index.floatSamples.add().vector.extend(row)
    proto.kNearestNeighborsClassifier.int64ClassLabels.vector.extend(iris.target[::3])
    proto.kNearestNeighborsClassifier.numberOfNeighbors.defaultValue = 3
    proto.kNearestNeighborsClassifier.uniformWeighting.SetInParent()
    save("nearest", proto, [({"x": row}, {"label": int(nearest.predict([row.astype(np.float32)])[0])}) for row in iris.data[1::10]])

    # A pipeline of scikit-learn.
    from sklearn.pipeline import Pipeline as Steps
    steps = Steps([("scale", preprocessing.StandardScaler()), ("classify", linear_model.LogisticRegression(multi_class="ovr"))])
    two = iris.target < 2
    steps.fit(iris.data[two], iris.target[two])
    columns = ["a", "b", "c", "d"]
    rows = []
    for row in iris.data[two][::9]:
        numbers = steps.predict_proba([row])[0]
        rows.append((dict(zip(columns, map(float, row))),
                     {"label": int(steps.predict([row])[0]), "classProbability": {0: numbers[0], 1: numbers[1]}}))
    save("pipeline", convert(steps, columns, "label"), rows)

    # Boxes (centre and size) with confidences for two classes; the second overlaps the first.
    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 3
    for name in ["confidence", "coordinates"]:
        feature(proto.description.input, name, array=0)
    for name in ["keptConfidence", "keptCoordinates"]:
        feature(proto.description.output, name, array=0)
    boxes = proto.nonMaximumSuppression
    boxes.confidenceInputFeatureName, boxes.coordinatesInputFeatureName = "confidence", "coordinates"
    boxes.confidenceOutputFeatureName, boxes.coordinatesOutputFeatureName = "keptConfidence", "keptCoordinates"
    boxes.iouThreshold, boxes.confidenceThreshold = 0.5, 0.3
    boxes.pickTop.perClass = True
    boxes.stringClassLabels.vector.extend(["cat", "dog"])
    (FOLDER / "boxes.mlmodel").write_bytes(proto.SerializeToString())
    (FOLDER.parent / "features.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


def array_model(inputs, outputs):
    proto = coremltools.proto.Model_pb2.Model()
    proto.specificationVersion = 1
    feature(proto.description.input, "x", array=inputs)
    feature(proto.description.output, "y", array=outputs)
    return proto


def feature(features, name, array=None, text=False, integer=False):
    entry = features.add()
    entry.name = name
    if array is not None:
        entry.type.multiArrayType.dataType = 65600
        if array:
            entry.type.multiArrayType.shape.append(array)
    elif text:
        entry.type.stringType.SetInParent()
    elif integer:
        entry.type.int64Type.SetInParent()


def datasets_subset(data, count):
    step = max(1, len(data.data) // count)
    return type(data)(data=data.data[::step], target=data.target[::step])


if __name__ == "__main__":
    main()
