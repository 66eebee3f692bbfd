// Draws the workers: what each one runs, and what is in its queues.
//
// Every task is one element that lives as long as the recording and is moved from place to place, so that
// the browser draws the way in between. A stolen task goes along the arrow that its steal leaves behind;
// the arrow fades with the time of the replay, so it is the same however one got there.

import { bornClass, calm, SHAPES, svg } from './svg.js';
import { layout, spread, stealPath } from './layout.js';
import { running, status } from './state.js';
import { count, plural, sentence, size, STATUS, time as timeText, workerName } from './words.js';

/** A jump over more events than this is not animated. */
const ANIMATED_EVENTS = 24;
/** An arrow is gone after this share of the recording, and no more than this many are shown. */
const FADE = 0.08;
const MAX_ARROWS = 10;
const FLIGHT_MS = 520;

export class Lanes {
    constructor(root) {
        this.root = root;
        this.replay = null;
        new ResizeObserver(() => this.#resized()).observe(root);
    }

    load(recording, replay) {
        this.recording = recording;
        this.replay = replay;
        this.step = null;
        this.#build();
    }

    /** Shows the state after `step` events at `time`. */
    draw(step, time) {
        if (!this.replay) return;
        const state = this.replay.at(step);
        if (step !== this.step) this.#move(state);
        this.#progress(state, time);
        this.#arrows(step, time);
        this.step = step;
        this.time = time;
    }

    /** The whole stage in words, for those who do not see it. */
    describe(state) {
        const label = (id) => this.recording.tasks[id].label;
        return state.workers
            .map((worker, index) => {
                const task = running(worker);
                const doing =
                    task == null ? STATUS[status(worker)] : `${STATUS[status(worker)]} ${label(task)}`;
                const queued = ['deque', 'slot', 'ring', 'inbox'].filter((queue) => worker[queue].length > 0);
                const held = queued.map((queue) => `${worker[queue].length} in its ${queue}`);
                return [`${workerName(index)} ${doing}`, ...held].join(', ');
            })
            .join('; ');
    }

    #resized() {
        const width = this.root.clientWidth;
        if (!this.replay || width === this.width) return;
        const { step, time } = this;
        this.#build();
        if (step != null) this.draw(step, time);
    }

