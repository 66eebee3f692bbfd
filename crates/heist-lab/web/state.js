// What every worker and every task is doing after the first k events of a recording.
//
// A recording is replayed from the nearest checkpoint before k, so that any step costs about the same. The
// state knows nothing of drawing; lanes, timeline, log and counters all read it.
//
// Invariants
// I1 Each task is in one place: unborn, in one queue, in a worker's hand, running, suspended or done.
// I2 Queues hold the oldest task first. The owner of a deque takes the last, a thief the first.
// I3 The state after k events depends on k only, not on the way there.

/** Events between two checkpoints. */
const STRIDE = 128;

/** The queues that a worker has for itself, and those that all share. */
export const OWN_QUEUES = ['deque', 'slot', 'ring', 'inbox'];
export const SHARED_QUEUES = ['injector', 'central'];

export class Replay {
    constructor(recording) {
        this.tasks = recording.tasks;
        this.events = recording.events;
        this.workers = recording.setup.workers;
        this.duration = Math.max(recording.duration_us, this.events.at(-1)?.at ?? 0);
        this.#survey();
    }

    get steps() {
        return this.events.length;
    }

    /** The state after `step` events. It is valid until the next call. */
    at(step) {
        const cursor = this.#cursor;
        const base = Math.floor(step / STRIDE);
        const near = cursor && cursor.step <= step && step - cursor.step <= STRIDE;
        const state = near ? cursor : copy(this.#checkpoints[base]);
        while (state.step < step) apply(state, this.events[state.step]);
        this.#cursor = state;
        return state;
    }

    /** When the last of the first `step` events happened. */
    timeOf(step) {
        return step === 0 ? 0 : this.events[step - 1].at;
    }

    /** How many events have happened at `time`. */
    stepAt(time) {
        let [low, high] = [0, this.events.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.events[middle].at <= time) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /** How far the run of `task` that began at `since` has come at `time`, from 0 to 1. */
    progress(task, since, time) {
        const run = this.runs[task].find((run) => run.from === since);
        if (!run) return 0;
        return run.to > run.from ? clamp((time - run.from) / (run.to - run.from), 0, 1) : 1;
    }

    #cursor = null;
    #checkpoints = [];

    /** One pass over all events: checkpoints, what each worker did when, who stole what, the queues in use. */
    #survey() {
        const state = blank(this.workers, this.tasks.length);
        this.segments = Array.from({ length: this.workers }, () => []);
        this.runs = this.tasks.map(() => []);
        this.steals = [];
        this.used = new Set();
        const open = Array.from({ length: this.workers }, () => ({ from: 0, kind: 'idle', task: null }));

        for (const event of this.events) {
            if (state.step % STRIDE === 0) this.#checkpoints.push(copy(state));
            apply(state, event);
            this.#note(event, state);
            if (event.worker == null) continue;
            const worker = state.workers[event.worker];
            const now = { from: event.at, kind: status(worker), task: running(worker) };
            const last = open[event.worker];
            if (now.kind === last.kind && now.task === last.task) continue;
            this.segments[event.worker].push({ ...last, to: event.at });
            open[event.worker] = now;
        }
        if (state.step % STRIDE === 0) this.#checkpoints.push(copy(state));
        open.forEach((last, worker) => this.segments[worker].push({ ...last, to: this.duration }));
        for (const runs of this.runs) for (const run of runs) run.to ??= this.duration;
        this.last = state;
    }

    #note(event, state) {
        if (event.queue) this.used.add(event.queue);
        if (event.evicted != null || event.tasks?.length > 1) this.used.add('ring');
        if (event.spilled?.length) this.used.add('injector');
        if (event.what === 'start')
            this.runs[event.task].push({ worker: event.worker, from: event.at, to: null });
        if (event.what === 'end') {
            const run = this.runs[event.task].at(-1);
            if (run) run.to = event.at;
            if (event.more) this.used.add('suspended');
        }
        if (event.what === 'steal') this.steals.push({ ...event, step: state.step });
    }
}

/**
 * What `worker` is at: 'run', 'wait' (in a join), 'found' (it holds what it stole or took), 'parked' or
 * 'idle' (awake and looking for work).
 */
export function status(worker) {
    if (worker.hand.length > 0) return 'found';
    if (worker.parked) return 'parked';
    const frame = worker.frames.at(-1);
    if (!frame) return worker.waiting ? 'wait' : 'idle';
    return frame.waiting ? 'wait' : 'run';
}

