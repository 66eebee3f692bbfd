// Small recordings to test with.

/** A recording of `events` with as many tasks as they name. */
export function recording(events, { workers = 2, duration_us } = {}) {
    const ids = events.flatMap(({ task, tasks = [], evicted, spilled = [] }) => [
        task,
        evicted,
        ...tasks,
        ...spilled,
    ]);
    const last = Math.max(-1, ...ids.filter((id) => id != null));
    const tasks = Array.from({ length: last + 1 }, (_, id) => ({
        id,
        born: 0,
        kind: 'job',
        size_us: 10,
        label: `A${id + 1}`,
        parent: null,
    }));
    return {
        setup: { program: 'tasks', workers, strategy: 'stealing', steal: 'one', tasks: [] },
        duration_us: duration_us ?? events.at(-1)?.at ?? 0,
        tasks,
        events,
    };
}

/** A long one: W0 pushes `n` tasks, and the workers take turns to run them. */
export function longRecording(n, workers = 4) {
    const events = [];
    let at = 0;
    for (let task = 0; task < n; task += 1)
        events.push({ at: (at += 1), worker: 0, what: 'push', task, queue: 'deque' });
    for (let task = 0; task < n; task += 1) {
        const worker = task % workers;
        if (worker > 0)
            events.push({ at: (at += 1), worker, what: 'steal', from: 0, queue: 'deque', tasks: [task] });
        events.push(
            { at: (at += 1), worker, what: 'start', task },
            { at: (at += 5), worker, what: 'end', task },
        );
    }
    return recording(events, { workers });
}
