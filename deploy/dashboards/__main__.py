"""Writes deploy/monitoring/grafana/dashboards, a file for each dashboard; `make dashboards`."""

from deploy.dashboards.files import FOLDER, all_files

if __name__ == "__main__":
    for name, text in all_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
