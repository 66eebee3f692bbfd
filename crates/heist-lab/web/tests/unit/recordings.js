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
        real: 'Made up for a test.',
        stats: { utilisation: [], work_us: 0, span_us: 0, bound_us: 0, parallelism: 0 },
        comparison: null,
        facts: [],
    };
}

/** A long one: W0 pushes `n` tasks, which the workers take turns to run, each in as many goes as `turns`. */
export function longRecording(n, workers = 4, turns = 1) {
    const events = [];
    let at = 0;
    const note = (worker, what, more) => events.push({ at: (at += 1), worker, what, ...more });
    for (let task = 0; task < n; task += 1) note(0, 'push', { task, queue: 'deque' });
    for (let task = 0; task < n; task += 1) {
        const worker = task % workers;
        if (worker > 0) note(worker, 'steal', { from: 0, queue: 'deque', tasks: [task] });
        for (let turn = 1; turn <= turns; turn += 1) {
            note(worker, 'start', { task });
            note(worker, 'end', { task, more: turn < turns });
            if (turn < turns) note(worker, 'push', { task, queue: 'slot', evicted: null });
        }
    }
    return recording(events, { workers });
}
