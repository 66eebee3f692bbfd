// Makes the screenshots of the README: `node tests/screenshots.js <directory>`.

import path from 'node:path';
import { chromium } from '@playwright/test';
import config from '../playwright.config.js';
import { number, recorded, startDemo } from './heist.js';

const WIDE = { width: 1280, height: 960 };
const PHONE = { width: 390, height: 844 };
const SHOTS = [
    { name: 'demo-light', scheme: 'light', viewport: WIDE, hash: '#scenario=imbalance' },
    { name: 'demo-dark', scheme: 'dark', viewport: WIDE, hash: '#scenario=divide' },
    { name: 'demo-phone', scheme: 'light', viewport: PHONE, hash: '#scenario=imbalance' },
];

/** Goes to the steal that is nearest to a third of the way. */
async function toASteal(page) {
    const third = (await number(page, '#steps')) / 3;
    const steps = await page
        .locator('#log .what-steal')
        .evaluateAll((lines) => lines.map((line) => Number(line.dataset.step)));
    const nearest = steps.reduce((best, step) =>
        Math.abs(step - third) < Math.abs(best - third) ? step : best,
    );
    await page.locator(`#event-${nearest}`).click();
}

async function shoot(browser, demo, directory, { name, scheme, viewport, hash }) {
    // Without motion there is nothing to wait for.
    const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${demo.url}/${hash}`);
    await recorded(page);
    await toASteal(page);
    await page.evaluate(() => {
        document.activeElement.blur();
        window.scrollTo(0, 0);
    });
    await page.mouse.move(0, 0);
    await page.screenshot({ path: path.join(directory, `${name}.png`) });
    await context.close();
}

const directory = process.argv[2] ?? '.';
const demo = await startDemo();
const browser = await chromium.launch(config.use.launchOptions);
try {
    for (const shot of SHOTS) await shoot(browser, demo, directory, shot);
} finally {
    await browser.close();
    await demo.stop();
}
