// The choices on the left: scenarios, and the set-up that the reader can change.
//
// The form is the only place where an unfinished set-up lives; it is handed on, whole and checked, when it
// is run.

import { byId, html } from './svg.js';
import { bornClass } from './svg.js';
import { complaint, groupComplaint, hasStrategy, SCALES, STEALS, STRATEGIES } from './setup.js';
import { count, size, workerName } from './words.js';
import { OWN } from './url.js';

export class Controls {
    /** `pick(name)` is for a scenario, or null for the reader's own; `run(scenario, setup)` is for the form. */
    constructor({ pick, run }) {
        this.pick = pick;
        this.run = run;
        this.scenario = null;
        this.setup = structuredClone(OWN);
        this.past = [];
        this.#wire();
    }

    load({ scenarios, limits }) {
        this.limits = limits;
        byId('workers').max = limits.workers;
        byId('count').max = limits.tasks;
        byId('size').max = limits.size_us;
        const picks = (list) => list.map((scenario) => html('li', {}, this.#pickButton(scenario)));
        byId('scenarios').replaceChildren(...picks(scenarios.filter(({ question }) => !question)));
        byId('questions').replaceChildren(...picks(scenarios.filter(({ question }) => question)));
    }

    /** Shows a set-up in the form. */
    show(scenario, setup) {
        this.scenario = scenario;
        this.setup = structuredClone(setup);
        this.past = [];
        byId('workers').value = setup.workers;
        if (setup.program !== 'tasks' && setup.tasks[0]) {
            byId('count').value = setup.tasks[0].count;
            byId('size').value = setup.tasks[0].size_us;
        }
        for (const pick of document.querySelectorAll('.pick')) {
            const chosen = (pick.dataset.name ?? null) === scenario;
            if (chosen) pick.setAttribute('aria-current', 'true');
            else pick.removeAttribute('aria-current');
        }
        this.#clearErrors();
        this.#draw();
    }

    setBusy(busy) {
        const button = byId('run');
        button.textContent = busy ? 'Recording…' : 'Run and record';
        button.setAttribute('aria-busy', String(busy));
    }

    /** Runs the form's set-up if it is sound, else says next to the field what is wrong. */
    submit() {
        if (!this.limits) return;
        const setup = this.#read();
        const wrong = complaint(setup, this.limits);
        if (wrong) {
            this.complain(wrong);
            return;
        }
        this.#clearErrors();
        this.run(this.scenario, setup);
    }

    complain({ field, message }) {
        this.#clearErrors();
        const error = byId(field === 'workers' ? 'workers-error' : 'tasks-error');
        error.textContent = message;
        error.hidden = false;
        byId('setup-panel').open = true;
        const input = byId(field);
        input.setAttribute('aria-invalid', 'true');
        input.focus();
    }

    #wire() {
        byId('strategy')
            .querySelector('.options')
            .append(...radios('strategy', STRATEGIES));
        byId('steal')
            .querySelector('.options')
            .append(...radios('steal', STEALS));
        byId('own').addEventListener('click', (event) => {
            letGo(event);
            this.pick(null);
        });
        byId('setup').addEventListener('submit', (event) => {
            event.preventDefault();
            this.submit();
        });
        byId('setup').addEventListener('change', (event) => {
            if (event.target.type === 'radio') this.setup[event.target.name] = event.target.value;
            this.#draw();
        });
        byId('add').addEventListener('click', () => this.#add());
        byId('undo').addEventListener('click', () => {
            this.setup.tasks = this.past.pop() ?? this.setup.tasks;
            this.#clearErrors();
            this.#draw();
            if (byId('undo').disabled) byId('add').focus();
        });
        byId('clear').addEventListener('click', () => this.#change([]));
    }

    #pickButton({ name, title }) {
        const button = html('button', { type: 'button', class: 'pick', 'data-name': name }, title);
        button.addEventListener('click', (event) => {
            letGo(event);
            this.pick(name);
        });
        return button;
    }

    /** The set-up as the form has it now. */
    #read() {
        const setup = { ...structuredClone(this.setup), workers: numberIn('workers') };
        if (setup.program !== 'tasks')
            setup.tasks = [{ worker: 0, size_us: numberIn('size'), count: numberIn('count') }];
        return setup;
    }

    #add() {
        if (!this.limits) return;
        const group = {
            worker: Number(byId('target').value),
            size_us: numberIn('size'),
            count: numberIn('count'),
        };
        const setup = { ...this.setup, workers: numberIn('workers'), tasks: [...this.setup.tasks, group] };
        const wrong = groupComplaint(group, setup, this.limits) ?? complaint(setup, this.limits);
        if (wrong) this.complain(wrong);
        else this.#change(setup.tasks);
    }

