// The figures of a run: counters that follow the replay, and what was measured over the whole of it.

import { bornClass, html } from './svg.js';
import { count, percent, time, workerName } from './words.js';

export class Stats {
    constructor(root) {
        this.root = root;
    }

    load(recording, replay) {
        const { stats } = recording;
        this.total = { steals: replay.steals.length, tasks: recording.tasks.length };
        this.steals = html('b', { id: 'steals' });
        this.done = html('b', { id: 'done' });
        this.counters = [];
        this.root.replaceChildren(
            html(
                'dl',
                { class: 'figures' },
                figure('Steals so far', html('span', {}, this.steals, ` of ${count(this.total.steals)}`)),
                figure('Tasks done', html('span', {}, this.done, ` of ${count(this.total.tasks)}`)),
                figure('It took', html('b', {}, time(recording.duration_us))),
                figure(
                    'Lower bound',
                    html('b', {}, time(stats.bound_us)),
                    'The larger of work ÷ workers and the longest task: no schedule is faster.',
                ),
            ),
            this.#workers(stats, replay),
            html(
                'dl',
                { class: 'figures three' },
                figure('Work', time(stats.work_us), 'All tasks one after the other.'),
                figure('Span', time(stats.span_us), 'The longest chain that no number of workers shortens.'),
                figure(
                    'Parallelism',
                    stats.parallelism == null ? '–' : stats.parallelism.toFixed(1),
                    'Work ÷ span.',
                ),
            ),
            ...comparison(recording),
            ...facts(recording.facts),
        );
    }

    /** The counters at a state of the replay. */
    draw(state) {
        if (!this.steals) return;
        this.steals.textContent = count(state.steals);
        this.done.textContent = count(state.done);
        state.workers.forEach((worker, index) => {
            this.counters[index].textContent = `${count(worker.steals)} / ${count(worker.robbed)}`;
        });
    }

    #workers(stats, replay) {
        const head = html(
            'tr',
            {},
            html('th', { scope: 'col' }, html('span', { class: 'hidden' }, 'Worker')),
            html('th', { scope: 'col' }, 'Utilisation'),
            html(
                'th',
                { scope: 'col', class: 'number', title: 'Steals by this worker, and from it' },
                'Stole / lost',
            ),
        );
        const rows = Array.from({ length: replay.workers }, (_, worker) => {
            const share = stats.utilisation[worker] ?? 0;
            const counter = html('td', { class: 'number' });
            this.counters.push(counter);
            return html(
                'tr',
                {},
                html(
                    'th',
                    { scope: 'row' },
                    html('span', { class: `who ${bornClass(worker)}` }, workerName(worker)),
                ),
                html(
                    'td',
                    {},
                    html(
                        'div',
                        { class: 'used' },
                        bar(share, bornClass(worker)),
                        html('span', { class: 'share' }, percent(share)),
                    ),
                ),
                counter,
            );
        });
        return html('table', { class: 'workers' }, html('thead', {}, head), html('tbody', {}, ...rows));
    }
}

function figure(name, value, hint) {
    return html('div', { title: hint }, html('dt', {}, name), html('dd', {}, value));
}

function bar(share, kind) {
    const fill = html('span', { class: `fill ${kind}` });
    fill.style.width = `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
    return html('span', { class: 'meter', 'aria-hidden': 'true' }, fill);
}

/** What the server calls the way of a run in a comparison. */
function wayOf({ strategy, steal }) {
    const ways = { static: 'static partition', central: 'central queue', sharing: 'work sharing' };
    return ways[strategy] ?? `stealing ${steal}`;
}

function comparison({ setup, comparison: runs }) {
    if (!runs?.length) return [];
    const longest = Math.max(...runs.map((run) => run.duration_us));
    const row = ({ label, duration_us, utilisation }) => {
        const mine = label === wayOf(setup);
        const words = html(
            'span',
            { class: 'compared' },
            html('span', {}, mine ? `${label} (this run)` : label),
            html('span', { class: 'muted' }, utilisation == null ? '' : percent(utilisation)),
            html('b', {}, time(duration_us)),
        );
        return html('li', { class: mine ? 'this' : null }, words, bar(duration_us / longest, 'plain'));
    };
    const head = html(
        'span',
        { class: 'compared' },
        'Compared',
        html('span', {}, 'utilised'),
        html('span', {}, 'took'),
    );
    return [html('h3', {}, head), html('ul', { class: 'comparison' }, ...runs.map(row))];
}

function facts(sentences) {
    if (!sentences?.length) return [];
    return [
        html('h3', {}, 'Measured'),
        html('ul', { class: 'facts' }, ...sentences.map((fact) => html('li', {}, fact))),
    ];
}
