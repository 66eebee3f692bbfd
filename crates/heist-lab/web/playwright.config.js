// The browser is Debian's Chromium (or what CHROMIUM names); nothing is downloaded.

import { defineConfig } from '@playwright/test';

export default defineConfig({
    testDir: 'tests',
    testMatch: '*.spec.js',
    // One at a time: the pool under test wants the cores for itself.
    workers: 1,
    forbidOnly: true,
    retries: 0,
    timeout: 60_000,
    expect: { timeout: 20_000 },
    reporter: 'list',
    use: {
        browserName: 'chromium',
        viewport: { width: 1280, height: 900 },
        launchOptions: {
            executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
            // Containers have no user namespaces and a small /dev/shm. The page comes from our own server.
            args: ['--no-sandbox', '--disable-dev-shm-usage'],
        },
    },
});
