"""Places for tests of the commands; pytest also finds program.py by this file."""
import shutil
import types

import pytest


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
def undisturbed_results(tmp_path_factory):
    """Results of a quick run that nothing disturbed."""
    results = tmp_path_factory.mktemp("undisturbed")
    lacp(*quick_run(results))
    return results


@pytest.fixture
def done(undisturbed_results, tmp_path):
    """A copy of these results, in which all is done, to be disturbed, and the command that made them."""
    results = tmp_path / "results"
    shutil.copytree(undisturbed_results, results)
    return types.SimpleNamespace(results=results, folder=results / "smoke", command=quick_run(results))
