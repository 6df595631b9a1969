// Starts the dashboard in its page.
import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme } from './theme.ts';

applyTheme();
const place = document.getElementById('app');
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
