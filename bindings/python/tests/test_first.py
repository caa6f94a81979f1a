"""The first program: README shows it and its output."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent.parent


def test_readme_shows_the_first_program_and_its_output():
    program = (HERE / "examples" / "first.py").read_text()
    run = subprocess.run([sys.executable, HERE / "examples" / "first.py"], capture_output=True, text=True, check=True)
    readme = (HERE / "README.md").read_text()
    assert f"```python\n{program}```" in readme
    assert f"```text\n{run.stdout}```" in readme
