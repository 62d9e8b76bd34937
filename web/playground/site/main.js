// The page: its views, the state of the database, and the theme.
import { onStatus, restart } from './database.js';
import { showGuide } from './guide.js';
import { showLadder } from './ladder.js';
import { showTeams } from './teams.js';

const views = { ladder: showLadder, teams: showTeams, guide: showGuide };
const shown = new Set();

// The view that the address names, and what it says besides: #guide/docs/teams.md.
function route() {
	const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split('/');
	const view = Object.hasOwn(views, name) ? name : 'ladder';
	for (const other of Object.keys(views)) document.getElementById(other).hidden = other !== view;
	for (const link of document.querySelectorAll('[data-view]'))
		if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
	document.title = `${view[0].toUpperCase()}${view.slice(1)} · skillrating playground`;
	views[view](document.getElementById(view), rest.join('/'), !shown.has(view));
	shown.add(view);
}

const words = { loading: 'Loading PostgreSQL', ready: 'Ready', busy: 'Running', failed: 'Not running' };
const status = document.getElementById('status');
let began;
onStatus((now, detail) => {
	status.className = now;
	// Short work would flicker.
	clearTimeout(began);
	const show = () => {
		status.lastElementChild.textContent = now === 'ready' && detail ? `Ready in ${(detail / 1000).toFixed(1)} s` : words[now];
	};
	if (now === 'busy') began = setTimeout(show, 400);
	else show();
	const broken = document.getElementById('broken');
	broken.hidden = now !== 'failed';
	if (now === 'failed')
		broken.textContent = `PostgreSQL does not run here: ${detail}. A current browser, and files from a web server, should do.`;
});
document.getElementById('restart').addEventListener('click', () => {
	restart().catch(() => {});
});

const themes = ['auto', 'light', 'dark'];
const button = document.getElementById('theme');
function setTheme(theme) {
	if (theme === 'auto') delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = theme;
	button.textContent = theme[0].toUpperCase() + theme.slice(1);
	button.setAttribute('aria-label', `Theme: ${theme === 'auto' ? 'automatic' : theme}`);
	try {
		localStorage.setItem('theme', theme);
	} catch {
		/* not where storage is forbidden */
	}
}
let theme = 'auto';
try {
	theme = themes.includes(localStorage.getItem('theme')) ? localStorage.getItem('theme') : 'auto';
} catch {
	/* likewise */
}
setTheme(theme);
button.addEventListener('click', () => {
	theme = themes[(themes.indexOf(theme) + 1) % themes.length];
	setTheme(theme);
});

restart().catch(() => {});
addEventListener('hashchange', route);
route();
