// What may be asked of the server: the choices, and the rules that a set-up must keep.
//
// The server checks everything again; here it is checked so that the message stands next to the field.

import { count, plural, size } from './words.js';

export const STRATEGIES = [
    ['stealing', 'Stealing', 'Idle workers take from those who have work.'],
    ['static', 'Static', 'Tasks stay where they were put.'],
    ['central', 'Central queue', 'One queue that all share.'],
    ['sharing', 'Sharing', 'Who has work hands it to others.'],
];

export const STEALS = [
    ['one', 'One', 'Fork-join jobs in the deque: a thief takes the oldest.'],
    ['half', 'Half', 'Async tasks in the ring: a thief takes half of them.'],
];

/** The programs that heed the choice of a strategy. */
export function hasStrategy(program) {
    return program === 'tasks' || program === 'burst';
}

/** What the first group's numbers mean to a program that makes its own tasks. */
export const SCALES = {
    divide: ['Leaves', 'Size of a leaf'],
    'ping-pong': ['Rounds', 'Size of a turn'],
    burst: ['Tasks', 'Size of a task'],
    asleep: ['Tasks', 'Size of a task'],
    'last-job': ['Rounds', 'Size of a job'],
    aba: ['Rounds', 'Size of a job'],
};

/** The first thing that is wrong with `setup`: `{ field, message }`, or null. */
export function complaint(setup, limits) {
    if (!isWhole(setup.workers, 1, limits.workers)) {
        return {
            field: 'workers',
            message: `The number of workers must be a whole number from 1 to ${limits.workers}.`,
        };
    }
    for (const group of setup.tasks) {
        const wrong = groupComplaint(group, setup, limits);
        if (wrong) return wrong;
    }
    return totalComplaint(setup.tasks, limits);
}

/** The first thing that is wrong with one group of tasks. */
export function groupComplaint({ worker, count: tasks, size_us }, setup, limits) {
    if (!isWhole(tasks, 1, limits.tasks)) {
        return {
            field: 'count',
            message: `The number of tasks must be a whole number from 1 to ${count(limits.tasks)}.`,
        };
    }
    if (!isWhole(size_us, 1, limits.size_us)) {
        return {
            field: 'size',
            message: `The size must be a whole number of microseconds from 1 to ${count(limits.size_us)}.`,
        };
    }
    if (setup.program === 'tasks' && !isWhole(worker, 0, setup.workers - 1)) {
        const there = plural(setup.workers, 'worker');
        return {
            field: 'workers',
            message: `Some tasks are for W${worker}, but with ${there} the last is W${setup.workers - 1}.`,
        };
    }
    return null;
}

function totalComplaint(groups, limits) {
    const tasks = groups.reduce((sum, group) => sum + group.count, 0);
    const total = groups.reduce((sum, group) => sum + group.count * group.size_us, 0);
    if (tasks === 0) return { field: 'count', message: 'There is nothing to run: add some tasks first.' };
    if (tasks > limits.tasks) {
        return {
            field: 'count',
            message: `That makes ${count(tasks)} tasks; a run may have ${count(limits.tasks)}.`,
        };
    }
    if (total > limits.total_us) {
        return {
            field: 'size',
            message: `That makes ${size(total)} of work; a run may have ${size(limits.total_us)}.`,
        };
    }
    return null;
}

function isWhole(value, low, high) {
    return Number.isInteger(value) && value >= low && value <= high;
}
