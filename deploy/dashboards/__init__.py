"""The Grafana dashboards of an arena, written by `python -m deploy.dashboards` into deploy/monitoring."""
