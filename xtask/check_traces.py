"""Reads traces with Perfetto's own definitions, and checks that they are what they should be.

usage: check_traces.py WORKERS FILE:NAME...

NAME is that of a slice which has to be in the file. Any number of files; the first fault ends it.
"""

import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

CATEGORIES = {"run", "wait", "scope", "sleep", "queue"}


def check(condition, message):
    if not condition:
        raise SystemExit(f"error: {message}")


def check_known(message):
    """No field is there that the definition does not have, in this message and in those that it holds."""
    check(len(UnknownFieldSet(message)) == 0, f"unknown fields in {message}")
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                check_known(inner)


def read_tracks(trace, workers):
    """The threads and the counters, by the numbers of their tracks."""
    processes, threads, counters = [], {}, {}
    for packet in trace.packet:
        if not packet.HasField("track_descriptor"):
            continue
        track = packet.track_descriptor
        check(track.uuid not in threads and track.uuid not in counters, f"track {track.uuid} is there twice")
        if track.HasField("process"):
            processes.append(track)
        elif track.HasField("thread"):
            check(processes and track.parent_uuid == processes[0].uuid, "a thread is not in the process")
            check(track.thread.pid == processes[0].process.pid, "a thread is not in the process")
            threads[track.uuid] = track.thread.thread_name
        else:
            check(track.HasField("counter"), f"track {track.uuid} is neither process, thread nor counter")
            check(track.parent_uuid in threads, f"{track.name} belongs to no thread")
            check(track.name.startswith(threads[track.parent_uuid]), f"{track.name} is another thread's")
            counters[track.uuid] = track.name
    check(len(processes) == 1, f"{len(processes)} processes")
    names = [f"worker {index}" for index in range(workers)]
    check(list(threads.values())[:workers] == names, f"the threads are {list(threads.values())}")
    for name in names:
        check(f"{name}: deque" in counters.values(), f"{name} has no counter of its deque")
    return threads, counters


def read_events(trace, threads, counters):
    """Checks order and nesting; returns the names of all slices, the flows, and the counters with values."""
    names, flows, counted = set(), {}, set()
    open_slices, last = {track: [] for track in threads}, {}
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        at, event = packet.timestamp, packet.track_event
        track = event.track_uuid
        check(packet.HasField("timestamp"), f"no time: {packet}")
        check(at >= last.get(track, 0), f"the events of track {track} are not in the order of time")
        last[track] = at
        if event.type == TrackEvent.TYPE_COUNTER:
            check(track in counters, f"track {track} is no counter")
            check(event.HasField("counter_value") and event.counter_value >= 0, f"no depth: {event}")
            counted.add(counters[track])
            continue
        check(track in threads, f"track {track} is no thread")
        if event.type == TrackEvent.TYPE_SLICE_END:
            check(open_slices[track], f"an end without a beginning on {threads[track]} at {at}")
            open_slices[track].pop()
            continue
        check(event.name and set(event.categories) <= CATEGORIES, f"an event without a name: {event}")
        names.add(event.name)
        for flow in event.flow_ids:
            flows.setdefault(flow, []).append((event.categories[0], at, track))
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[track].append(event.name)
        else:
            check(event.type == TrackEvent.TYPE_INSTANT, f"an event of another type: {event}")
    for track, slices in open_slices.items():
        check(not slices, f"{slices} on {threads[track]} have no end")
    return names, flows, counted


def check_flows(flows):
    for flow, ends in flows.items():
        check(len(ends) == 2, f"flow {flow} has {len(ends)} ends")
        (queue, queued, one), (run, started, other) = sorted(ends)
        check((queue, run) == ("queue", "run"), f"flow {flow} leads from {queue} to {run}")
        check(queued <= started, f"flow {flow} goes back in time")
        check(one != other, f"flow {flow} does not leave its thread")


def check_file(path, wanted, workers):
    trace = Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    check(trace.packet, "no packets")
    check_known(trace)
    threads, counters = read_tracks(trace, workers)
    names, flows, counted = read_events(trace, threads, counters)
    check(wanted in names, f"no slice is called {wanted}, but {sorted(names)}")
    check(counted, "no counter has a value")
    if wanted == "task":
        check(any(name.endswith(": ring") for name in counted), "nothing is told of tasks that wait")
        # The recording thread is no worker, and had one of them start the first task.
        check(flows, "there are no flows")
    check_flows(flows)
    print(f"{path}: {len(trace.packet)} packets, {len(threads)} threads, {len(flows)} flows")


def main():
    workers = int(sys.argv[1])
    check(len(sys.argv) > 2, __doc__)
    for argument in sys.argv[2:]:
        path, wanted = argument.rsplit(":", 1)
        check_file(path, wanted, workers)


main()
