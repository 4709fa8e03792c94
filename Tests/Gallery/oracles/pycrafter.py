"""CRAFT, with or without its second network, which refines the links between characters."""

from crafter import Crafter


def load(model, refiner):
    detect = Crafter(export_extra=False, refiner=refiner)
    return lambda picture: {"polygons": [box.tolist() for box in detect(picture)["boxes"]]}