    /** Changes the groups of tasks, so that it can be undone. */
    #change(tasks) {
        this.past.push(this.setup.tasks);
        this.setup.tasks = tasks;
        this.#clearErrors();
        this.#draw();
    }

    #draw() {
        const { program } = this.setup;
        const own = program === 'tasks';
        for (const name of ['strategy', 'steal']) {
            for (const radio of document.querySelectorAll(`#${name} input`)) {
                radio.checked = radio.value === this.setup[name];
                radio.disabled = name === 'strategy' && !hasStrategy(program);
            }
        }
        byId('steal').disabled = this.setup.strategy !== 'stealing' || !hasStrategy(program);
        byId('strategy').disabled = !hasStrategy(program);
        byId('choice-hint').textContent = this.#hint();
        byId('groups').hidden = byId('group-buttons').hidden = byId('target-field').hidden = !own;
        const [many, big] = own ? ['Count', 'Size'] : (SCALES[program] ?? ['Count', 'Size']);
        byId('count-label').textContent = many;
        byId('size-label').textContent = `${big}, µs`;
        byId('undo').disabled = this.past.length === 0;
        byId('clear').disabled = this.setup.tasks.length === 0;
        this.#drawGroups();
        this.#drawTargets();
    }

    #hint() {
        if (!hasStrategy(this.setup.program))
            return 'This scenario is about stealing; its strategy is fixed.';
        const chosen = STRATEGIES.find(([value]) => value === this.setup.strategy);
        const steal = STEALS.find(([value]) => value === this.setup.steal);
        const words = [chosen?.[2], this.setup.strategy === 'stealing' ? steal?.[2] : null];
        return words.filter(Boolean).join(' ');
    }

    #drawGroups() {
        const items = this.setup.tasks.map((group, index) => {
            const words = `${count(group.count)} × ${size(group.size_us)}`;
            const remove = html(
                'button',
                {
                    type: 'button',
                    class: 'remove',
                    'aria-label': `Remove ${words} for ${workerName(group.worker)}`,
                },
                '×',
            );
            remove.addEventListener('click', () => {
                this.#change(this.setup.tasks.filter((_, i) => i !== index));
                byId('add').focus();
            });
            return html(
                'li',
                {},
                html('span', { class: `who ${bornClass(group.worker)}` }, workerName(group.worker)),
                html('span', {}, words),
                remove,
            );
        });
        if (items.length === 0) items.push(html('li', { class: 'muted none' }, 'No tasks yet.'));
        byId('groups').replaceChildren(...items);
    }

    #drawTargets() {
        const select = byId('target');
        const workers = Math.min(Math.max(1, numberIn('workers') || 1), this.limits?.workers ?? 8);
        if (select.options.length === workers) return;
        const chosen = select.value;
        select.replaceChildren(
            ...Array.from({ length: workers }, (_, i) => html('option', { value: i }, workerName(i))),
        );
        if (Number(chosen) < workers) select.value = chosen || '0';
    }

    #clearErrors() {
        for (const id of ['workers', 'count', 'size']) byId(id).removeAttribute('aria-invalid');
        for (const id of ['workers-error', 'tasks-error']) byId(id).hidden = true;
    }
}

function radios(name, choices) {
    return choices.map(([value, label, hint]) =>
        html(
            'label',
            { title: hint },
            html('input', { type: 'radio', name, value }),
            html('span', {}, label),
        ),
    );
}

/** What an input says, or NaN: an empty field is not zero. */
function numberIn(id) {
    const text = byId(id).value.trim();
    return text === '' ? NaN : Number(text);
}

/** After a click with a pointer the Space key is for the replay again, not for the button. */
function letGo(event) {
    if (event.detail > 0) event.currentTarget.blur();
}
