"""`lacp verify` and `report` of results whose cells are too many to keep: runs.csv has the numbers of tables."""
import re
import shutil

import pytest
from cells import other_digit, read_cell, sealed, sha256, without_seal
from program import check_has, frame, lacp


@pytest.fixture
def kept(done, tmp_path):
    """A folder that keeps in runs.csv what tables are made of, and no cells."""
    folder = tmp_path / "kept/smoke"
    folder.mkdir(parents=True)
    for name in ["manifest.yaml", "table.csv"]:
        shutil.copy(done.folder / name, folder)
    (folder / "runs.csv").write_text(lacp("table", done.folder, "--format", "runs").output)
    return folder


def test_cells_that_are_kept_in_part_are_verified_and_the_report_follows_from_them(kept):
    honest = (kept / "table.csv").read_text()
    assert len(frame(without_seal((kept / "runs.csv").read_text()))) == 28 * 3
    # The report's pages name what they were made from; not the checksum of nothing.
    lacp("report", kept)
    page = (kept / "README.md").read_text()
    check_has(page, "28 of 28 tasks done", "from [runs.csv](runs.csv)")
    assert sha256("")[:16] not in page
    lacp("table", kept, lacks="was written before")
    assert (kept / "table.csv").read_text() == honest
    lacp("verify", kept, prints=": 28 of 28 cells agree byte for byte")
    lacp("verify", kept, "--sample", "2", prints=": 2 of 2 cells agree byte for byte, drawn from 28")


def test_a_number_that_was_changed_in_cells_that_are_kept_in_part_is_noticed(kept):
    runs, table = kept / "runs.csv", kept / "table.csv"
    honest, rows = table.read_text(), without_seal(runs.read_text())
    follows = ": does not follow from runs.csv beside it"
    table.write_text(other_digit(honest, "concrete,erc,0.1,2,0."))
    lacp("report", kept, status=2, says=f"{table}{follows}: size_mean of")
    table.write_text(honest)

    # A number of the runs; with a checksum that fits, it is noticed by the table, and by what comes out again.
    runs.write_text(other_digit(runs.read_text(), "\nconcrete,0,erc,0.1,0."))
    for command in ["report", "verify"]:
        lacp(command, kept, status=2, says=f"{runs}: is damaged: ")
    runs.write_text(sealed(without_seal(runs.read_text())))
    lacp("report", kept, status=2, says=follows)
    lacp("verify", kept, status=1, prints=[": concrete 0 erc: size_mean at α = 0.1: 0.", ": 27 of 28 cells agree"])

    # A number that is gone, and a row.
    for row, fewer, part in [(r"\nconcrete,0,erc,0\.1,[^,]+", "\nconcrete,0,erc,0.1,", "size_mean at"),
                             (r"\nconcrete,0,erc,0\.1,.*", "", "")]:
        text, changes = re.subn(row, fewer, rows)
        assert changes == 1
        runs.write_text(sealed(text))
        lacp("verify", kept, status=1, prints=[
            f": concrete 0 erc: {part}", " at α = 0.1: none in the folder, 0.", ": 27 of 28 cells agree"])


def test_other_checksums_and_settings_of_cells_that_are_kept_in_part_are_noticed(done, kept):
    cell = read_cell(done.folder, "concrete 0 exp")[0]
    runs, table = kept / "runs.csv", kept / "table.csv"
    honest, rows = table.read_text(), without_seal(runs.read_text())
    lacp("report", kept)
    # Another checksum of a cell stands for numbers that are not kept; the pages are those of other cells.
    runs.write_text(sealed(rows.replace(cell["checksum"], sha256("another"))))
    lacp("verify", kept, status=1, prints=[": concrete 0 exp: checksum of the cell: ", ": 27 of 28 cells agree"])
    lacp("table", kept, says="README.md: was written before")
    # Made by another algorithm, it does not count, and the table stays.
    runs.write_text(sealed(rows.replace(cell["settings"], sha256("another"), 1)))
    table.write_text(honest)
    lacp("report", kept)
    assert "1 cell of smoke is stale" in (kept / "README.md").read_text()
    assert table.read_text() == honest
    lacp("verify", kept, status=2, says="not compared: 1 cell (concrete 0 exp)")
