// Light or dark: as the machine says, or as the person chose.

export type Theme = 'auto' | 'light' | 'dark';

const themes: readonly Theme[] = ['auto', 'light', 'dark'];
const kept = 'sandbox-theme';

export function chosenTheme(): Theme {
  const found = localStorage.getItem(kept);
  return themes.find((theme) => theme === found) ?? 'auto';
}

/** Puts the chosen theme on the page. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  document.documentElement.dataset.theme = theme;
}

/** The next theme in the round, which is kept. */
export function nextTheme(): Theme {
  const next = themes[(themes.indexOf(chosenTheme()) + 1) % themes.length] as Theme;
  localStorage.setItem(kept, next);
  applyTheme(next);
  return next;
}
