// Light, dark, or what the system says. Not a module: it runs before the page is drawn, so that nothing
// flashes.

(() => {
    const KEY = 'heist-theme';
    const root = document.documentElement;

    // Storage may be forbidden; then the choice lasts as long as the page.
    const stored = () => {
        try {
            return localStorage.getItem(KEY);
        } catch {
            return null;
        }
    };
    const store = (theme) => {
        try {
            localStorage.setItem(KEY, theme);
        } catch {
            return;
        }
    };
    const set = (theme) => {
        if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
        else delete root.dataset.theme;
    };

    set(stored());
    document.addEventListener('DOMContentLoaded', () => {
        const radios = document.querySelectorAll('#theme input');
        for (const radio of radios) {
            radio.checked = radio.value === (root.dataset.theme ?? 'auto');
            radio.addEventListener('change', () => {
                set(radio.value);
                store(radio.value);
            });
        }
    });
})();
