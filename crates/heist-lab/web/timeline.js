// Draws the whole recording as one track per worker, with a playhead that is also a slider.
//
// The tracks are drawn once per recording and width; only the playhead moves. As a slider the timeline
// counts events, as a surface to drag on it counts time.

import { bornClass, svg } from './svg.js';
import { clamp } from './state.js';
import { time as timeText, workerName } from './words.js';

const LEFT = 40;
const RIGHT = 14;
const TOP = 14;
const TRACK = 18;
const PITCH = 26;
const AXIS = 26;
/** What is narrower than this many pixels is joined with its neighbour. */
const FINEST = 0.6;
/** With more steals than this the arrows become plain lines. */
const MANY_STEALS = 120;

export class Timeline {
    /** `seekTime` and `seekStep` are called when the reader moves the playhead. */
    constructor(root, { seekTime, seekStep, seekBy }) {
        this.root = root;
        this.seeks = { seekTime, seekStep, seekBy };
        this.replay = null;
        new ResizeObserver(() => this.#resized()).observe(root);
        this.#makeSlider();
    }

    load(recording, replay) {
        this.recording = recording;
        this.replay = replay;
        this.slider.setAttribute('aria-valuemax', replay.steps);
        this.slider.tabIndex = 0;
        this.#build();
    }

    draw(step, time) {
        if (!this.replay) return;
        this.step = step;
        this.time = time;
        const x = this.#x(time);
        this.playhead.setAttribute('transform', `translate(${x.toFixed(2)} 0)`);
        this.veil.setAttribute('x', x);
        this.veil.setAttribute('width', Math.max(0, this.width - RIGHT - x));
        this.slider.setAttribute('aria-valuenow', step);
        this.slider.setAttribute(
            'aria-valuetext',
            `event ${step} of ${this.replay.steps}, at ${timeText(time)}`,
        );
    }

    #makeSlider() {
        this.slider = document.createElement('div');
        this.slider.className = 'scrubber';
        const attributes = {
            role: 'slider',
            'aria-label': 'Position in the recording',
            'aria-valuemin': 0,
            'aria-valuemax': 0,
            'aria-valuenow': 0,
        };
        for (const [name, value] of Object.entries(attributes)) this.slider.setAttribute(name, value);
        this.slider.addEventListener('keydown', (event) => this.#key(event));
        this.slider.addEventListener('pointerdown', (event) => this.#drag(event));
        this.root.append(this.slider);
    }

    #key(event) {
        const { seekBy, seekStep } = this.seeks;
        const moves = {
            ArrowLeft: () => seekBy(-1),
            ArrowDown: () => seekBy(-1),
            ArrowRight: () => seekBy(1),
            ArrowUp: () => seekBy(1),
            PageDown: () => seekBy(-10),
            PageUp: () => seekBy(10),
            Home: () => seekStep(0),
            End: () => seekStep(this.replay.steps),
        };
        const move = moves[event.key];
        if (!move || !this.replay || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        move();
    }

    #drag(down) {
        if (!this.replay || down.button !== 0) return;
        const to = (event) => {
            const x = event.clientX - this.slider.getBoundingClientRect().left;
            const share = clamp((x - LEFT) / (this.width - LEFT - RIGHT), 0, 1);
            this.seeks.seekTime(share * this.replay.duration);
        };
        this.slider.setPointerCapture(down.pointerId);
        this.slider.addEventListener('pointermove', to);
        const stop = () => this.slider.removeEventListener('pointermove', to);
        this.slider.addEventListener('pointerup', stop, { once: true });
        this.slider.addEventListener('pointercancel', stop, { once: true });
        to(down);
    }

    #resized() {
        if (!this.replay || this.root.clientWidth === this.width) return;
        this.#build();
        if (this.step != null) this.draw(this.step, this.time);
    }

