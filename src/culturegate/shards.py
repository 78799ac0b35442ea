"""Static shards under xdist: each worker knows from the start which cases it will run.

xdist hands tests out as workers ask for them, so a worker could not ask the model ahead. Here both
sides compute the shards from the collected ids alone, and the controller sends a worker the tests
of its own shard and no others. What the plugin calls, in order:

| where | hook | call |
| --- | --- | --- |
| controller | `pytest_configure_node` | `shards.assign(node)` |
| controller | `pytest_xdist_make_scheduler` | `shards.scheduler(config, log, is_case)` |
| worker | `pytest_collection_finish` | `own_shard(config.workerinput, ids, is_case)` |
| controller | `pytest_sessionfinish` | `shards.lost`: ids that nobody ran |

A session is sharded if `--dist` is `load` (which `-n` means) and every collected test is a case;
else xdist schedules as it always does, and `own_shard` returns None: do not ask ahead. A worker
that dies leaves the tests it had not finished to its replacement, but for the one it was running,
which xdist reports as failed. `position` and `share` split the session's limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdist.remote import Producer
from xdist.scheduler import LoadScheduling, Scheduling
from xdist.workermanage import WorkerController

KEY = "culturegate_shard"
"""Where a worker's shard stands in its `workerinput`: [index, count, places left or None]."""
AHEAD = 16
"""Tests a worker has been sent beyond the one it runs: enough to never wait for the controller, few
enough that `-x` ends the session soon, since a worker runs all it has been sent."""

IsCase = Callable[[str], bool]


def places(tests: int, index: int, count: int) -> range:
    """Return the places, in the collection, of the tests of shard `index` (from 0) of `count`.

    Every `count`-th, so that all kinds of cases are spread evenly.
    """
    return range(index, tests, count)


