"""Places for tests of the commands; pytest also finds program.py by this file."""
import shutil
import types

import pytest

pytest.register_assert_rewrite("program", "smoke")  # so that what fails in them is shown
from program import Place, houses
from smoke import outputs_of, quick_run, quick_words


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
def undisturbed(tmp_path_factory):
    """The results of a quick run of smoke.yaml that nothing disturbed, and its outputs."""
    results = tmp_path_factory.mktemp("undisturbed")
    quick_run(results)
    return types.SimpleNamespace(results=results, outputs=outputs_of(results),
                                 table=(results / "smoke/table.csv").read_text())


@pytest.fixture
def done(undisturbed, tmp_path):
    """A copy of these results, in which all 28 tasks are done, to be disturbed, and the command that made them."""
    results = shutil.copytree(undisturbed.results, tmp_path / "done")
    return types.SimpleNamespace(results=results, folder=results / "smoke", command=quick_words(results))
