// Starts `heist demo` for tests, and opens its page.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import readline from 'node:readline';
import { expect, test as base } from '@playwright/test';

/** Starts the program that HEIST_BIN names on a free port: `{ url, stop }`. */
export async function startDemo() {
    const program = process.env.HEIST_BIN;
    if (!program) throw new Error('HEIST_BIN must name the heist program: see `cargo xtask web`');
    const child = spawn(program, ['demo', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const stop = async () => {
        child.kill();
        await exited;
    };
    for await (const line of readline.createInterface({ input: child.stdout })) {
        const url = /http:\/\/[^\s/]+/.exec(line)?.[0];
        if (!url) continue;
        child.stdout.resume();
        return { url, stop };
    }
    throw new Error('`heist demo` ended without telling its address');
}

export const test = base.extend({
    /** One server for all tests of a file. */
    demo: [
        async ({}, use) => {
            const demo = await startDemo();
            await use(demo);
            await demo.stop();
        },
        { scope: 'worker' },
    ],

    /** A page whose console must stay free of errors. `quiet.expect` names those that a test provokes. */
    quiet: [
        async ({ page }, use) => {
            const problems = [];
            const quiet = { expect: null };
            page.on('console', (message) => {
                if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
            });
            page.on('pageerror', (error) => problems.push(String(error)));
            await use(quiet);
            expect(problems.filter((text) => !quiet.expect?.test(text))).toEqual([]);
        },
        { auto: true },
    ],

    /** Opens the page at a fragment and waits for the recording that it asks for. */
    open: async ({ page, demo }, use) => {
        await use(async (hash = '') => {
            await page.goto(`${demo.url}/${hash}`);
            await recorded(page);
        });
    },
});

/** Waits until no run is under way and a recording is shown. */
export async function recorded(page) {
    await expect(page.locator('#stage')).toHaveAttribute('aria-busy', 'false');
    await expect(page.locator('#play')).toBeEnabled();
}

/** Runs what the form says, and waits for the new recording. */
export async function run(page) {
    const answer = page.waitForResponse('**/api/run');
    await page.getByRole('button', { name: 'Run and record' }).click();
    await answer;
    await recorded(page);
}

/** The number in an element. */
export async function number(page, selector) {
    return Number((await page.locator(selector).textContent()).replaceAll(',', ''));
}

export async function pause(page) {
    const play = page.locator('#play');
    if ((await play.getAttribute('aria-label')) === 'Pause') await play.click();
    await expect(play).toHaveAttribute('aria-label', 'Play');
}

export { expect };
