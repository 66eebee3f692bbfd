// The page for everybody: keyboard alone, phone width, dark and light, less motion, a screen reader.

import AxeBuilder from '@axe-core/playwright';
import { expect, number, pause, recorded, test } from './heist.js';

const MANY_FOR_ONE = '#program=tasks&workers=4&strategy=stealing&steal=one&tasks=0:32x4000';

test('Space, arrows, Home, End and ? work wherever the focus is', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    const play = page.locator('#play');
    await expect(play).toHaveAttribute('aria-label', 'Pause');
    await page.keyboard.press('Space');
    await expect(play).toHaveAttribute('aria-label', 'Play');
    await page.keyboard.press('Home');
    await expect(page.locator('#step')).toHaveText('0');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(page.locator('#step')).toHaveText('2');
    await page.keyboard.press('ArrowLeft');
    await expect(page.locator('#step')).toHaveText('1');
    await page.keyboard.press('n');
    await expect(page.locator('#steals')).toHaveText('1');
    await page.keyboard.press('End');
    expect(await number(page, '#step')).toBe(await number(page, '#steps'));
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await page.keyboard.press('Space');
    await expect(play).toHaveAttribute('aria-label', 'Pause');
});

/** Presses Tab until `selector` has the focus; every control must be reachable that way. */
async function tabTo(page, selector) {
    for (let presses = 0; presses < 80; presses += 1) {
        if (await page.locator(selector).evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not get to ${selector}`);
}

test('everything can be done with the keyboard alone', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.keyboard.press('Space');
    await tabTo(page, '#own');
    await page.keyboard.press('Enter');
    await recorded(page);
    await tabTo(page, '#workers');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('2');
    await tabTo(page, '#strategy input:checked');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Static' })).toBeChecked();
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, '#target');
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('#target')).toHaveValue('1');
    await tabTo(page, '#add');
    await page.keyboard.press('Enter');
    await expect(page.locator('#groups li')).toHaveCount(2);
    await tabTo(page, '#run');
    const answer = page.waitForResponse('**/api/run');
    await page.keyboard.press('Enter');
    await answer;
    await recorded(page);
    await expect(page.locator('.lane')).toHaveCount(2);
    await tabTo(page, '#play');
    await page.keyboard.press('Space');
    await expect(page.locator('#play')).toHaveAttribute('aria-label', 'Play');
    await tabTo(page, '[role=slider]');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('slider')).toHaveAttribute('aria-valuenow', '1');
    await tabTo(page, '#log');
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('#step')).toHaveText('2');
    // And out again: no trap.
    await page.keyboard.press('Tab');
    await expect(page.locator('#log')).not.toBeFocused();
});

test('the event that is shown is said aloud once the replay stands still', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await pause(page);
    await page.locator('#log .what-steal').first().click();
    await expect(page.locator('#live')).toContainText('from the deque of W0');
    await expect(page.getByRole('slider')).toHaveAttribute('aria-valuetext', /^event \d+ of \d+, at /);
    await expect(page.getByRole('img')).toHaveAttribute('aria-label', /W0 .*W1 /);
});

test('the theme can be switched, and stays', async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await open();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await recorded(page);
    expect(await background()).toBe(dark);
    await page.getByRole('radio', { name: 'Auto' }).check();
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe(dark);
});

for (const hash of [MANY_FOR_ONE, '#scenario=half', '#scenario=burst', '#scenario=equal']) {
    test(`nothing is wider than a phone with ${hash}`, async ({ page, open }) => {
        await page.setViewportSize({ width: 360, height: 740 });
        await open(hash);
        await page.getByRole('button', { name: 'To the end' }).click();
        for (const summary of await page.locator('details:not([open]) > summary').all()) {
            if (await summary.isVisible()) await summary.click();
        }
        const widths = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.body.scrollWidth,
        ]);
        expect(widths).toEqual([360, 360]);
        await expect(page.locator('#play')).toBeInViewport();
    });
}

test('from wide to narrow and back the same moment stays', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await page.locator('#log .what-steal').first().click();
    const step = await page.locator('#step').textContent();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.locator('.stage-svg')).toHaveAttribute('width', '334');
    await expect(page.locator('.lanes .arrow')).toHaveCount(1);
    await page.setViewportSize({ width: 1280, height: 900 });
    await expect(page.locator('#step')).toHaveText(step);
    await expect(page.locator('.lanes .arrow')).toHaveCount(1);
});

test('who asked for less motion sees arrows, and nothing moves by itself', async ({ page, open }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(MANY_FOR_ONE);
    await expect(page.locator('#play')).toHaveAttribute('aria-label', 'Play');
    await expect(page.locator('#step')).toHaveText('0');
    await page.keyboard.press('n');
    await expect(page.locator('.lanes .arrow')).toHaveCount(1);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test('without that wish a stolen token moves', async ({ page, open }) => {
    await open(MANY_FOR_ONE);
    await pause(page);
    const first = await page.locator('#log .what-steal').first().getAttribute('data-step');
    await page.locator(`#event-${Number(first) - 1}`).click();
    const flying = page.waitForFunction(() => document.querySelector('.token.flying') != null);
    await page.keyboard.press('ArrowRight');
    await flying;
});

for (const theme of ['light', 'dark']) {
    test(`axe finds nothing to complain about in ${theme}`, async ({ page, open }) => {
        await page.emulateMedia({ colorScheme: theme });
        await open('#scenario=equal');
        await page.getByRole('button', { name: 'To the end' }).click();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(
            violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
        ).toEqual([]);
    });
}
