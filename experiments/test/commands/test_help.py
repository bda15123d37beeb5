"""What the program says about itself, and the pages that repeat it."""
import re

from program import SOURCE, check_has, lacp


def part_of_page(page, command):
    """What a page has between "<!-- lacp COMMAND -->" and "<!-- end -->"."""
    behind = (SOURCE / page).read_text().split(f"<!-- {command} -->\n")[1]
    return behind.split("<!-- end -->")[0]


def test_the_pages_repeat_what_the_program_says_of_methods():
    assert part_of_page("lib/README.md", "lacp methods --markdown") == lacp("methods", "--markdown").output


def test_the_page_of_options_has_what_the_help_has():
    assert part_of_page("experiments/options.md", "lacp help --markdown") == lacp("help", "--markdown").output


def test_every_key_of_a_description_is_explained_in_its_page_and_nothing_else_is(place):
    keys = (SOURCE / "datasets/README.md").read_text().split("## The keys\n")[1]
    rows = [line.split(" | ")[0] for line in keys.splitlines() if line.startswith("| `")]
    explained, group = set(), ""
    for key in (key for row in rows for key in re.findall("`([a-z0-9_.]+)`", row)):  # `.low` stands for that of the group before it
        group = group if key.startswith(".") else key.split(".")[0]
        explained.add(group + key if key.startswith(".") else key)
    known = {"target"}  # a key with a value of its own, and a group
    file, target = "source: {file: a.csv}\n", "target: y\n"
    # What the reader says that it knows, where it finds a key that it does not.
    for prefix, yaml in [("", f"{file}{target}zzz: 1\n"),
                         ("source.", f"source: {{file: a.csv, zzz: 1}}\n{target}"),
                         ("target.", f"{file}target: {{column: y, zzz: 1}}\n"),
                         ("synthetic.", "synthetic: {profile: cos, zzz: 1}\n"),
                         ("format.", f"{file}{target}format: {{zzz: 1}}\n"),
                         ("columns.", f"{file}{target}columns: {{zzz: 1}}\n"),
                         ("missing.", f"{file}{target}missing: {{zzz: 1}}\n")]:
        before = f"unknown key '{prefix}zzz'; known here: "
        described = place.write("set.yaml", f"title: T\n{yaml}")
        said = lacp("datasets", "check", described, status=2, says=before).messages
        names = {name.strip() for name in said.split(before)[1].split(",")}
        groups = {"source", "format", "target", "columns", "missing", "synthetic"}
        known |= {prefix + name for name in names - groups}
    assert explained == known


def test_help_settings_takes_one_key_or_a_group_and_names_the_nearest_to_a_wrong_one():
    for key, parts in [("training.epochs", ["training.epochs\n", "default 50"]),
                       ("training", "training.batch\n"),
                       ("cross_fit", "predictor.cross_fit\n")]:
        lacp("help", "settings", key, prints=parts)
    lacp("help", "settings", "training.epochs", lacks="training.batch")
    lacp("help", "settings", "epoch", status=2, says="'epoch' (did you mean 'epochs'?)")


def test_every_command_is_listed_and_explained_within_80_columns():
    assert lacp().output == lacp("--help").output
    commands = [[]]
    for command in commands:  # which grows
        listed = False
        for line in lacp(*command, "--help").output.splitlines():
            assert len(line) <= 80
            listed = line == "Commands:" or (listed and line != "")
            if listed and re.match("  [^ ]", line):
                commands.append([*command, line.split()[0]])
    assert len(commands) >= 15


def test_the_examples_of_a_command_have_its_options_and_arguments():
    examples = []
    for command in ["fit", "predict", "evaluate", "info", "datasets add", "datasets fetch", "run", "compare", "report",
                    "verify"]:
        options, shown = lacp(*command.split(), "--help").output.split("Examples:\n")
        found = [line for line in re.sub("\n {6,}", " ", shown).splitlines() if line.startswith("  lacp ")]
        for word in " ".join(found).split():
            if word.startswith("--"):
                check_has(options, f"\n  {word} ")
        examples += found
    assert len(examples) == 12
