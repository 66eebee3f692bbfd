// Asks the server. Whatever goes wrong becomes an error with a sentence for the reader.

export class Refused extends Error {}
export class Gone extends Error {
    constructor() {
        super(
            'The server does not answer. Is “heist demo” still running? What is here can still be replayed.',
        );
    }
}

export function about() {
    return ask('/api/about');
}

/** Runs a set-up for real; the answer is the recording. */
export function run(setup, signal) {
    return ask('/api/run', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(setup),
        signal,
    });
}

async function ask(path, options) {
    let response;
    let text;
    try {
        response = await fetch(path, options);
        text = await response.text();
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new Gone();
    }
    const answer = parsed(text);
    if (response.ok && answer) return answer;
    throw new Refused(
        answer?.error ?? `The server answered with status ${response.status} and nothing that could be read.`,
    );
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