    #build() {
        this.width = this.root.clientWidth;
        this.stage = layout(this.width, this.replay);
        const { width, height } = this.stage;
        this.svg = svg('svg', {
            class: 'stage-svg',
            width,
            height,
            viewBox: `0 0 ${width} ${height}`,
            role: 'img',
        });
        const head = svg(
            'marker',
            {
                id: 'steal-head',
                viewBox: '0 0 10 10',
                refX: 8,
                refY: 5,
                markerWidth: 7,
                markerHeight: 7,
                orient: 'auto-start-reverse',
            },
            svg('path', { d: 'M0 0.8 L9 5 L0 9.2 Z', class: 'arrow-head' }),
        );
        this.arrows = svg('g', { class: 'arrows' });
        const tokens = svg('g', { class: 'tokens' });
        this.svg.append(svg('defs', {}, head));
        this.mores = new Map();
        this.stage.shared.forEach((row) => this.svg.append(this.#sharedRow(row)));
        this.cells = this.stage.lanes.map((lane) => this.#lane(lane));
        this.svg.append(this.arrows, tokens);
        this.tokens = this.recording.tasks.map((task) => this.#token(task));
        tokens.append(...this.tokens.map((token) => token.element));
        this.root.replaceChildren(this.svg);
        this.step = null;
    }

    #sharedRow(row) {
        const { narrow, width } = this.stage;
        const group = svg('g', { class: 'shared' });
        group.append(
            svg('text', { class: 'row-title', x: row.label.x, y: row.label.y }, row.title),
            svg(
                'text',
                {
                    class: 'row-note',
                    x: narrow ? row.end : row.label.x,
                    y: row.label.y + (narrow ? 0 : 16),
                    'text-anchor': narrow ? 'end' : 'start',
                },
                row.note,
            ),
            svg('line', { class: 'rule', x1: 0, x2: width, y1: row.bottom, y2: row.bottom }),
            this.#track(row, row.queue),
        );
        return group;
    }

    /** The empty cells of a row, and the place of its "+3". */
    #track(row, key) {
        const group = svg('g', { class: row.used ? 'track' : 'track unused' });
        const half = row.height / 2;
        for (let i = 0; i < row.capacity; i += 1) {
            group.append(
                svg('rect', {
                    class: 'slot',
                    x: row.x + i * row.pitch + 0.5,
                    y: row.y - half + 0.5,
                    width: row.cell - 1,
                    height: row.height - 1,
                    rx: 5,
                }),
            );
        }
        const more = svg('text', { class: 'more', y: row.y + 4, 'text-anchor': 'middle' });
        group.append(more);
        this.mores.set(key, more);
        return group;
    }

    #lane(lane) {
        const { worker, cell, name, done } = lane;
        const { width, narrow } = this.stage;
        const group = svg('g', { class: `lane ${bornClass(worker)}` });
        if (worker > 0)
            group.append(svg('line', { class: 'rule', x1: 0, x2: width, y1: lane.top, y2: lane.top }));
        const statusText = svg('text', { class: 'status', x: name.x, y: name.y + (narrow ? 19 : 22) });
        const counter = svg('text', { class: 'row-note', x: name.x, y: name.y + 39 });
        group.append(
            svg('rect', { class: 'badge', x: name.x, y: name.y - 13, width: 30, height: 18, rx: 5 }),
            svg(
                'text',
                { class: 'badge-text', x: name.x + 15, y: name.y, 'text-anchor': 'middle' },
                workerName(worker),
            ),
            statusText,
        );
        if (!narrow) group.append(counter);
        for (const row of lane.rows) group.append(this.#ownRow(row, worker));
        const doneText = svg('text', { class: 'row-note', x: done.x, y: done.y + 4 });
        const parts = this.#runningCell(cell);
        group.append(doneText, parts.group);
        this.svg.append(group);
        return { lane: group, statusText, counter, doneText, ...parts };
    }

    #ownRow(row, worker) {
        const group = svg('g', { class: row.used ? 'queue' : 'queue unused' });
        const y = row.y - row.height / 2 - 6;
        const text = (x, anchor, words, kind = 'end-label') =>
            svg('text', { class: kind, x, y, 'text-anchor': anchor }, words);
        const wide = row.end - row.x > 280;
        if (row.queue === 'slot') group.append(text(row.x, 'start', 'slot', 'queue-name'));
        if (row.queue === 'deque') {
            const thieves = this.recording.setup.strategy === 'stealing' ? 'thieves: steal' : 'nobody steals';
            group.append(text(row.x, 'start', 'owner: push, pop'), text(row.end, 'end', thieves));
            if (wide) group.append(text((row.x + row.end) / 2, 'middle', 'deque', 'queue-name'));
        }
        if (row.queue === 'ring') {
            const taken = wide ? 'owner: pop, thieves: half' : 'pop, steal half';
            group.append(text(row.x, 'start', 'ring', 'queue-name'), text(row.end, 'end', taken));
        }
        if (row.queue === 'inbox') {
            group.append(text(row.x, 'start', 'inbox', 'queue-name'), text(row.end, 'end', 'oldest first'));
        }
        group.append(this.#track(row, `${worker}/${row.queue}`));
        return group;
    }

    #runningCell({ x, y, width, height }) {
        const group = svg('g', { class: 'running', transform: `translate(${x} ${y})` });
        const under = svg('g', { class: 'under' });
        const frame = svg('rect', { class: 'frame', width, height, rx: 10 });
        const label = svg('text', { class: 'run-label', x: 14, y: height / 2 });
        const sub = svg('text', { class: 'run-time', x: width - 12, y: height / 2, 'text-anchor': 'end' });
        const back = svg('rect', {
            class: 'bar-back',
            x: 12,
            y: height - 13,
            width: width - 24,
            height: 5,
            rx: 2.5,
        });
        const bar = svg('rect', { class: 'bar', x: 12, y: height - 13, width: 0, height: 5, rx: 2.5 });
        group.append(under, frame, label, sub, back, bar);
        return { group, under, frame, label, sub, bar, barWidth: width - 24 };
    }