    #x(time) {
        const span = this.width - LEFT - RIGHT;
        return LEFT + (this.replay.duration > 0 ? (time / this.replay.duration) * span : 0);
    }

    #y(worker) {
        return TOP + worker * PITCH;
    }

    #build() {
        this.width = this.root.clientWidth;
        const height = TOP + this.replay.workers * PITCH + AXIS;
        const bottom = height - AXIS;
        const chart = svg('svg', {
            width: this.width,
            height,
            viewBox: `0 0 ${this.width} ${height}`,
            'aria-hidden': 'true',
        });
        const head = svg(
            'marker',
            {
                id: 'track-head',
                viewBox: '0 0 10 10',
                refX: 8,
                refY: 5,
                markerWidth: 5,
                markerHeight: 5,
                orient: 'auto',
            },
            svg('path', { class: 'arrow-head', d: 'M0 1 L9 5 L0 9 Z' }),
        );
        const hatch = svg(
            'pattern',
            {
                id: 'hatch',
                width: 6,
                height: 6,
                patternUnits: 'userSpaceOnUse',
                patternTransform: 'rotate(45)',
            },
            svg('rect', { class: 'hatch-back', width: 6, height: 6 }),
            svg('rect', { class: 'hatch-line', width: 2, height: 6 }),
        );
        chart.append(svg('defs', {}, head, hatch), this.#axis(bottom));
        for (let worker = 0; worker < this.replay.workers; worker += 1) chart.append(this.#track(worker));
        this.veil = svg('rect', { class: 'veil', y: TOP - 4, height: bottom - TOP + 2 });
        chart.append(this.#steals(), this.veil);
        this.playhead = svg(
            'g',
            { class: 'playhead' },
            svg('line', { y1: 6, y2: bottom }),
            svg('path', { d: 'M-5 2 H5 V8 L0 13 L-5 8 Z' }),
        );
        chart.append(this.playhead);
        this.slider.replaceChildren(chart);
    }

    #axis(bottom) {
        const group = svg('g', { class: 'axis' });
        const { duration } = this.replay;
        const step = tickStep(duration, Math.max(3, Math.floor((this.width - LEFT - RIGHT) / 76)));
        for (let time = 0; time <= duration; time += step) {
            const x = this.#x(time);
            const anchor = time === 0 ? 'start' : x > this.width - 40 ? 'end' : 'middle';
            group.append(
                svg('line', { x1: x, x2: x, y1: TOP - 4, y2: bottom + 2 }),
                svg('text', { x, y: bottom + 17, 'text-anchor': anchor }, tickText(time, duration)),
            );
        }
        return group;
    }

    #track(worker) {
        const y = this.#y(worker);
        const group = svg('g', { class: 'track-row' });
        group.append(svg('text', { class: 'track-name', x: 0, y: y + TRACK - 5 }, workerName(worker)));
        group.append(
            svg('line', {
                class: 'base',
                x1: LEFT,
                x2: this.width - RIGHT,
                y1: y + TRACK / 2,
                y2: y + TRACK / 2,
            }),
        );
        for (const part of this.#joined(this.replay.segments[worker])) group.append(this.#segment(part, y));
        return group;
    }

    /** The segments that are worth drawing; a run of slivers becomes one. */
    #joined(segments) {
        const shown = [];
        for (const { from, to, kind, task } of segments) {
            if (kind === 'idle' || kind === 'found') continue;
            const born = task == null ? null : this.recording.tasks[task].born;
            const part = { from: this.#x(from), to: this.#x(to), kind, born };
            const last = shown.at(-1);
            const alike = last && last.kind === kind && last.born === born;
            if (alike && part.from - last.to < FINEST && part.to - last.from < 3) last.to = part.to;
            else shown.push(part);
        }
        return shown;
    }

    #segment({ from, to, kind, born }, y) {
        const width = Math.max(to - from - (to - from > 3 ? 1 : 0), FINEST);
        const x = from.toFixed(2);
        if (kind === 'parked')
            return svg('line', {
                class: 'parked',
                x1: from + 2,
                x2: Math.max(from + 2, to - 2),
                y1: y + TRACK / 2,
                y2: y + TRACK / 2,
            });
        if (kind === 'wait')
            return svg('rect', {
                class: 'waiting',
                x,
                y: y + 5,
                width,
                height: TRACK - 10,
                rx: 1,
                fill: 'url(#hatch)',
            });
        return svg('rect', {
            class: `run ${bornClass(born)}`,
            x,
            y,
            width,
            height: TRACK,
            rx: Math.min(3, width / 3),
        });
    }

    /** From the middle of the victim's track to the edge of the thief's. */
    #steals() {
        const group = svg('g', { class: 'track-steals' });
        const { steals } = this.replay;
        const many = steals.length > MANY_STEALS;
        for (const { at, from, worker } of steals) {
            const x = this.#x(at);
            const start = this.#y(from) + TRACK / 2;
            const end = this.#y(worker) + (worker > from ? 0 : TRACK);
            const line = { d: `M${x} ${start} V${end}` };
            if (!many) group.append(svg('path', { class: 'halo', ...line }));
            group.append(
                svg('path', {
                    class: many ? 'arrow many' : 'arrow',
                    ...line,
                    'marker-end': many ? null : 'url(#track-head)',
                }),
                svg('circle', { class: 'arrow-head', cx: x, cy: start, r: many ? 1 : 2.2 }),
            );
        }
        return group;
    }
}

/** A round distance between ticks, so that there are at most `most` of them. */
export function tickStep(duration, most) {
    if (!(duration > 0)) return 1;
    const exact = duration / most;
    const power = 10 ** Math.floor(Math.log10(exact));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= exact);
}

function tickText(time, duration) {
    const round = (value) => String(Number(value.toPrecision(4)));
    if (time === 0) return '0';
    return duration < 2000 ? `${round(time)} µs` : `${round(time / 1000)} ms`;
}
