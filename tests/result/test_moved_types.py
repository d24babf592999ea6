"""Model files name our types by public names: a move breaks none, an unknown name is refused."""

import json
import shutil
import zipfile
from importlib import import_module

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from subsel.models import CommitteeClassifier
from subsel.models.subset_model import SubsetModel
from subsel.registry.public_names import public_name
from subsel.result import model_types
from subsel.result.model_file import load_model, save_model
from subsel.result.model_types import HOMES, TRUSTED
from tests.registry.moving import move

pytest.importorskip("skops")
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), np.arange(40) % 2


@pytest.fixture
def saved(tmp_path):
    """The file of a committee behind a choice of columns, and what it predicts."""
    members = CommitteeClassifier([GaussianNB()]).fit(X[:, :2], Y)
    model = SubsetModel(np.arange(2), members)
    path = save_model(tmp_path / "m.skops", model, X, kind="classification")
    return path, model.predict(X)


def schema_of(path):
    return zipfile.ZipFile(path).read("schema.json").decode()


def with_schema(path, change):
    """A copy of a model file, with its schema changed."""
    copy = path.with_name("changed.skops")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for part in old.namelist():
            content = old.read(part)
            if part == "schema.json":
                content = change(content.decode()).encode()
            new.writestr(part, content)
    return copy


def test_a_model_is_loaded_after_its_types_have_moved(saved, monkeypatch):
    """A public type and one of the table: predictions are as before, and so is the next file."""
    path, predicted = saved
    move(monkeypatch, "subsel.models", "CommitteeClassifier", "subsel.models.committee")
    move(monkeypatch, "subsel.models", "SubsetModel", "subsel.models.subset_model")
    monkeypatch.setitem(
        HOMES, "subsel.models.SubsetModel", "subsel.models.of_a_later_version:SubsetModel"
    )
    found = load_model(path)
    np.testing.assert_array_equal(found.model.predict(X), predicted)
    again = save_model(path.with_name("n.skops"), found.model, X, kind="classification")
    assert "of_a_later_version" not in schema_of(again)


def test_a_file_names_no_module_of_ours(saved):
    """Of a type of ours it says the room and the class."""
    assert {'"subsel.models"'} == {
        part.split(": ")[1].strip(",")
        for part in schema_of(saved[0]).splitlines()
        if '"__module__": "subsel' in part
    }


@pytest.mark.parametrize(
    "module, name",
    [
        ("subsel.models", "NoSuchModel"),
        ("subsel.models.committee", "CommitteeClassifier"),  # as it was named before
        ("subsel.models.subset_model", "SubsetModel"),
        ("subsel.registry.table", "load_plugins"),
        ("subsel.models", "find_kernel"),
        ("subsel", "models.committee.CommitteeClassifier"),
    ],
)
def test_an_unknown_type_of_ours_is_refused(saved, module, name):
    """One line names it, and nothing is made from the file."""
    path = with_schema(
        saved[0],
        lambda text: text.replace(
            '"__class__": "CommitteeClassifier",', f'"__class__": "{name}",', 1
        ).replace('"__module__": "subsel.models"', f'"__module__": "{module}"'),
    )
    with pytest.raises(ValueError, match="types that are not trusted") as refused:
        load_model(path)
    assert f"{module}.{name}" in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_trusted_but_gone_is_told_in_one_line(saved, monkeypatch):
    """A type that the table knows and no module defines any more."""
    monkeypatch.setitem(HOMES, "subsel.models.SubsetModel", "subsel.models.subset_model:Gone")
    with pytest.raises(ValueError, match=r"is not a readable model file: .*Gone") as refused:
        load_model(saved[0])
    assert "\n" not in str(refused.value)


def test_each_type_of_ours_that_is_trusted_is_found():
    """By the table if no room exports it, where the class says that it is; else by its name."""
    for name in TRUSTED:
        module, _, cls = model_types.name_in_program(name).rpartition(".")
        found = getattr(import_module(module), cls)
        if name in HOMES:
            assert (found.__module__, found.__name__) == (module, cls)
            assert public_name(found) == ":".join(name.rsplit(".", 1))
        elif name.startswith("subsel."):
            assert public_name(found) in (name, f"subsel.{cls}")
    assert set(HOMES) <= set(TRUSTED)


def test_a_mapping_with_the_names_of_a_description_stays_as_it_is(tmp_path):
    """What a user's parameters say of modules is data, not a type."""
    model = GaussianNB().fit(X, Y)
    model.note_ = {"__module__": "subsel.models.committee", "__class__": "CommitteeClassifier"}
    path = save_model(tmp_path / "m.skops", model, X, kind="classification")
    assert load_model(path).model.note_ == model.note_
    assert json.loads(schema_of(path))["protocol"]
    shutil.rmtree(tmp_path)
