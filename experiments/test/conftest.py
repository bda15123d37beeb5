"""Places for tests of the commands; pytest also finds program.py by this file."""
import shutil

import pytest
from program import Place, houses


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture(scope="session")
def fitted_once(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("fitted"))
    made.fit(made.write("houses.csv", houses(1000, 1)), "--target", "price")
    return made


@pytest.fixture
def fitted(fitted_once, tmp_path):
    """A place with houses.csv, 1000 houses, and a model of it."""
    shutil.copytree(fitted_once.folder, tmp_path / "fitted")
    return Place(tmp_path / "fitted")
