import assert from 'node:assert/strict';
import test from 'node:test';
import { Replay, running, status } from '../../state.js';
import { longRecording, recording } from './recordings.js';

const push = (at, worker, task, queue = 'deque') => ({ at, worker, what: 'push', task, queue });

function after(events, step = events.length) {
    return new Replay(recording(events)).at(step);
}

/** Every place a task can be in, and how often each task is there. */
function census(state) {
    const own = state.workers.flatMap((w) => [
        ...w.deque,
        ...w.ring,
        ...w.slot,
        ...w.inbox,
        ...w.hand,
        ...w.done,
        ...w.frames.map(({ task }) => task),
    ]);
    return [...own, ...state.injector, ...state.central, ...state.suspended].sort((a, b) => a - b);
}

test('before the first event nothing is born and everybody looks for work', () => {
    const state = after([push(1, 0, 0)], 0);
    assert.deepEqual(census(state), []);
    assert.deepEqual(state.workers.map(status), ['idle', 'idle']);
});

test('a deque keeps the oldest first, and a thief takes it into its hand', () => {
    const events = [
        push(1, 0, 0),
        push(2, 0, 1),
        push(3, 0, 2),
        { at: 4, worker: 1, what: 'steal', from: 0, queue: 'deque', tasks: [0] },
    ];
    assert.deepEqual(after(events, 3).workers[0].deque, [0, 1, 2]);
    const state = after(events);
    assert.deepEqual(state.workers[0].deque, [1, 2]);
    assert.deepEqual(state.workers[1].hand, [0]);
    assert.equal(state.steals, 1);
    assert.equal(state.workers[1].steals, 1);
    assert.equal(state.workers[0].robbed, 1);
});

test('of a stolen half the first is in the hand and the rest in the own ring', () => {
    const events = [0, 1, 2, 3].map((task) => push(task, 0, task, 'ring'));
    events.push({ at: 5, worker: 1, what: 'steal', from: 0, queue: 'ring', tasks: [0, 1] });
    const state = after(events);
    assert.deepEqual(state.workers[0].ring, [2, 3]);
    assert.deepEqual(state.workers[1].hand, [0]);
    assert.deepEqual(state.workers[1].ring, [1]);
    assert.equal(state.steals, 1);
    assert.equal(state.stolen, 2);
});

test('the slot evicts into the ring, and what does not fit there spills into the injector', () => {
    const events = [
        push(1, 0, 0, 'slot'),
        { ...push(2, 0, 1, 'slot'), evicted: 0 },
        { ...push(3, 0, 2, 'slot'), evicted: 1, spilled: [0] },
    ];
    assert.deepEqual(after(events, 2).workers[0].ring, [0]);
    const state = after(events);
    assert.deepEqual(state.workers[0].slot, [2]);
    assert.deepEqual(state.workers[0].ring, [1]);
    assert.deepEqual(state.injector, [0]);
});

test('a task that is injected is in the shared queue until somebody takes it', () => {
    const events = [
        { at: 1, worker: null, what: 'inject', task: 0, queue: 'central' },
        { at: 2, worker: 0, what: 'inject', task: 1, queue: 'inbox', to: 1 },
        { at: 3, worker: 1, what: 'take', queue: 'central', tasks: [0] },
    ];
    assert.deepEqual(after(events, 2).central, [0]);
    assert.deepEqual(after(events, 2).workers[1].inbox, [1]);
    assert.deepEqual(after(events).workers[1].hand, [0]);
    assert.equal(after(events).steals, 0);
});

test('a worker that waits in a join runs other tasks on top of it', () => {
    const events = [
        push(1, 0, 0),
        { at: 2, worker: 0, what: 'start', task: 0 },
        push(3, 0, 1),
        push(4, 0, 2),
        { at: 5, worker: 0, what: 'wait' },
        { at: 6, worker: 0, what: 'start', task: 2 },
        { at: 7, worker: 0, what: 'end', task: 2 },
        { at: 8, worker: 0, what: 'resume' },
        { at: 9, worker: 0, what: 'end', task: 0 },
    ];
    const seen = [5, 6, 7, 8, 9]
        .map((step) => after(events, step).workers[0])
        .map((worker) => [status(worker), running(worker)]);
    assert.deepEqual(seen, [
        ['wait', 0],
        ['run', 2],
        ['wait', 0],
        ['run', 0],
        ['idle', null],
    ]);
});

test('a suspended task is in no queue and can be pushed again', () => {
    const events = [
        push(1, 0, 0, 'slot'),
        { at: 2, worker: 0, what: 'start', task: 0 },
        { at: 3, worker: 0, what: 'end', task: 0, more: true },
        push(4, 1, 0, 'slot'),
    ];
    assert.deepEqual(after(events, 3).suspended, [0]);
    assert.equal(after(events, 3).done, 0);
    assert.deepEqual(after(events).suspended, []);
    assert.deepEqual(after(events).workers[1].slot, [0]);
});

test('sleep and waking show in the status', () => {
    const events = [
        { at: 1, worker: 1, what: 'park' },
        { at: 2, worker: 1, what: 'wake' },
    ];
    assert.equal(status(after(events, 1).workers[1]), 'parked');
    assert.equal(status(after(events, 2).workers[1]), 'idle');
});

test('a step is the same whichever way one gets there, across checkpoints', () => {
    const long = longRecording(300);
    const reference = new Replay(long);
    const forward = Array.from({ length: reference.steps + 1 }, (_, step) =>
        JSON.stringify(reference.at(step)),
    );
    const jumping = new Replay(long);
    for (let i = 0; i < 400; i += 1) {
        const step = (i * 7919) % (jumping.steps + 1);
        assert.equal(JSON.stringify(jumping.at(step)), forward[step], `step ${step}`);
    }
});

test('at every step every task that is born is in exactly one place', () => {
    const replay = new Replay(longRecording(60));
    for (let step = 0; step <= replay.steps; step += 1) {
        const there = census(replay.at(step));
        assert.equal(new Set(there).size, there.length, `a task is in two places at step ${step}`);
        assert.equal(there.length, Math.min(step, 60));
    }
});

test('time and step translate into each other, also for events of the same instant', () => {
    const replay = new Replay(recording([push(1, 0, 0), push(1, 0, 1), push(3, 0, 2)], { duration_us: 5 }));
    assert.equal(replay.stepAt(0.5), 0);
    assert.equal(replay.stepAt(1), 2);
    assert.equal(replay.stepAt(4), 3);
    assert.equal(replay.timeOf(0), 0);
    assert.equal(replay.timeOf(3), 3);
});

test('the segments of a track cover the whole recording without gaps', () => {
    const replay = new Replay(longRecording(40));
    for (const track of replay.segments) {
        assert.equal(track[0].from, 0);
        assert.equal(track.at(-1).to, replay.duration);
        track.slice(1).forEach((segment, i) => assert.equal(segment.from, track[i].to));
    }
});

test('progress goes from start to end of that run', () => {
    const replay = new Replay(
        recording([
            push(0, 0, 0),
            { at: 10, worker: 0, what: 'start', task: 0 },
            { at: 20, worker: 0, what: 'end', task: 0 },
        ]),
    );
    assert.equal(replay.progress(0, 10, 15), 0.5);
    assert.equal(replay.progress(0, 10, 99), 1);
});

test('a recording without events is a state too', () => {
    const replay = new Replay(recording([]));
    assert.equal(replay.steps, 0);
    assert.equal(replay.at(0).done, 0);
});
