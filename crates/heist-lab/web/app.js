// Wires the page: address → set-up → recording → replay, and the keys.
//
// One recording is shown at a time. The position in it belongs to the player; everything that draws is told
// of each change. A recording stays with its entry of the browser's history, so that going back shows the
// same run.

import * as api from './api.js';
import { Controls } from './controls.js';
import { Lanes } from './lanes.js';
import { legend } from './legend.js';
import { Log } from './log.js';
import { FACTORS, Player } from './player.js';
import { complaint, STRATEGIES } from './setup.js';
import { Replay } from './state.js';
import { Stats } from './stats.js';
import { byId, calm, html } from './svg.js';
import { Timeline } from './timeline.js';
import { decode, encode, OWN } from './url.js';
import { count, sentence, time } from './words.js';

/** How many recordings are kept for the back button. */
const KEPT = 12;

const page = {
    about: null,
    /** What is shown: `{ key, scenario, setup, recording, replay }`. */
    shown: null,
    kept: new Map(),
    asking: null,
    retry: null,
};

const player = new Player(draw);
const lanes = new Lanes(byId('lanes'));
const timeline = new Timeline(byId('timeline'), {
    seekTime,
    seekStep: seek,
    seekBy: (events) => player.stepBy(events),
});
const log = new Log(byId('log'), { seek, seekBy: (events) => player.stepBy(events) });
const stats = new Stats(byId('stats'));
const controls = new Controls({ pick, run });

function seek(step) {
    player.playing = false;
    player.seek(step);
}

function seekTime(time) {
    player.playing = false;
    player.seekTime(time);
}

async function start() {
    if (narrow()) byId('setup-panel').open = byId('scenarios-panel').open = false;
    try {
        page.about = await api.about();
    } catch (error) {
        fail(error, start);
        return;
    }
    calmAlert();
    controls.load(page.about);
    follow();
}

/** Whether the page is one column, where closed panels save scrolling. */
function narrow() {
    return matchMedia('(max-width: 760px)').matches;
}

/** Shows what the address asks for. */
function follow() {
    const { scenarios, limits } = page.about;
    const asked = decode(location.hash, scenarios) ?? {
        scenario: scenarios[0].name,
        setup: scenarios[0].setup,
        step: null,
    };
    if (asked.error) {
        if (!page.shown) {
            controls.show(undefined, OWN);
            byId('title').textContent = 'Nothing to show yet';
        }
        alarm(asked.error);
        return;
    }
    calmAlert();
    controls.show(asked.scenario, asked.setup);
    const wrong = complaint(asked.setup, limits);
    if (wrong) {
        introduce(asked.scenario, asked.setup);
        controls.complain(wrong);
        return;
    }
    record(asked, 'replace');
}

function pick(name) {
    if (narrow()) byId('scenarios-panel').open = false;
    const scenario = page.about?.scenarios.find((scenario) => scenario.name === name);
    const setup = scenario?.setup ?? OWN;
    controls.show(scenario?.name ?? null, setup);
    record({ scenario: scenario?.name ?? null, setup, step: null }, 'push');
}

function run(scenario, setup) {
    record({ scenario, setup, step: null }, 'push');
}

/** Has the server run a set-up, and shows the recording. */
async function record(request, entry) {
    page.asking?.abort();
    const asking = (page.asking = new AbortController());
    busy(true);
    try {
        const recording = await api.run(request.setup, asking.signal);
        if (asking !== page.asking) return;
        calmAlert();
        const key = String(Date.now() + Math.random());
        const replay = new Replay(recording);
        page.kept.set(key, { key, ...request, recording, replay });
        if (page.kept.size > KEPT) page.kept.delete(page.kept.keys().next().value);
        history[`${entry}State`]({ key }, '', encode(request, page.about.scenarios));
        show(page.kept.get(key), request.step);
    } catch (error) {
        if (asking !== page.asking || error.name === 'AbortError') return;
        fail(error, () => record(request, entry));
    } finally {
        if (asking === page.asking) busy(false);
    }
}

/** Shows a recording, from the start on or paused at `step`. */
function show(shown, step) {
    page.shown = null;
    const { recording, replay } = shown;
    byId('empty').hidden = true;
    introduce(shown.scenario, shown.setup);
    lanes.load(recording, replay);
    timeline.load(recording, replay);
    log.load(recording);
    stats.load(recording, replay);
    byId('legend').replaceChildren(
        ...legend(
            replay.workers,
            recording.tasks.some(({ born }) => born == null),
        ),
    );
    byId('clock-end').textContent = time(replay.duration);
    byId('steps').textContent = count(replay.steps);
    for (const id of ['first', 'back', 'play', 'on', 'final']) byId(id).disabled = false;
    page.shown = shown;
    player.load(replay);
    if (step != null) player.seek(step);
    else if (!calm()) player.play();
}

/** Title, what to watch for, and the answer if it is a question. */
function introduce(name, setup) {
    const scenario = page.about.scenarios.find((scenario) => scenario.name === name);
    const changed =
        scenario && encode({ scenario: name, setup, step: null }, page.about.scenarios).includes('&');
    const title = scenario?.title ?? 'Your own tasks';
    byId('title').replaceChildren(
        title,
        ...(changed ? [' ', html('span', { class: 'tag' }, 'changed')] : []),
    );
    byId('watch').textContent = watchFor(scenario, setup);
    byId('question').textContent = scenario?.question ?? '';
    byId('question').hidden = !scenario?.question;
    byId('answer').hidden = !scenario?.answer;
    byId('answer').open = false;
    byId('answer-text').textContent = scenario?.answer ?? '';
    byId('chosen').textContent = title;
    document.title = `${title} · heist`;
}

