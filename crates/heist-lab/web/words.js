// Everything the page says in words: events as sentences, times and numbers.

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `1234567` as "1,234,567". */
export function count(value) {
    return number.format(value);
}

/** "1 steal", "2 steals". */
export function plural(value, one, many = `${one}s`) {
    return `${count(value)} ${value === 1 ? one : many}`;
}

/** Microseconds with a unit that keeps three digits: "0.84 µs", "12.3 µs", "4.56 ms", "1.20 s". */
export function time(us) {
    if (!Number.isFinite(us)) return '–';
    const [value, unit] = us < 1000 ? [us, 'µs'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
    const digits = value === 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
    return `${value.toFixed(digits)} ${unit}`;
}

/** A size that somebody chose: "800 µs", "2 ms", "2.5 ms". */
export function size(us) {
    if (us < 1000) return `${us} µs`;
    return `${Number((us / 1000).toFixed(2))} ms`;
}

export function percent(share) {
    return `${Math.round(share * 100)} %`;
}

export function workerName(index) {
    return index == null ? 'Outside' : `W${index}`;
}

const QUEUES = {
    deque: 'deque',
    ring: 'ring',
    slot: 'slot',
    inbox: 'inbox',
    injector: 'injector',
    central: 'central queue',
};

/** The event as a sentence without its full stop. */
export function sentence(event, tasks) {
    const label = (id) => tasks[id]?.label ?? `task ${id}`;
    const who = workerName(event.worker);
    const labels = () => listed(event.tasks.map(label));
    switch (event.what) {
        case 'push':
            return pushed(event, who, label);
        case 'inject':
            return event.queue === 'inbox'
                ? `${who} puts ${label(event.task)} into the inbox of ${workerName(event.to)}`
                : `${who} puts ${label(event.task)} into the ${QUEUES[event.queue]}`;
        case 'steal':
            return `${who} steals ${labels()} from the ${QUEUES[event.queue]} of ${workerName(event.from)}`;
        case 'take':
            return `${who} takes ${labels()} from the ${QUEUES[event.queue]}`;
        case 'start':
            return `${who} starts ${label(event.task)}`;
        case 'end':
            return event.more
                ? `${who} suspends ${label(event.task)}`
                : `${who} finishes ${label(event.task)}`;
        case 'wait':
            return `${who} waits for what it forked`;
        case 'resume':
            return `${who} has it, and goes on`;
        case 'park':
            return `${who} falls asleep`;
        case 'wake':
            return `${who} wakes up`;
        default:
            return `${who}: ${event.what}`;
    }
}

function pushed(event, who, label) {
    const into = event.queue === 'deque' ? 'onto its deque' : `into its ${QUEUES[event.queue]}`;
    const evicted = event.evicted != null ? `; ${label(event.evicted)} moves on to the ring` : '';
    const spilled = event.spilled?.length
        ? `; ${plural(event.spilled.length, 'task')} spill into the injector`
        : '';
    return `${who} pushes ${label(event.task)} ${into}${evicted}${spilled}`;
}

function listed(labels) {
    if (labels.length === 1) return labels[0];
    if (labels.length <= 4) return `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
    return `${labels.length} tasks (${labels[0]} to ${labels.at(-1)})`;
}

/** What a worker's lane says it is doing. */
export const STATUS = {
    run: 'running',
    wait: 'waiting for others',
    parked: 'parked',
    found: 'has found work',
    idle: 'looking for work',
};
