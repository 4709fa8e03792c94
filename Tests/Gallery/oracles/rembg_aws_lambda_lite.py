"""The foreground of a picture by rembg."""

import os
import pathlib

import numpy as np
from PIL import Image


def load(model):
    os.environ["U2NET_HOME"] = str(pathlib.Path(model).parent)
    from rembg import new_session, remove
    session = new_session("u2netp")
    return lambda picture: {"mask": np.asarray(remove(Image.open(picture), session=session, only_mask=True))}
