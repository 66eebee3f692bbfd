// The events as lines; the one that happened last is marked, and a click on a line goes there.
//
// It is one listbox and not thousands of buttons, so it takes one stop of the Tab key.

import { bornClass, html } from './svg.js';
import { sentence, time, workerName } from './words.js';

export class Log {
    /** `seek(step)` goes to the moment after an event, `seekBy(n)` n events on. */
    constructor(root, { seek, seekBy }) {
        this.root = root;
        this.lines = [];
        this.current = null;
        this.onlySteals = false;
        root.addEventListener('click', (event) => {
            const line = event.target.closest('[role=option]');
            if (line) seek(Number(line.dataset.step));
        });
        root.addEventListener('keydown', (event) => {
            const moves = {
                ArrowUp: -1,
                ArrowDown: 1,
                ArrowLeft: -1,
                ArrowRight: 1,
                PageUp: -10,
                PageDown: 10,
            };
            if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            event.stopPropagation();
            const by = moves[event.key];
            if (this.onlySteals) seek(this.#nextShown(by));
            else seekBy(by);
        });
    }

    load(recording) {
        this.current = null;
        this.lines = recording.events.map((event, index) =>
            html(
                'div',
                {
                    role: 'option',
                    id: `event-${index + 1}`,
                    class: `line what-${event.what}`,
                    'data-step': index + 1,
                    'aria-selected': 'false',
                },
                html('span', { class: 'at' }, time(event.at)),
                html(
                    'span',
                    { class: `who ${event.worker == null ? bornClass(null) : bornClass(event.worker)}` },
                    event.worker == null ? 'out' : workerName(event.worker),
                ),
                html('span', { class: 'words' }, sentence(event, recording.tasks).replace(/^\S+ /, '')),
            ),
        );
        const cut = recording.cut
            ? [html('p', { class: 'muted cut' }, 'More happened than is shown: the recording was cut here.')]
            : [];
        this.root.replaceChildren(...this.lines, ...cut);
        this.root.scrollTop = 0;
    }

    showOnlySteals(on) {
        this.onlySteals = on;
        this.root.classList.toggle('only-steals', on);
        this.#reveal();
    }

    draw(step) {
        const line = this.lines[step - 1] ?? null;
        if (line === this.current) return;
        this.current?.setAttribute('aria-selected', 'false');
        this.current = line;
        line?.setAttribute('aria-selected', 'true');
        if (line) this.root.setAttribute('aria-activedescendant', line.id);
        else this.root.removeAttribute('aria-activedescendant');
        this.#reveal();
    }

    /**
     * Scrolls to the line, within the list only and never the page. It asks for sizes, so it waits for
     * the next frame, when the browser knows them anyway.
     */
    #reveal() {
        if (this.revealing) return;
        this.revealing = true;
        requestAnimationFrame(() => {
            this.revealing = false;
            const line = this.#lastShown();
            const { scrollTop, clientHeight } = this.root;
            const top = line?.offsetTop ?? 0;
            const visible = top >= scrollTop && top + (line?.offsetHeight ?? 0) <= scrollTop + clientHeight;
            if (!visible) this.root.scrollTop = line ? top - clientHeight / 2 : 0;
        });
    }

    #lastShown() {
        if (!this.onlySteals || !this.current) return this.current;
        const before = this.lines.slice(0, Number(this.current.dataset.step));
        return before.findLast((line) => line.classList.contains('what-steal')) ?? null;
    }

    #nextShown(by) {
        const here = Number(this.current?.dataset.step ?? 0);
        const steps = this.lines
            .filter((line) => line.classList.contains('what-steal'))
            .map((line) => Number(line.dataset.step));
        if (by > 0) return steps.find((step) => step > here) ?? here;
        return steps.findLast((step) => step < here) ?? 0;
    }
}
