// The clock of the replay: a position in the recording that moves, in time or by events.
//
// The position is a pair. `time` is where the playhead stands; `step` is how many events have happened.
// They agree except among events of the same instant, where only the step tells them apart.

import { clamp } from './state.js';

/** The factors a reader can choose from. */
export const FACTORS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

/** How long an automatic replay should take, and how many events per second "event by event" shows. */
const SECONDS = 15;
const EVENTS_PER_SECOND = 2;

export class Player {
    /** `changed(player)` is called after every move and whenever it starts or stops. */
    constructor(changed) {
        this.changed = changed;
        this.replay = null;
        this.pace = 'auto';
        this.playing = false;
        this.time = 0;
        this.step = 0;
    }

    load(replay) {
        this.playing = false;
        this.replay = replay;
        this.seek(0);
    }

    /** How many times slower than it happened, or null if it goes event by event. */
    get factor() {
        if (this.pace === 'events') return null;
        return this.pace === 'auto' ? automatic(this.replay?.duration ?? 0) : this.pace;
    }

    get atEnd() {
        return this.replay != null && this.step >= this.replay.steps && this.time >= this.replay.duration;
    }

    setPace(pace) {
        this.pace = pace;
        this.changed(this);
    }

    /** To the moment after `step` events. */
    seek(step) {
        this.step = clamp(step, 0, this.replay.steps);
        this.time = this.step === this.replay.steps ? this.replay.duration : this.replay.timeOf(this.step);
        this.changed(this);
    }

    seekTime(time) {
        this.time = clamp(time, 0, this.replay.duration);
        this.step = this.replay.stepAt(this.time);
        this.changed(this);
    }

    /** One event on, or back with -1. Stops the clock. */
    stepBy(events) {
        this.playing = false;
        this.seek(this.step + events);
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }

    pause() {
        this.playing = false;
        this.changed(this);
    }

    play() {
        if (!this.replay || this.playing) return;
        if (this.atEnd) this.seek(0);
        this.playing = true;
        this.changed(this);
        let last = null;
        let owed = 0;
        const tick = (now) => {
            if (!this.playing) return;
            // A tab that was hidden goes on where it was.
            const elapsed = last == null ? 0 : Math.min(now - last, 100);
            last = now;
            if (this.pace === 'events') {
                owed += (elapsed / 1000) * EVENTS_PER_SECOND;
                if (owed >= 1) this.seek(this.step + Math.trunc(owed));
                owed %= 1;
            } else {
                this.#advance((elapsed * 1000) / this.factor);
            }
            if (this.atEnd) this.pause();
            else requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    }

    #advance(us) {
        this.time = Math.min(this.time + us, this.replay.duration);
        this.step = Math.max(this.step, this.replay.stepAt(this.time));
        this.changed(this);
    }
}

/** The factor of the series 1, 2, 5, 10 … that comes closest to a replay of `SECONDS`. */
export function automatic(duration_us) {
    if (!(duration_us > 0)) return FACTORS.at(-1);
    const exact = (SECONDS * 1e6) / duration_us;
    const power = 10 ** Math.floor(Math.log10(exact));
    const near = [1, 2, 5, 10].map((digit) => digit * power);
    const distance = (factor) => Math.abs(Math.log(factor / exact));
    return Math.max(
        1,
        near.reduce((best, factor) => (distance(factor) < distance(best) ? factor : best)),
    );
}
