// What a reader does with the demo, in a real browser, on real runs.

import { expect, number, pause, recorded, run, startDemo, test } from './heist.js';
import { longRecording } from './unit/recordings.js';

const SCENARIOS = [
    'imbalance',
    'divide',
    'ping-pong',
    'burst',
    'asleep',
    'last-job',
    'lifo-fifo',
    'half',
    'aba',
    'equal',
];
const MANY_FOR_ONE = '#program=tasks&workers=4&strategy=stealing&steal=one&tasks=0:32x4000';

test('the page loads, records a run and replays it', async ({ page, open }) => {
    await open();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('heist');
    await expect(page.locator('#watch')).not.toBeEmpty();
    await expect(page.locator('#real')).toContainText(/Recorded|real/);
    await expect(page.locator('#real')).toContainText('times slower');
    await expect(page.locator('.lane')).toHaveCount(await page.locator('.track-row').count());
    await expect(page.locator('#play')).toHaveAttribute('aria-label', 'Pause');
    await expect.poll(() => number(page, '#step')).toBeGreaterThan(0);
});

test('tasks that are added to one worker are stolen by the others', async ({ page, open }) => {
    await open('#scenario=equal');
    await page.getByRole('button', { name: 'Your own tasks' }).click();
    await recorded(page);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('spinbutton', { name: 'Workers' }).fill('3');
    await page.getByLabel('Count').fill('20');
    await page.getByLabel('Size, µs').fill('5000');
    await page.getByLabel('For', { exact: true }).selectOption('W1');
    await page.getByRole('button', { name: 'Add tasks' }).click();
    await expect(page.locator('#groups li')).toContainText('20 × 5 ms');
    await run(page);

    await expect(page.locator('.lane')).toHaveCount(3);
    await page.getByRole('button', { name: 'To the end' }).click();
    const steals = await number(page, '#steals');
    expect(steals).toBeGreaterThan(0);
    await expect(page.locator('#log .what-steal')).toHaveCount(steals);
    await expect(page.locator('.track-steals .arrow')).toHaveCount(steals);
    expect(await number(page, '#done')).toBe(20);

    // At the first steal: the arrow is there, and the line of the event is marked.
    await page.locator('#log .what-steal').first().click();
    await expect(page.locator('#log [aria-selected=true]')).toContainText('from the deque of W1');
    await expect(page.locator('.lanes .arrow')).toHaveCount(1);
    await expect(page.locator('#steals')).toHaveText('1');
});

test('a step back takes back what the step did', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.locator('#log .what-steal').first().click();
    const step = await number(page, '#step');
    await expect(page.locator('#steals')).toHaveText('1');
    await page.getByRole('button', { name: 'One event back' }).click();
    await expect(page.locator('#step')).toHaveText(String(step - 1));
    await expect(page.locator('#steals')).toHaveText('0');
    await expect(page.locator('.lanes .arrow')).toHaveCount(0);
    await page.getByRole('button', { name: 'One event on' }).click();
    await expect(page.locator('#steals')).toHaveText('1');
});

test('added tasks can be undone', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    const groups = page.locator('#groups li');
    await expect(groups).toHaveCount(1);
    await page.getByRole('button', { name: 'Add tasks' }).click();
    await expect(groups).toHaveCount(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(groups).toHaveCount(1);
    await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
});

test('the strategy decides whether there is anything to steal', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.getByRole('radio', { name: 'Static' }).check();
    await run(page);
    await page.getByRole('button', { name: 'To the end' }).click();
    await expect(page.locator('#steals')).toHaveText('0');
    await expect(page.locator('#done')).toHaveText('32');

    await page.getByRole('radio', { name: 'Central queue' }).check();
    await run(page);
    await expect(page.locator('.shared')).toContainText('central queue');
});

for (const name of SCENARIOS) {
    test(`the scenario ${name} runs and says what to watch for`, async ({ page, demo, open }) => {
        const { scenarios } = await (await page.request.get(`${demo.url}/api/about`)).json();
        const scenario = scenarios.find((scenario) => scenario.name === name);
        await open();
        await page.locator(`.pick[data-name="${name}"]`).click();
        await expect(page.locator('#title')).toHaveText(scenario.title);
        await recorded(page);
        await expect(page.locator('#watch')).toHaveText(scenario.watch);
        expect(page.url()).toContain(`scenario=${name}`);
        await page.getByRole('button', { name: 'To the end' }).click();
        expect(await number(page, '#step')).toBeGreaterThan(0);
        await expect(page.locator('#log [aria-selected=true]')).toBeVisible();
        await expect(page.locator('#question')).toHaveText(scenario.question ?? '');
        await expect(page.locator('#answer')).toBeVisible({ visible: scenario.answer != null });
        if (scenario.answer) await expect(page.locator('#answer-text')).toHaveText(scenario.answer);
    });
}

test('the timeline is a slider for the pointer', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    const slider = page.getByRole('slider');
    await slider.click({ position: { x: 300, y: 40 } });
    const middle = await number(page, '#step');
    await slider.click({ position: { x: 60, y: 40 } });
    expect(await number(page, '#step')).toBeLessThan(middle);
    await expect(page.locator('#play')).toHaveAttribute('aria-label', 'Play');
});

