// What the colours and shapes on the stage mean.

import { bornClass, html, SHAPES, svg } from './svg.js';
import { workerName } from './words.js';

/** The legend for a pool of `workers`; `outside` says whether tasks came from outside of it. */
export function legend(workers, outside) {
    const births = Array.from({ length: workers }, (_, worker) => {
        return item(swatch(bornClass(worker), SHAPES.queued(7)), workerName(worker));
    });
    if (outside) births.push(item(swatch('born-outside', SHAPES.queued(7)), 'outside'));
    return [
        row('Colour: born on', births),
        row('Shape: state', [
            item(swatch('born-none', SHAPES.queued(7)), 'queued'),
            item(runningTask(), 'running'),
            item(swatch('born-none', SHAPES.suspended(8)), 'suspended'),
            item(swatch('born-none', SHAPES.done(4)), 'done'),
            item(arrow(), 'a steal'),
        ]),
    ];
}

function row(title, items) {
    return html('div', {}, html('span', {}, title), html('ul', {}, ...items));
}

function item(picture, words) {
    return html('li', {}, picture, words);
}

function picture(kind, width, viewBox, ...shapes) {
    return svg(
        'svg',
        { class: `swatch ${kind}`, width, height: 16, viewBox, 'aria-hidden': 'true' },
        ...shapes,
    );
}

function swatch(kind, shape) {
    return picture(`token ${kind}`, 16, '-9 -9 18 18', shape);
}

function runningTask() {
    const cell = svg('rect', { class: 'shape', x: 1, y: 1, width: 28, height: 14, rx: 4 });
    const bar = svg('rect', { class: 'tick', x: 5, y: 9.5, width: 13, height: 3, rx: 1.5 });
    return picture('token born-none', 30, '0 0 30 16', cell, bar);
}

function arrow() {
    const line = svg('path', { class: 'arrow', d: 'M2 12 C8 3 16 3 24 8' });
    const head = svg('path', { class: 'arrow-head', d: 'M21 4 L28 10 L19 11 Z' });
    return picture('', 30, '0 0 30 16', line, head);
}