def share(total: int, index: int, count: int) -> int:
    """Return the part of `total` that worker `index` of `count` gets, at least 1.

    The parts add up to `total` where it is no less than `count`.
    """
    return max(1, total // count + (index < total % count))


def position(workerinput: Mapping[str, Any]) -> tuple[int, int]:
    """Return a worker's shard index, from 0, and the number of shards; (0, 1) where unsharded."""
    index, count, _ = workerinput.get(KEY) or (0, 1, None)
    return index, count


def own_shard(
    workerinput: Mapping[str, Any], ids: Sequence[str], is_case: IsCase
) -> list[str] | None:
    """Return the ids that this worker will run, in order; None where xdist schedules.

    Args:
        workerinput: `config.workerinput` of the worker.
        ids: Node ids of all collected tests, in pytest's order, as every worker collects them.
        is_case: Whether a node id is a benchmark case's; must agree with the controller's.
    """
    if KEY not in workerinput or not all(map(is_case, ids)):
        return None
    index, count, left = workerinput[KEY]
    # A replacement may have collected something else; the controller then sends it nothing.
    own = places(len(ids), index, count) if left is None else left
    return [ids[place] for place in own if place < len(ids)]


class Shards:
    """The controller's side: which worker has which shard, and what is left of it."""

    def __init__(self) -> None:
        self.count = 0
        """Number of shards: the workers that the session begins with."""
        self.ids: list[str] = []
        """Node ids of the sharded tests; empty until collected, and where xdist schedules."""
        self._free: list[int] = []
        self._index: dict[WorkerController, int] = {}
        self._left: dict[int, list[int]] = {}
        self._abandoned: list[int] = []

    @property
    def waiting(self) -> bool:
        """Whether a shard has tests that were not sent yet."""
        return any(self._left.values())

    @property
    def lost(self) -> list[str]:
        """Ids of the tests that were never sent, or came back from a worker that died."""
        unsent = [place for left in self._left.values() for place in left]
        return [self.ids[place] for place in sorted([*unsent, *self._abandoned])]

    def assign(self, node: WorkerController) -> None:
        """Give a worker that is being set up a shard; a replacement inherits the dead one's."""
        if node.config.getoption("dist") != "load":
            return
        if not self.count:
            self.count = node.workerinput["workercount"]
            self._free = list(range(self.count))
        if self._free:
            # Workers that have finished freed their shards too: there is nothing left in those.
            index = max(self._free, key=lambda free: len(self._left.get(free, ())))
            self._free.remove(index)
            self._index[node] = index
            left = list(self._left[index]) if self.ids else None
            node.workerinput[KEY] = [index, self.count, left]

    def scheduler(self, config: Any, log: Producer, is_case: IsCase) -> Scheduling | None:
        """Return the scheduler of a session that may be sharded, else None: xdist's own it is."""
        if config.getoption("dist") != "load":
            return None
        return ShardScheduling(self, log, is_case, LoadScheduling(config, log))

    def start(self, ids: Sequence[str]) -> None:
        """Cut the collected tests into shards."""
        self.ids = list(ids)
        self._left = {n: list(places(len(ids), n, self.count)) for n in range(self.count)}

    def take(self, node: WorkerController, most: int) -> list[int]:
        """Return, and take away, the next places of a worker's shard."""
        left = self._left[self._index[node]] if node in self._index else []
        taken = left[:most]
        del left[:most]
        return taken

    def exhausted(self, node: WorkerController) -> bool:
        """Return whether nothing is left to send to a worker."""
        return node not in self._index or not self._left[self._index[node]]

    def put_back(self, sent: Sequence[int], index: int) -> None:
        """Put places that were sent back to the front of a shard."""
        self._left[index][:0] = sent

    def abandon(self, node: WorkerController) -> None:
        """Give up a shard that its worker cannot run."""
        self._abandoned += self.take(node, len(self.ids))

    def release(self, node: WorkerController) -> int | None:
        """Free the shard of a worker that is gone; return its index."""
        index = self._index.pop(node, None)
        if index is not None:
            self._free.append(index)
        return index


class ShardScheduling:
    """xdist's `Scheduling`: sends each worker the tests of its own shard, a few at a time.

    Until the workers have collected, nobody knows whether every test is a case. Where one is not,
    or the workers collected different tests, xdist's own scheduler gets to hear all that happened
    and takes over.
    """

    def __init__(
        self, shards: Shards, log: Producer, is_case: IsCase, otherwise: Scheduling
    ) -> None:
        self._shards = shards
        self._log = log
        self._is_case = is_case
        self._otherwise = otherwise
        self._collected: dict[WorkerController, list[str]] = {}
        self._sent: dict[WorkerController, list[int]] = {}
        self._decided = False
        self._own: Scheduling | None = None
        """xdist's own scheduler, once it has taken over."""

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers that are up."""
        return self._own.nodes if self._own else list(self._sent)

    @property
    def collection_is_completed(self) -> bool:
        """Whether every worker that the session began with has collected."""
        if self._own:
            return bool(self._own.collection_is_completed)
        return self._decided or len(self._collected) >= self._shards.count

    @property
    def tests_finished(self) -> bool:
        """Whether nothing is left to send or to finish; not while a dead worker's shard waits."""
        if self._own:
            return bool(self._own.tests_finished)
        return self._decided and not self.has_pending

    @property
    def has_pending(self) -> bool:
        """Whether tests have been scheduled and not finished."""
        if self._own:
            return bool(self._own.has_pending)
        return any(self._sent.values()) or self._shards.waiting

    def add_node(self, node: WorkerController) -> None:
        """Take in a worker that is ready to collect."""
        if self._own:
            self._own.add_node(node)
        else:
            self._sent[node] = []

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Take in what a worker has collected."""
        if self._own:
            self._own.add_node_collection(node, collection)
        else:
            self._collected[node] = list(collection)

    def schedule(self) -> None:
        """Send out the first tests, once all have collected; later, a replacement's."""
        if not self._decided:
            self._decide()
        if self._own:
            self._own.schedule()
            return
        for node in self.nodes:
            self._top_up(node)

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Take in that a worker has finished a test, and send it more where it runs low."""
        if self._own:
            self._own.mark_test_complete(node, item_index, duration)
            return
        self._sent[node].remove(item_index)
        if len(self._sent[node]) <= AHEAD // 2:
            self._top_up(node)

    def mark_test_pending(self, item: str) -> None:
        """Schedule a test again, as a plugin may ask when a worker crashed in it."""
        if self._own:
            self._own.mark_test_pending(item)
            return
        place = self._shards.ids.index(item)
        self._shards.put_back([place], place % self._shards.count)

    def remove_pending_tests_from_node(
        self, node: WorkerController, indices: Sequence[int]
    ) -> None:
        """Take in that a worker gave tests back; ours are never asked to."""
        self._otherwise.remove_pending_tests_from_node(node, indices)

    def remove_node(self, node: WorkerController) -> str | None:
        """Forget a worker; return the test in which it crashed, or None.

        What else it had been sent goes back to its shard. Raises KeyError where the worker was
        never added.
        """
        index = self._shards.release(node)
        if self._own:
            crashed: str | None = self._own.remove_node(node)
            return crashed
        sent = self._sent.pop(node)
        self._collected.pop(node, None)
        if not sent or index is None:
            return None
        self._shards.put_back(sent[1:], index)
        return self._shards.ids[sent[0]]

    def _decide(self) -> None:
        self._decided = True
        collections = list(self._collected.values())
        first = collections[0]
        if all(map(self._is_case, first)) and all(ids == first for ids in collections):
            self._shards.start(first)
            return
        self._log("not every test is a case, or workers differ: xdist's own scheduling")
        self._own = self._otherwise
        for node in self._sent:
            self._own.add_node(node)
        for node, ids in self._collected.items():
            self._own.add_node_collection(node, ids)

    def _top_up(self, node: WorkerController) -> None:
        if node.shutting_down or node not in self._collected:
            return
        if self._collected[node] != self._shards.ids:
            self._log("collected other tests than the session began with:", node.gateway.id)
            self._shards.abandon(node)
        batch = self._shards.take(node, AHEAD - len(self._sent[node]))
        if batch:
            self._sent[node].extend(batch)
            node.send_runtest_some(batch)
        if self._shards.exhausted(node):
            # A worker holds its last test until it knows what follows.
            node.shutdown()