    #token(task) {
        const element = svg('g', { class: `token ${bornClass(task.born)}`, 'data-task': task.id });
        const born = task.born == null ? 'from outside the pool' : `born on ${workerName(task.born)}`;
        const asked = task.size_us > 0 ? `, ${size(task.size_us)}` : '';
        element.append(
            svg('title', {}, `${task.label}: ${task.kind} ${born}${asked}`),
            SHAPES.queued(this.stage.cell / 2 - 1, 13),
            SHAPES.suspended(this.stage.cell / 2 + 1, 15),
            SHAPES.done(3.6),
            svg(
                'text',
                {
                    class: task.label.length > 3 ? 'token-label long' : 'token-label',
                    y: 4,
                    'text-anchor': 'middle',
                },
                task.label,
            ),
        );
        return { element, x: 0, y: 0, form: null };
    }

    /** Puts every token where the state has it. */
    #move(state) {
        const steps = this.step == null ? Infinity : state.step - this.step;
        const animated = Math.abs(steps) <= ANIMATED_EVENTS && !calm();
        this.svg.classList.toggle('still', !animated);
        const flights = animated && steps > 0 ? this.#flights(state.step) : new Map();
        this.places = new Array(this.tokens.length).fill(null);
        this.#placeQueues(state);
        this.places.forEach((place, id) => this.#set(id, place ?? this.#birthplace(id), flights.get(id)));
        state.workers.forEach((worker, index) => this.#drawWorker(worker, index));
    }

    #placeQueues(state) {
        for (const row of this.stage.shared) {
            this.#placeRow(
                row,
                state[row.queue],
                row.queue,
                row.queue === 'suspended' ? 'suspended' : 'queued',
            );
        }
        state.workers.forEach((worker, index) => {
            const lane = this.stage.lanes[index];
            for (const row of lane.rows)
                this.#placeRow(row, worker[row.queue], `${index}/${row.queue}`, 'queued');
            const middle = middleOf(lane.cell);
            for (const task of worker.hand) this.places[task] = { ...middle, form: 'queued' };
            for (const { task } of worker.frames) this.places[task] = { ...middle, form: 'running' };
            worker.done.forEach((task, i) => {
                this.places[task] = { x: lane.done.dots + i * lane.done.pitch, y: lane.done.y, form: 'done' };
            });
        });
    }

    #placeRow(row, queue, key, form) {
        const { places, more } = spread(row, queue.length);
        queue.forEach((task, i) => {
            this.places[task] = places[i] ? { ...places[i], form } : { x: more.x, y: more.y, form: 'hidden' };
        });
        const text = this.mores.get(key);
        text.textContent = more ? `+${more.count}` : '';
        if (more) text.setAttribute('x', more.x);
    }

    /** Where a task that is not born yet will come from. */
    #birthplace(id) {
        const { born } = this.recording.tasks[id];
        const lane = this.stage.lanes[born ?? 0];
        const at = born == null ? { x: 40, y: 20 } : middleOf(lane.cell);
        return { ...at, form: 'unborn' };
    }

    #set(id, { x, y, form }, path) {
        const token = this.tokens[id];
        if (token.x === x && token.y === y && token.form === form) return;
        const shown = token.form && token.form !== 'unborn' && token.form !== 'hidden';
        Object.assign(token, { x, y, form });
        token.element.setAttribute('data-form', form);
        token.element.style.transform = `translate(${x}px, ${y}px)`;
        if (path && shown) this.#fly(token, path);
    }

    /** The paths of the tasks that were stolen in the events up to `step` that were not shown before. */
    #flights(step) {
        const flights = new Map();
        for (const steal of this.replay.steals) {
            if (steal.step <= this.step || steal.step > step) continue;
            for (const task of steal.tasks) flights.set(task, this.#path(steal));
        }
        return flights;
    }

    #path(steal) {
        const victim = this.stage.lanes[steal.from];
        const row = victim?.rows.find((row) => row.queue === steal.queue) ?? victim?.rows[0];
        return row && stealPath(row, this.stage.lanes[steal.worker], this.stage, steal.step);
    }

    /** Moves a stolen token along the arrow of its steal, then on to where it belongs. */
    #fly(token, d) {
        const path = svg('path', { d });
        const length = path.getTotalLength();
        const frames = Array.from({ length: 13 }, (_, i) => {
            const { x, y } = path.getPointAtLength((length * i) / 12);
            return { transform: `translate(${x}px, ${y}px)`, opacity: 1 };
        });
        frames.push({ transform: `translate(${token.x}px, ${token.y}px)` });
        token.element.classList.add('flying');
        const flight = token.element.animate(frames, { duration: FLIGHT_MS, easing: 'ease-in-out' });
        flight.onfinish = flight.oncancel = () => token.element.classList.remove('flying');
    }

    #drawWorker(worker, index) {
        const cell = this.cells[index];
        const kind = status(worker);
        const task = running(worker);
        cell.lane.setAttribute('data-status', kind);
        cell.statusText.textContent = this.stage.narrow && kind === 'wait' ? 'waiting' : STATUS[kind];
        cell.counter.textContent = worker.steals > 0 ? plural(worker.steals, 'steal') : '';
        cell.doneText.textContent = worker.done.length > 0 ? `done ${count(worker.done.length)}` : '';
        const born = task == null ? '' : bornClass(this.recording.tasks[task].born);
        cell.group.setAttribute('class', `running ${born} ${task == null ? 'vacant' : ''}`);
        cell.label.textContent = task == null ? '' : this.recording.tasks[task].label;
        cell.under.replaceChildren(...this.#stack(worker, index));
    }

    /** The tasks that wait below the running one, as edges of cards. */
    #stack(worker, index) {
        const { width, height } = this.stage.lanes[index].cell;
        const below = worker.frames.slice(0, -1).slice(-3);
        return below.map(({ task }, i) => {
            const off = 4 * (below.length - i);
            const { born } = this.recording.tasks[task];
            return svg('rect', { class: `card ${bornClass(born)}`, x: off, y: -off, width, height, rx: 10 });
        });
    }

    #progress(state, time) {
        state.workers.forEach((worker, index) => {
            const cell = this.cells[index];
            const frame = worker.frames.at(-1);
            if (!frame) return;
            const progress = this.replay.progress(frame.task, frame.since, time);
            cell.bar.setAttribute('width', (progress * cell.barWidth).toFixed(1));
            cell.sub.textContent = timeText(Math.max(0, time - frame.since));
        });
    }

    /** The arrows of the last steals, the older the fainter. */
    #arrows(step, time) {
        const past = this.replay.steals.filter((steal) => steal.step <= step);
        const latest = past.at(-1)?.step === step ? step : null;
        const window = this.replay.duration * FADE;
        const fresh = past
            .slice(-MAX_ARROWS)
            .map((steal) => ({
                steal,
                opacity: steal.step === latest ? 1 : 1 - (time - steal.at) / window,
            }))
            .filter(({ opacity }) => opacity > 0.02);
        const kept = new Map([...this.arrows.children].map((arrow) => [Number(arrow.dataset.step), arrow]));
        for (const { steal, opacity } of fresh) {
            const arrow = kept.get(steal.step) ?? this.#arrow(steal);
            arrow.style.opacity = Math.min(1, opacity).toFixed(2);
            kept.delete(steal.step);
        }
        for (const arrow of kept.values()) arrow.remove();
    }

    #arrow(steal) {
        const d = this.#path(steal) ?? '';
        const arrow = svg('path', {
            class: 'arrow',
            d,
            'data-step': steal.step,
            'marker-end': 'url(#steal-head)',
        });
        arrow.append(svg('title', {}, sentence(steal, this.recording.tasks)));
        this.arrows.append(arrow);
        return arrow;
    }
}

function middleOf({ x, y, width, height }) {
    return { x: x + width / 2, y: y + height / 2 };
}
