"""Other tools that ask the same items, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODEL = "mock-2026-01-01"
PACKAGES = {
    "lm-eval": ["lm-eval[api]==0.4.13"],
    "inspect-ai": ["inspect-ai==0.3.285", "openai"],
    "deepeval": ["deepeval==4.3.1", "openai"],
    "plain-pytest": ["pytest", "pytest-xdist", "openai"],
}
QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
"""Environment in which no peer calls home."""
XDIST_WORKERS = 16

_TASK = {
    "task": "bench",
    "dataset_path": "json",
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{question}}\nA. {{options[0]}}\nB. {{options[1]}}\nC. {{options[2]}}\n"
    "D. {{options[3]}}",
    "doc_to_target": "{{answer}}",
    "generation_kwargs": {"until": ["\n\n"], "max_gen_toks": 32, "temperature": 0},
    "metric_list": [{"metric": "exact_match"}],
}


def install(cache: Path) -> dict[str, Path]:
    """Make the environments that are not there yet; return each one's folder of programs."""
    for name, packages in PACKAGES.items():
        folder = cache / name
        if (folder / "ready").exists():
            continue
        print(f"  {name}: installing", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        (folder / "ready").touch()
    return {name: (cache / name / "bin").absolute() for name in PACKAGES}


def commands(
    bins: dict[str, Path], url: str, connections: int, items: Path
) -> dict[str, list[str]]:
    """Return each peer's command line; it is run in a folder of its own."""
    task = {**_TASK, "dataset_kwargs": {"data_files": {"test": str(items)}}}
    tasks = items.parent / "lm-eval-tasks"
    tasks.mkdir(exist_ok=True)
    (tasks / "bench.yaml").write_text(json.dumps(task))  # JSON is YAML.
    lm_eval = [
        *(str(bins["lm-eval"] / "lm_eval"), "--model", "local-chat-completions"),
        "--model_args",
        f"model={MODEL},base_url={url}/chat/completions,num_concurrent={connections},"
        "tokenized_requests=False,tokenizer_backend=None",
        *("--tasks", "bench", "--include_path", str(tasks), "--apply_chat_template"),
    ]
    asked = [url, str(connections), str(items)]
    inspect_ai = [str(bins["inspect-ai"] / "python"), str(HERE / "inspect_run.py"), *asked]
    deepeval = [str(bins["deepeval"] / "python"), str(HERE / "deepeval_run.py"), *asked]
    # Pytest looks for settings upwards from the file; there are to be none.
    plain = [
        *("env", f"BENCH={url} {items}", str(bins["plain-pytest"] / "pytest"), "-q"),
        *("-p", "no:cacheprovider", "-c", "/dev/null", "--noconftest", "--tb=no"),
        str(HERE / "plain_pytest.py"),
    ]
    return {
        "lm-eval": lm_eval,
        "inspect-ai": inspect_ai,
        "deepeval": deepeval,
        f"plain pytest -n {XDIST_WORKERS}": [*plain, "-n", str(XDIST_WORKERS)],
        "plain pytest": plain,
    }
