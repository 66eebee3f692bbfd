import assert from 'node:assert/strict';
import test from 'node:test';
import { spread } from '../../layout.js';
import { automatic } from '../../player.js';
import { complaint } from '../../setup.js';
import { tickStep } from '../../timeline.js';
import { decode, encode, OWN } from '../../url.js';
import { sentence, time } from '../../words.js';

const SCENARIOS = [
    { name: 'imbalance', setup: { ...OWN, tasks: [{ worker: 0, size_us: 1000, count: 16 }] } },
];
const LIMITS = { workers: 8, tasks: 256, size_us: 50000, total_us: 2000000 };

test('an address names the scenario and only what differs from it', () => {
    const setup = { ...SCENARIOS[0].setup, workers: 6 };
    assert.equal(
        encode({ scenario: 'imbalance', setup, step: 12 }, SCENARIOS),
        '#scenario=imbalance&workers=6&step=12',
    );
});

test('what is encoded is decoded', () => {
    const own = {
        ...OWN,
        strategy: 'static',
        tasks: [
            { worker: 3, size_us: 250, count: 9 },
            { worker: 0, size_us: 1, count: 1 },
        ],
    };
    for (const state of [
        { scenario: 'imbalance', setup: SCENARIOS[0].setup, step: 4 },
        { scenario: null, setup: own, step: null },
    ]) {
        assert.deepEqual(decode(encode(state, SCENARIOS), SCENARIOS), state);
    }
});

test('an address that says nothing is no state', () => {
    assert.equal(decode('', SCENARIOS), null);
    assert.equal(decode('#stage', SCENARIOS), null);
});

test('an unknown scenario and nonsense get a sentence', () => {
    assert.match(decode('#scenario=heaps', SCENARIOS).error, /no scenario “heaps”.*imbalance/);
    assert.match(decode('#scenario=imbalance&workers=many', SCENARIOS).error, /workers=many/);
    assert.match(decode('#tasks=0:8', SCENARIOS).error, /tasks=0:8/);
    assert.match(decode(`#scenario=${'x'.repeat(500)}`, SCENARIOS).error, /x{40}…/);
});

test('a sound set-up has nothing to complain about', () => {
    assert.equal(complaint(OWN, LIMITS), null);
});

test('absurd numbers are refused with the limit in the message', () => {
    const wrong = (change) => complaint({ ...OWN, ...change }, LIMITS);
    const group = (change) => ({ tasks: [{ worker: 0, size_us: 1000, count: 1, ...change }] });
    assert.match(wrong({ workers: 9000 }).message, /1 to 8/);
    assert.match(wrong({ workers: 2.5 }).message, /whole number/);
    assert.match(wrong({ workers: NaN }).message, /1 to 8/);
    assert.match(wrong(group({ count: 0 })).message, /1 to 256/);
    assert.match(wrong(group({ size_us: 1e12 })).message, /1 to 50,000/);
    assert.match(wrong(group({ worker: 7 })).message, /W7.*last is W3/);
    assert.match(wrong(group({ size_us: 50000, count: 41 })).message, /2050 ms.*2000 ms/);
    assert.match(wrong({ tasks: [] }).message, /add some tasks/);
});

test('the automatic pace makes a replay of about fifteen seconds', () => {
    for (const duration of [30, 500, 3000, 4500, 80000, 2000000]) {
        const seconds = (duration * automatic(duration)) / 1e6;
        assert.ok(seconds > 8 && seconds < 25, `${duration} µs take ${seconds} s`);
    }
});

test('a queue that is too long shows both ends and how many are between', () => {
    const row = { x: 0, y: 0, capacity: 5, pitch: 10, cell: 8 };
    const short = spread(row, 2);
    assert.deepEqual(
        short.places.map(({ x }) => x),
        [44, 34],
        'the oldest is at the right end',
    );
    assert.equal(short.more, null);
    const long = spread(row, 9);
    assert.deepEqual(
        long.places.map((place) => place?.x ?? null),
        [44, 34, null, null, null, null, null, 14, 4],
    );
    assert.deepEqual([long.more.x, long.more.count], [24, 5]);
});

test('ticks are round and not too many', () => {
    assert.equal(tickStep(4500, 6), 1000);
    assert.equal(tickStep(0.9, 4), 0.5);
});

test('events are told in words', () => {
    const tasks = ['A1', 'A2', 'A3', 'A4', 'A5'].map((label) => ({ label }));
    const words = (event) => sentence(event, tasks);
    assert.equal(
        words({ what: 'steal', worker: 2, from: 0, queue: 'deque', tasks: [1] }),
        'W2 steals A2 from the deque of W0',
    );
    assert.equal(
        words({ what: 'steal', worker: 1, from: 0, queue: 'ring', tasks: [0, 1, 2, 3, 4] }),
        'W1 steals 5 tasks (A1 to A5) from the ring of W0',
    );
    assert.equal(
        words({ what: 'push', worker: 0, task: 1, queue: 'slot', evicted: 0 }),
        'W0 pushes A2 into its slot; A1 moves on to the ring',
    );
    assert.equal(
        words({ what: 'inject', worker: null, task: 0, queue: 'injector' }),
        'Outside puts A1 into the injector',
    );
});

test('times have three digits and a unit', () => {
    assert.deepEqual([0, 0.5, 12.34, 999, 4560, 1.2e6].map(time), [
        '0 µs',
        '0.50 µs',
        '12.3 µs',
        '999 µs',
        '4.56 ms',
        '1.20 s',
    ]);
});
