"""Another kind of process: addresses that are not random, pages that can be run, an older kernel."""

import wall

READABLE_IS_EXECUTABLE, NOT_RANDOM, OLD = 0x0400000, 0x0040000, 0x0020000

wall.tries(
    run_what_is_read=lambda: wall.call("personality", READABLE_IS_EXECUTABLE),
    lie_where_it_wants=lambda: wall.call("personality", NOT_RANDOM),
    see_an_older_kernel=lambda: wall.call("personality", OLD),
)
