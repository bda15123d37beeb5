"""Results of the smoke experiment, made once for a file of tests."""
import shutil
import types

import pytest
from smoke import outputs_of, quick_run


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """The results of a run that nothing disturbed, and its outputs."""
    results = tmp_path_factory.mktemp("undisturbed")
    quick_run(results)
    return types.SimpleNamespace(results=results, outputs=outputs_of(results),
                                 table=(results / "smoke/table.csv").read_text())


@pytest.fixture
def done(undisturbed, tmp_path):
    """A copy of these results, to be disturbed."""
    shutil.copytree(undisturbed.results, tmp_path / "done")
    return tmp_path / "done"