test('the log can be cut down to steals', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.getByLabel('Steals only').check();
    await expect(page.locator('#log .what-steal').first()).toBeVisible();
    await expect(page.locator('#log .what-start').first()).toBeHidden();
});

test('the pace can be chosen, and the page says it', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.getByLabel('Slowed down').selectOption('10000');
    await expect(page.locator('#real')).toContainText('Replayed 10,000 times slower.');
    await page.getByLabel('Slowed down').selectOption('10');
    await page.locator('#play').focus();
    await pause(page);
    await page.locator('#play').click();
    // At ten times the real time it is over soon, and then it stands still at the end.
    await expect(page.locator('#play')).toHaveAttribute('aria-label', 'Play');
    expect(await number(page, '#step')).toBe(await number(page, '#steps'));
});

test('reload and the back button bring back set-up and step', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await pause(page);
    await page.getByRole('button', { name: 'To the start' }).click();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/step=5$/);
    await page.reload();
    await recorded(page);
    await expect(page.locator('#step')).toHaveText('5');
    await expect(page.locator('#groups li')).toContainText('32 × 4 ms');

    const before = await page.locator('#real').textContent();
    await page.locator('.pick[data-name="divide"]').click();
    await expect(page).toHaveURL(/scenario=divide/);
    await page.goBack();
    await expect(page.locator('#step')).toHaveText('5');
    await expect(page.locator('#title')).toHaveText('Your own tasks');
    expect(await page.locator('#real').textContent()).toBe(before);
    await page.goForward();
    await expect(page.locator('.pick[data-name="divide"]')).toHaveAttribute('aria-current', 'true');
});

test('an unknown scenario in the address is told, and the page goes on', async ({ page, demo }) => {
    await page.goto(`${demo.url}/#scenario=perpetual-motion`);
    await expect(page.getByRole('alert')).toContainText('There is no scenario “perpetual-motion”');
    await page.locator('.pick[data-name="imbalance"]').click();
    await recorded(page);
    await expect(page.getByRole('alert')).toBeHidden();
});

test('absurd numbers in the address are refused at their field', async ({ page, demo }) => {
    await page.goto(`${demo.url}/#scenario=imbalance&workers=4000000000`);
    await expect(page.locator('#workers-error')).toContainText('whole number from 1 to');
    await expect(page.getByRole('spinbutton', { name: 'Workers' })).toHaveAttribute('aria-invalid', 'true');
});

test('absurd numbers in the form are refused at their field', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    for (const wrong of ['0', '-3', '2.5', '1e9', '']) {
        await page.getByRole('spinbutton', { name: 'Workers' }).fill(wrong);
        await page.getByRole('button', { name: 'Run and record' }).click();
        await expect(page.locator('#workers-error')).toBeVisible();
        await expect(page.getByRole('spinbutton', { name: 'Workers' })).toBeFocused();
        await page.getByRole('spinbutton', { name: 'Workers' }).fill('4');
    }
    await page.getByLabel('Count').fill('100000');
    await page.getByRole('button', { name: 'Add tasks' }).click();
    await expect(page.locator('#tasks-error')).toContainText('The number of tasks must be');
    await page.getByLabel('Count').fill('2');
    await page.getByLabel('Size, µs').fill('99999999');
    await page.getByRole('button', { name: 'Add tasks' }).click();
    await expect(page.locator('#tasks-error')).toContainText('microseconds from 1 to');
    await expect(page.locator('#groups li')).toHaveCount(1);
});

test('what only the server can refuse is told too', async ({ page, demo, quiet }) => {
    quiet.expect = /400/;
    await page.goto(`${demo.url}/#program=perpetual-motion&workers=2`);
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page.locator('#alert-text')).not.toBeEmpty();
});

test('a server that is gone is told, and the recording stays usable', async ({ page, quiet }) => {
    quiet.expect = /ERR_CONNECTION|Failed to (load|fetch)/;
    const demo = await startDemo();
    await page.goto(`${demo.url}/${MANY_FOR_ONE}`);
    await recorded(page);
    await demo.stop();
    await page.getByRole('button', { name: 'Run and record' }).click();
    await expect(page.getByRole('alert')).toContainText('The server does not answer');
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await page.getByRole('button', { name: 'To the end' }).click();
    await expect(page.locator('#done')).toHaveText('32');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.getByRole('alert')).toBeHidden();
});

test('a recording as long as they get is still quick to go through', async ({ page, open }) => {
    // Not from the pool: no real run is sure to have this many events.
    const long = longRecording(256, 8, 5);
    expect(long.events.length).toBeGreaterThan(3500);
    await page.route('**/api/run', (route) => route.fulfill({ json: long }));
    await open();
    await pause(page);
    await expect(page.locator('#steps')).toHaveText(long.events.length.toLocaleString('en'));
    const perSeek = await page.evaluate((steps) => {
        const start = performance.now();
        for (let i = 0; i < 200; i += 1) document.getElementById(`event-${((i * 7919) % steps) + 1}`).click();
        return (performance.now() - start) / 200;
    }, long.events.length);
    // About 2 ms; the bound is for machines that do something else as well.
    expect(perSeek).toBeLessThan(50);
    await page.getByRole('button', { name: 'To the end' }).click();
    await expect(page.locator('#done')).toHaveText('256');
});
