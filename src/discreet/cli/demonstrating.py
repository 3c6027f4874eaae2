"""`discreet demo`: a simulated hospital file, its taxonomy, and its protection from end to end."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.cli.corrections import Corrections
from discreet.cli.page import Page
from discreet.cli.protecting import Protected, protect_file
from discreet.datasets.patients import diagnosis_taxonomy, simulate_patients
from discreet.errors import FileError
from discreet.progress import stage
from discreet.table.files.writing import write_file
from discreet.table.taxonomy_read import write_taxonomy
from discreet.workflow.methods import DEFAULT

N_RECORDS = 2_000


@dataclass(frozen=True)
class Demonstration:
    """Where the demo's files are, and what its run gave."""

    patients: Path
    taxonomy: Path
    protected: Protected

    def to_dict(self) -> dict[str, Any]:
        return {"patients": str(self.patients), "taxonomy": str(self.taxonomy)} | self.protected.to_dict()

    def show(self, page: Page) -> None:
        page.line(f"{self.patients} is simulated: no real person is in it. This was done with it:")
        page.line(
            f"discreet protect {self.patients} {self.protected.outputs.data} "
            f"--taxonomy diagnosis={self.taxonomy}:diagnosis",
            "title",
        )
        page.line()
        self.protected.show(page)
        page.line()
        page.line(f"Open {self.protected.outputs.report} in a browser: it may be published with the data.")


def demonstrate(folder: Path) -> Demonstration:
    """Write the simulated file into a folder and protect it there; a folder of an earlier demo is written again."""
    patients, taxonomy, safe = folder / "patients.csv", folder / "diagnosis.csv", folder / "safe.csv"
    folder.mkdir(parents=True, exist_ok=True)
    again = _lay_out(patients, taxonomy)
    corrections = Corrections(taxonomies=(f"diagnosis={taxonomy}:diagnosis",))
    protected = protect_file(patients, safe, DEFAULT, corrections, force=again)
    return Demonstration(patients, taxonomy, protected)


def _lay_out(patients: Path, taxonomy: Path) -> bool:
    """Write the demo's inputs; True where an earlier demo left the very same, so that its outputs may be replaced."""
    fresh = patients.with_name(f".{patients.name}.demo.part")
    with stage("simulating patients"):
        try:
            write_file(simulate_patients(N_RECORDS), fresh.with_suffix(".csv"))
            again = patients.exists()
            if again and _sha256(patients) != _sha256(fresh.with_suffix(".csv")):
                raise FileError(
                    f"'{patients}' is not the file of the demo; nothing was changed. "
                    "Choose another folder with --folder."
                )
            fresh.with_suffix(".csv").replace(patients)
        finally:
            fresh.with_suffix(".csv").unlink(missing_ok=True)
        write_taxonomy(diagnosis_taxonomy(), taxonomy)
    return again


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
