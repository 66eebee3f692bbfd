// Where things are on the stage: a pure function of its width and of the queues that the recording uses.
//
//     wide    W0 running   [ the running task ]   owner | deque, newest … oldest | thieves  )
//                                                 slot | ring                                )  steals
//                                                 done . . . .                               )
//
//     narrow  the same, the queues below the running task
//
// All queues are drawn with the oldest task at the right end, where thieves take it.

import { SHARED_QUEUES } from './state.js';

/** Cells are as high as this, and as wide unless labels are long. */
const CELL = 28;
const LONG_CELL = 38;
const GAP = 4;
const LABEL = 17;
const ROW_GAP = 8;
const PAD = 14;
const NARROW = 560;

const SHARED = {
    injector: ['injector', 'from outside the pool'],
    central: ['central queue', 'one for all workers'],
    suspended: ['suspended', 'in no queue until woken'],
};

/** The geometry of the stage for a replay. */
export function layout(width, replay) {
    const narrow = width < NARROW;
    const edge = narrow ? 12 : 16;
    const margin = narrow ? 22 : 44;
    const cell = replay.tasks.some(({ label }) => label.length > 3) ? LONG_CELL : CELL;
    const pitch = cell + GAP;
    const stage = { width, narrow, edge, margin, cell, pitch, right: width - edge - margin };
    if (narrow) stage.right = edge + Math.floor((stage.right - edge + GAP) / pitch) * pitch - GAP;
    Object.assign(stage, { shared: [], lanes: [] });
    let y = 0;
    for (const queue of [...SHARED_QUEUES, 'suspended']) {
        if (!replay.used.has(queue)) continue;
        const row = sharedRow(queue, y, stage);
        stage.shared.push(row);
        y = row.bottom;
    }
    const queues = queueRows(replay);
    const done = Math.max(1, ...replay.last.workers.map((worker) => worker.done.length));
    for (let worker = 0; worker < replay.workers; worker += 1) {
        const lane = laneAt(worker, y, stage, { queues, used: replay.used, done });
        stage.lanes.push(lane);
        y = lane.bottom;
    }
    stage.height = y;
    return stage;
}

/** Which rows of queues each lane has: the deque, and others if they hold anything in this recording. */
function queueRows({ used, workers }) {
    const rows = [];
    const others = used.has('ring') || used.has('slot') || used.has('inbox');
    if (used.has('deque') || !others || workers <= 4) rows.push(['deque']);
    if (used.has('ring') || used.has('slot')) rows.push(['slot', 'ring']);
    if (used.has('inbox')) rows.push(['inbox']);
    return rows;
}

/** Where the queues of a wide lane begin. */
const QUEUES_LEFT = 276;

function laneAt(worker, top, stage, { queues, used, done }) {
    const { narrow, edge, pitch, right } = stage;
    const cell = narrow
        ? { x: right - 128, y: top + PAD - 2, width: 128, height: 40 }
        : { x: 128, y: top + PAD, width: 124, height: 52 };
    const left = narrow ? edge : QUEUES_LEFT;
    const lane = { worker, top, name: { x: edge, y: top + PAD + 11 }, cell, rows: [] };
    let y = narrow ? cell.y + cell.height + 10 : top + PAD - 4;
    for (const names of queues) {
        let x = left;
        for (const queue of names) {
            const room = (queue === 'slot' ? x + stage.cell : right) - x;
            lane.rows.push({ ...rowAt(queue, x, room, y + LABEL + CELL / 2, stage), used: used.has(queue) });
            // The ring begins two columns further, so that the ends of all rows are in line.
            x += 2 * pitch;
        }
        y += LABEL + CELL + ROW_GAP;
    }
    y = Math.max(y, cell.y + cell.height + 6);
    const room = right - left - 58;
    lane.done = { x: left, y: y + 5, dots: left + 58, pitch: Math.min(10, room / done) };
    lane.bottom = y + 12 + PAD;
    return lane;
}

function sharedRow(queue, top, stage) {
    const { narrow, edge, pitch, right } = stage;
    const [title, note] = SHARED[queue];
    const middle = narrow ? top + PAD + 22 + CELL / 2 : top + PAD + CELL / 2;
    // In line with the cells of the lanes below.
    const left = narrow ? edge : QUEUES_LEFT - Math.floor((QUEUES_LEFT - 170) / pitch) * pitch;
    return {
        ...rowAt(queue, left, right - left, middle, stage),
        used: true,
        title,
        note,
        label: { x: edge, y: top + PAD + 11 },
        bottom: middle + CELL / 2 + PAD,
    };
}

/** A row of as many cells as there is room for; `y` is its middle. */
function rowAt(queue, x, room, y, { cell, pitch }) {
    const capacity = Math.max(1, Math.floor((room + GAP) / pitch));
    return { queue, x, y, end: x + capacity * pitch - GAP, capacity, cell, height: CELL, pitch };
}

/** The middle of the cell in column `column` of `row`, from the left. */
export function column(row, column) {
    return { x: row.x + column * row.pitch + row.cell / 2, y: row.y };
}

/**
 * Where the `length` tasks of a queue go in its row, the oldest first: `{ places, more }`. If there are too many,
 * both ends are shown, and `more` says how many are left out at which column; their places are null.
 */
export function spread(row, length) {
    const { capacity } = row;
    if (length <= capacity) {
        const places = Array.from({ length }, (_, i) => column(row, capacity - 1 - i));
        return { places, more: null };
    }
    const right = Math.floor(capacity / 2);
    const left = capacity - 1 - right;
    const places = Array.from({ length }, (_, i) => {
        if (i < right) return column(row, capacity - 1 - i);
        return i >= length - left ? column(row, length - 1 - i) : null;
    });
    return { places, more: { ...column(row, left), count: length - left - right } };
}

/** The way of a steal from the thieves' end of `row` to the running cell of a lane, as an SVG path. */
export function stealPath(row, lane, stage, nth) {
    const from = { x: row.end + 2, y: row.y };
    const to = { x: lane.cell.x + lane.cell.width + 4, y: lane.cell.y + lane.cell.height / 2 };
    const span = Math.abs(to.y - from.y);
    const bulge = Math.min(stage.margin - 6, 16 + span / 14 + (nth % 3) * 5);
    const outer = stage.width - stage.margin + bulge - (stage.narrow ? 12 : 16);
    const turn = Math.min(26, span / 2) * Math.sign(to.y - from.y || 1);
    const back = Math.max(to.x + 1, outer - 26);
    return [
        `M${from.x} ${from.y} C${outer} ${from.y} ${outer} ${from.y} ${outer} ${from.y + turn}`,
        `L${outer} ${to.y - turn} C${outer} ${to.y} ${outer} ${to.y} ${back} ${to.y}`,
        `L${to.x} ${to.y}`,
    ].join(' ');
}
