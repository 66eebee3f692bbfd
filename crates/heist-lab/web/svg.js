// Small helpers for elements, and the colours of workers.

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element with attributes; children are elements or text. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

/** An HTML element with attributes; children are elements or text. */
export function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === true) element.setAttribute(name, '');
        else if (value != null && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
}

/** The class that colours what was born on `worker`, or outside the pool. */
export function bornClass(worker) {
    return worker == null ? 'born-outside' : `born-${worker % 8}`;
}

export function byId(id) {
    return document.getElementById(id);
}

/** Whether the reader asked for less motion. */
export function calm() {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Shapes of a task by its state, drawn around the origin; `w` and `h` are half of width and height. */
export const SHAPES = {
    queued: (w, h = w) =>
        svg('rect', { class: 'shape queued', x: -w, y: -h, width: 2 * w, height: 2 * h, rx: h / 3 }),
    suspended: (w, h = w) =>
        svg('path', { class: 'shape suspended', d: `M0 ${-h} L${w} 0 L0 ${h} L${-w} 0 Z` }),
    done: (r) => svg('circle', { class: 'shape done', r }),
};