/** The task on top of the worker's stack, if there is one. */
export function running(worker) {
    return worker.frames.at(-1)?.task ?? null;
}

export function clamp(value, low, high) {
    return Math.min(high, Math.max(low, value));
}

function blank(workers, tasks) {
    const worker = () => ({
        deque: [],
        ring: [],
        slot: [],
        inbox: [],
        hand: [],
        done: [],
        // The runs on its stack, outermost first: a worker that waits in a join runs other things on top.
        frames: [],
        waiting: false,
        parked: false,
        steals: 0,
        robbed: 0,
    });
    return {
        step: 0,
        workers: Array.from({ length: workers }, worker),
        injector: [],
        central: [],
        suspended: [],
        places: Array.from({ length: tasks }, () => UNBORN),
        steals: 0,
        stolen: 0,
        done: 0,
    };
}

const UNBORN = Object.freeze({ in: 'unborn', worker: null });

function copy(state) {
    const worker = (w) => ({
        ...w,
        deque: [...w.deque],
        ring: [...w.ring],
        slot: [...w.slot],
        inbox: [...w.inbox],
        hand: [...w.hand],
        done: [...w.done],
        frames: w.frames.map((frame) => ({ ...frame })),
    });
    return {
        ...state,
        workers: state.workers.map(worker),
        places: [...state.places],
        injector: [...state.injector],
        central: [...state.central],
        suspended: [...state.suspended],
    };
}

function apply(state, event) {
    state.step += 1;
    const worker = event.worker == null ? null : state.workers[event.worker];
    effects[event.what]?.(state, event, worker);
}

/** What each kind of event does to the state. */
const effects = {
    push(state, event) {
        const own = event.worker;
        if (event.evicted != null) put(state, event.evicted, 'ring', own);
        for (const task of event.spilled ?? []) put(state, task, 'injector');
        if (!event.spilled?.includes(event.task)) put(state, event.task, event.queue, own);
    },
    inject(state, event) {
        put(state, event.task, event.queue, event.queue === 'inbox' ? event.to : null);
    },
    steal(state, event, worker) {
        grab(state, event);
        worker.steals += 1;
        state.steals += 1;
        state.stolen += event.tasks.length;
        const victim = state.workers[event.from];
        if (victim) victim.robbed += 1;
    },
    take: grab,
    start(state, event, worker) {
        remove(state, event.task);
        worker.parked = false;
        worker.frames.push({ task: event.task, since: event.at, waiting: false });
        state.places[event.task] = { in: 'running', worker: event.worker };
    },
    end(state, event, worker) {
        remove(state, event.task);
        if (event.more) {
            put(state, event.task, 'suspended');
            return;
        }
        worker.done.push(event.task);
        state.done += 1;
        state.places[event.task] = { in: 'done', worker: event.worker };
    },
    wait(state, event, worker) {
        const frame = worker.frames.at(-1);
        if (frame) frame.waiting = true;
        else worker.waiting = true;
    },
    resume(state, event, worker) {
        const frame = worker.frames.findLast((frame) => frame.waiting);
        if (frame) frame.waiting = false;
        else worker.waiting = false;
        worker.parked = false;
    },
    park(state, event, worker) {
        worker.parked = true;
    },
    wake(state, event, worker) {
        worker.parked = false;
    },
};

/** The first of what was stolen or taken starts next, the rest goes to the thief's own ring. */
function grab(state, event) {
    const [first, ...rest] = event.tasks;
    put(state, first, 'hand', event.worker);
    for (const task of rest) put(state, task, 'ring', event.worker);
}

function put(state, task, queue, worker = null) {
    remove(state, task);
    queueOf(state, queue, worker).push(task);
    state.places[task] = { in: queue, worker };
}

/** Takes `task` out of where it is, whichever end that is (I1). */
function remove(state, task) {
    const place = state.places[task];
    if (place.in === 'unborn') return;
    if (place.in === 'running') {
        const frames = state.workers[place.worker].frames;
        const at = frames.findLastIndex((frame) => frame.task === task);
        if (at >= 0) frames.splice(at, 1);
        return;
    }
    const queue = queueOf(state, place.in, place.worker);
    const at = queue.lastIndexOf(task);
    if (at >= 0) queue.splice(at, 1);
}

function queueOf(state, queue, worker) {
    return worker == null ? state[queue] : state.workers[worker][queue];
}
