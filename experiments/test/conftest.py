"""Places for tests of the commands; pytest also finds program.py by this file."""
import shutil

import pytest

pytest.register_assert_rewrite("program")  # so that what fails in it is shown
from cells import quick_run
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


@pytest.fixture(scope="session")
def done_once(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    quick_run(results)
    return results / "smoke"


@pytest.fixture
def done(done_once, tmp_path):
    """A folder of results of smoke.yaml in which all 28 tasks are done."""
    return shutil.copytree(done_once, tmp_path / "smoke")
