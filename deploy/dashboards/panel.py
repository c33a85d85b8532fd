"""Parts of the dashboards: numbers, graphs and rows, all with one data source."""

from collections.abc import Sequence

from grafana_foundation_sdk.builders.common import (
    ReduceDataOptions,
    StackingConfig,
    VizLegendOptions,
    VizTooltipOptions,
)
from grafana_foundation_sdk.builders.dashboard import (
    Dashboard as Builder,
)
from grafana_foundation_sdk.builders.dashboard import DashboardLink, FieldColor, Row, ThresholdsConfig
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.stat import Panel as Stat
from grafana_foundation_sdk.builders.timeseries import Panel as Graph
from grafana_foundation_sdk.models.common import (
    BigValueGraphMode,
    DataSourceRef,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    Dashboard,
    DashboardCursorSync,
    DashboardLinkType,
    FieldColorModeId,
    Threshold,
    ThresholdsMode,
)

TAG = "maumau"
SOURCE = DataSourceRef(type_val="prometheus", uid="maumau")
"""The name in deploy/monitoring/grafana/provisioning."""
COUNT, PER_SECOND, SECONDS, BYTES, SHARE = "short", "ops", "s", "bytes", "percentunit"
NUMBERS_A_ROW, GRAPHS_A_ROW, COLUMNS = 6, 3, 24

Line = tuple[str, str]
"""An expression, and the name of its series in the legend."""


def new_dashboard(name: str, title: str, words: str, rows: dict[str, Sequence[Stat | Graph]]) -> Dashboard:
    """Return a dashboard with its rows of panels; name: of its file and its address."""
    made = (
        Builder(title)
        .uid(f"maumau-{name}")
        .description(words)
        .tags([TAG])
        .time("now-1h", "now")
        .refresh("10s")
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .link(_link_to_the_others())
    )
    for heading, panels in rows.items():
        made.with_row(Row(heading))
        for panel in panels:
            made.with_panel(panel)
    return _with_what_the_builder_leaves_out(made.build())


def _with_what_the_builder_leaves_out(made: Dashboard) -> Dashboard:
    """Return panels with unique numbers, and links shown directly instead of in a menu."""
    for number, panel in enumerate(made.panels or (), 1):
        panel.id_val = number
    for link in made.links or ():
        link.placement = None
    return made


def _link_to_the_others() -> DashboardLink:
    return DashboardLink("Arena").type(DashboardLinkType.DASHBOARDS).tags([TAG]).keep_time(True)  # noqa: FBT003


def new_number(title: str, unit: str, expression: str, words: str, *, bad_from: float | None = None) -> Stat:
    """Return a panel with one number, green, or red from `bad_from` on, above its recent values."""
    steps = [Threshold(None, "green")]
    if bad_from is not None:
        steps.append(Threshold(bad_from, "red"))
    return (
        Stat()
        .title(title)
        .description(words)
        .datasource(SOURCE)
        .unit(unit)
        .height(4)
        .span(COLUMNS // NUMBERS_A_ROW)
        .graph_mode(BigValueGraphMode.AREA)
        .reduce_options(ReduceDataOptions().calcs(["lastNotNull"]))
        .color_scheme(FieldColor().mode(FieldColorModeId.THRESHOLDS))
        .thresholds(ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
        .with_target(_query(0, (expression, title)))
    )


def new_graph(title: str, unit: str, words: str, *lines: Line, stacked: bool = False) -> Graph:
    """Return a panel of lines over time; stacked: as parts of a whole."""
    made = (
        Graph()
        .title(title)
        .description(words)
        .datasource(SOURCE)
        .unit(unit)
        .min(0)
        .height(8)
        .span(COLUMNS // GRAPHS_A_ROW)
        .fill_opacity(60 if stacked else 10)
        .stacking(StackingConfig().mode(StackingMode.NORMAL if stacked else StackingMode.NONE))
        .tooltip(VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
        .legend(
            VizLegendOptions()
            .show_legend(True)  # noqa: FBT003
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
        )
    )
    for place, line in enumerate(lines):
        made.with_target(_query(place, line))
    return made


def new_graph_of_seconds(title: str, words: str, *lines: Line) -> Graph:
    """Return a panel of lines over measured blocks: each dot names one, as its exemplar."""
    made = new_graph(title, SECONDS, f"{words} A dot is a block; its id is in its labels.")
    for place, line in enumerate(lines):
        made.with_target(_query(place, line).exemplar(True))  # noqa: FBT003
    return made


def _query(place: int, line: Line) -> Dataquery:
    expression, legend = line
    return (
        Dataquery()
        .datasource(SOURCE)
        .ref_id("ABCDEFGH"[place])
        .expr(expression)
        .legend_format(legend)
        .range()
    )


def rate(metric: str, *, by: str = "", where: str = "") -> str:
    """Return the expression of a counter's rate per second, over all processes or by a label."""
    grouped = f" by ({by})" if by else ""
    return f"sum{grouped} (rate({metric}{where}[$__rate_interval]))"


def quantile(share: float, histogram: str, *, by: str = "", where: str = "") -> str:
    """Return the expression of a histogram's quantile."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, {rate(f'{histogram}_bucket', by=labels, where=where)})"