/** A scenario's line speaks of its own strategy; with another one there is something else to see. */
function watchFor(scenario, setup) {
    const [, , hint] = STRATEGIES.find(([value]) => value === setup.strategy) ?? [];
    if (scenario && scenario.setup.strategy !== setup.strategy) {
        return `Watch for what differs from the scenario as it was. ${hint ?? ''}`;
    }
    return scenario?.watch ?? 'Watch for who runs what: the colour of a task is the worker it was born on.';
}

/** Draws the player's position; called for every frame of a replay. */
function draw() {
    if (!page.shown) return;
    const { recording, replay } = page.shown;
    const { step, time: now, playing } = player;
    lanes.draw(step, now);
    timeline.draw(step, now);
    log.draw(step);
    const state = replay.at(step);
    stats.draw(state);
    byId('clock').textContent = time(now);
    byId('step').textContent = count(step);
    const play = byId('play');
    play.classList.toggle('playing', playing);
    play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    byId('back').disabled = byId('first').disabled = step === 0;
    byId('on').disabled = byId('final').disabled = step === replay.steps;
    const words =
        step === 0 ? 'Nothing has happened yet' : sentence(recording.events[step - 1], recording.tasks);
    byId('current').textContent = words;
    drawPace(recording);
    if (player.atEnd) byId('answer').open = true;
    if (playing) return;
    // Said aloud, described and put into the address only while it stands still.
    byId('live').textContent = `${words}. ${step === 0 ? '' : `Event ${step} of ${replay.steps}.`}`;
    lanes.svg.setAttribute('aria-label', lanes.describe(state));
    remember();
}

function drawPace(recording) {
    const { factor, pace } = player;
    const words = factor == null ? 'event by event' : `${count(factor)} times slower`;
    byId('real').textContent = `${recording.real.trim().replace(/\.?$/, '.')} Replayed ${words}.`;
    const auto = byId('pace').options[0];
    auto.textContent = pace === 'auto' ? `Auto: ${count(factor)}×` : 'Auto';
}

let remembering = null;

/** Puts the step into the address, once the reader rests: browsers limit how often that may be done. */
function remember() {
    clearTimeout(remembering);
    remembering = setTimeout(() => {
        if (!page.shown || player.playing) return;
        const { key, scenario, setup } = page.shown;
        const step = player.step === 0 ? null : player.step;
        history.replaceState({ key }, '', encode({ scenario, setup, step }, page.about.scenarios));
    }, 150);
}

function busy(on) {
    controls.setBusy(on);
    byId('stage').setAttribute('aria-busy', String(on));
}

function fail(error, retry) {
    if (!(error instanceof api.Gone || error instanceof api.Refused)) throw error;
    alarm(error.message, error instanceof api.Gone ? retry : null);
}

function alarm(message, retry = null) {
    page.retry = retry;
    byId('alert-text').textContent = message;
    byId('alert-retry').hidden = retry == null;
    byId('alert').hidden = false;
}

function calmAlert() {
    byId('alert').hidden = true;
}

/** What the keys do wherever the focus is, unless what has the focus wants them itself. */
function key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
    if (event.target.closest('input, select, textarea')) return;
    if (event.key === '?') {
        byId('help').showModal();
        return;
    }
    if (event.key === ' ' && event.target.closest('button, summary, a')) return;
    const action = keys[event.key];
    if (!action || !page.shown) return;
    event.preventDefault();
    action();
}

const keys = {
    ' ': () => player.toggle(),
    ArrowLeft: () => player.stepBy(-1),
    ArrowRight: () => player.stepBy(1),
    Home: () => seek(0),
    End: () => seek(player.replay.steps),
    n: () => seekSteal(1),
    N: () => seekSteal(-1),
    r: () => controls.submit(),
    R: () => controls.submit(),
};

function seekSteal(direction) {
    const steps = player.replay.steals.map((steal) => steal.step);
    const found =
        direction > 0
            ? steps.find((step) => step > player.step)
            : steps.findLast((step) => step < player.step);
    if (found != null) seek(found);
}

function wire() {
    byId('first').addEventListener('click', () => seek(0));
    byId('back').addEventListener('click', () => player.stepBy(-1));
    byId('play').addEventListener('click', () => player.toggle());
    byId('on').addEventListener('click', () => player.stepBy(1));
    byId('final').addEventListener('click', () => seek(player.replay.steps));
    byId('steals-only').addEventListener('change', (event) => log.showOnlySteals(event.target.checked));
    byId('pace').append(
        html('option', { value: 'auto' }, 'Auto'),
        ...FACTORS.map((factor) => html('option', { value: factor }, `${count(factor)}×`)),
        html('option', { value: 'events' }, 'Event by event'),
    );
    byId('pace').addEventListener('change', ({ target }) => {
        player.setPace(Number.isNaN(Number(target.value)) ? target.value : Number(target.value));
    });
    byId('help-open').addEventListener('click', () => byId('help').showModal());
    byId('alert-close').addEventListener('click', calmAlert);
    byId('alert-retry').addEventListener('click', () => page.retry?.());
    document.querySelector('.skip').addEventListener('click', (event) => {
        event.preventDefault();
        byId('stage').focus();
    });
    document.addEventListener('keydown', key);
    window.addEventListener('popstate', (event) => {
        const kept = page.kept.get(event.state?.key);
        if (!kept) {
            if (page.about) follow();
            return;
        }
        page.asking?.abort();
        busy(false);
        calmAlert();
        controls.show(kept.scenario, kept.setup);
        show(kept, decode(location.hash, page.about.scenarios)?.step ?? 0);
    });
}

wire();
start();
