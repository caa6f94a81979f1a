"""The notebook of the examples, run from its first cell to its last."""

import json
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parent.parent / "examples" / "labels.ipynb"


def test_notebook_runs_and_its_checks_hold(monkeypatch, tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    # Outputs are not stored.
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    # A kernel of this interpreter, whatever kernels are installed.
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    arguments = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": arguments, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    texts = [
        output.get("text") or output["data"]["text/plain"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    ]
    assert any("recall   precision" in text for text in texts)
    assert "pairs overlap, 0 missed" in texts[-1]
