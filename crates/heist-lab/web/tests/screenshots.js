// Makes the screenshots of the README: `node tests/screenshots.js <directory>`.

import path from 'node:path';
import { chromium } from '@playwright/test';
import config from '../playwright.config.js';
import { recorded, startDemo } from './heist.js';

const WIDE = { width: 1280, height: 1080 };
const PHONE = { width: 390, height: 844 };
/** Which steal is shown, of how many. */
const third = (steals) => Math.min(2, steals - 1);
const middle = (steals) => Math.floor(steals / 2);

const SHOTS = [
    { name: 'demo-light', scheme: 'light', viewport: WIDE, hash: '#scenario=imbalance', which: middle },
    { name: 'demo-dark', scheme: 'dark', viewport: WIDE, hash: '#scenario=divide', which: third },
    { name: 'demo-phone', scheme: 'light', viewport: PHONE, hash: '#scenario=imbalance', which: middle },
];

async function shoot(browser, demo, directory, { name, scheme, viewport, hash, which }) {
    // Without motion there is nothing to wait for.
    const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${demo.url}/${hash}`);
    await recorded(page);
    const steals = page.locator('#log .what-steal');
    await steals.nth(which(await steals.count())).click();
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
