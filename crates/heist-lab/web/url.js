// The page's state in the fragment of its address: `#scenario=imbalance&workers=6&step=12`.
//
// A scenario is named, and only what differs from it is written out; a set-up of the reader's own is
// written in full. A link therefore repeats the experiment, not the recording: whoever opens it gets a run
// of their own.

const FIELDS = ['program', 'workers', 'strategy', 'steal', 'tasks'];

/** The set-up that "Your own" begins with, and that a link without a scenario is based on. */
export const OWN = Object.freeze({
    program: 'tasks',
    workers: 4,
    strategy: 'stealing',
    steal: 'one',
    tasks: Object.freeze([Object.freeze({ worker: 0, size_us: 1000, count: 8 })]),
});

/** The fragment for a scenario's name (or null), a set-up and a step (or null). */
export function encode({ scenario, setup, step }, scenarios) {
    const base = scenarios.find(({ name }) => name === scenario)?.setup;
    const parts = base ? [`scenario=${scenario}`] : [];
    for (const field of FIELDS) {
        const text = written(field, setup[field]);
        if (!base || text !== written(field, base[field])) parts.push(`${field}=${text}`);
    }
    if (step != null) parts.push(`step=${step}`);
    return `#${parts.join('&')}`;
}

/**
 * What a fragment says: `{ scenario, setup, step }`, or `{ error }` with a sentence for the reader.
 * Null if it says nothing. Numbers are not checked against the limits here.
 */
export function decode(hash, scenarios) {
    const params = new URLSearchParams(hash.replace(/^#/, ''));
    if (![...FIELDS, 'scenario', 'step'].some((field) => params.has(field))) return null;
    const name = params.get('scenario');
    const base = name == null ? OWN : scenarios.find((scenario) => scenario.name === name)?.setup;
    if (!base) {
        const known = scenarios.map((scenario) => scenario.name).join(', ');
        return { error: `There is no scenario “${shortened(name)}”. There are: ${known}.` };
    }
    const setup = structuredClone(base);
    for (const field of FIELDS) {
        if (!params.has(field)) continue;
        const value = read(field, params.get(field));
        if (value === undefined) {
            return {
                error: `The address says “${field}=${shortened(params.get(field))}”, which makes no sense.`,
            };
        }
        setup[field] = value;
    }
    const step = params.has('step') ? Math.max(0, Math.trunc(Number(params.get('step')) || 0)) : null;
    return { scenario: name, setup, step };
}

function written(field, value) {
    if (field !== 'tasks') return String(value);
    return value.map(({ worker, count, size_us }) => `${worker}:${count}x${size_us}`).join(',');
}

function read(field, text) {
    if (field === 'tasks') return readTasks(text);
    if (field !== 'workers') return /^[a-z-]+$/.test(text) ? text : undefined;
    return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

function readTasks(text) {
    if (text === '') return [];
    const groups = text.split(',').map((group) => /^(\d+):(\d+)x(\d+)$/.exec(group));
    if (groups.includes(null)) return undefined;
    return groups.map(([, worker, count, size_us]) => ({
        worker: Number(worker),
        size_us: Number(size_us),
        count: Number(count),
    }));
}

function shortened(text) {
    return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
