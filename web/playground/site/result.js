// What comes back from the database, for people.
import { el } from './dom.js';
import { aligned, isNumeric } from './text.js';

const MOST_ROWS = 200;

/** A picture that the extension has drawn.  As an image it can run nothing. */
export function picture(svg) {
	const text = (tag) => new RegExp(`<${tag}[^>]*>([^<]*)</${tag}>`).exec(svg)?.[1] ?? '';
	const decoded = el('textarea', { html: [text('title'), text('desc')].filter(Boolean).join('. ') }).value;
	return el('img', {
		class: 'plot',
		alt: decoded || 'A picture',
		src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
	});
}

const isPicture = (value) => value?.startsWith('<svg ');

function cell(value, type) {
	if (value === null) return el('td', { class: 'null' });
	if (isPicture(value)) return el('td', {}, picture(value));
	return el('td', { class: isNumeric(type) ? 'number' : value.includes('\n') ? 'lines' : null }, value);
}

/** A table, of which long ones are cut until somebody asks. */
export function table({ fields, rows }, caption = 'Result') {
	if (rows.length === 1 && fields.length === 1 && isPicture(rows[0][0])) return el('figure', {}, picture(rows[0][0]));
	const body = el('tbody');
	const fill = (from, to) =>
		body.append(
			...rows.slice(from, to).map((row) =>
				el(
					'tr',
					{},
					row.map((value, i) => cell(value, fields[i].type)),
				),
			),
		);
	fill(0, MOST_ROWS);
	const whole = el(
		'table',
		{ class: 'result' },
		el('caption', { class: 'hidden' }, caption),
		el(
			'thead',
			{},
			el(
				'tr',
				{},
				fields.map(({ name, type }) => el('th', { scope: 'col', class: isNumeric(type) ? 'number' : null }, name)),
			),
		),
		body,
	);
	const more =
		rows.length > MOST_ROWS &&
		el(
			'button',
			{
				type: 'button',
				click: (event) => {
					fill(MOST_ROWS, rows.length);
					event.target.remove();
				},
			},
			`Show ${rows.length - MOST_ROWS} more rows`,
		);
	const copy = el(
		'button',
		{
			type: 'button',
			class: 'quiet',
			title: 'Copy as text',
			click: async ({ target }) => {
				await navigator.clipboard.writeText(aligned({ fields, rows }));
				target.textContent = 'Copied';
				setTimeout(() => {
					target.textContent = 'Copy';
				}, 1500);
			},
		},
		'Copy',
	);
	return el(
		'div',
		{ class: 'table' },
		el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, whole),
		more || null,
		el('div', { class: 'under' }, el('span', {}, rows.length === 1 ? '1 row' : `${rows.length} rows`), copy),
	);
}

// The line of a statement that an error is about, and a mark below.
function place(sql, position) {
	const at = Number(position) - 1;
	if (!sql || !(at >= 0) || at > sql.length) return null;
	const points = [...sql];
	const before = points.slice(0, at).join('');
	const column = before.length - (before.lastIndexOf('\n') + 1);
	const line = sql.slice(before.lastIndexOf('\n') + 1).split('\n')[0];
	const from = Math.max(0, column - 60);
	return el('pre', { class: 'place' }, `${line.slice(from, from + 120)}\n${' '.repeat(column - from)}^`);
}

/** An error of SQL, with what helps. */
export function problem({ severity = 'ERROR', message, detail, hint, code, position }, sql) {
	return el(
		'div',
		{ class: 'error', role: 'alert' },
		el('p', {}, el('strong', {}, `${severity}: `), message),
		place(sql, position),
		detail && el('p', {}, el('b', {}, 'Detail: '), detail),
		hint && el('p', { class: 'hint' }, el('b', {}, 'Hint: '), hint),
		code && el('p', { class: 'code' }, `SQLSTATE ${code}`),
	);
}

const notice = ({ severity, message, detail, hint }) =>
	el(
		'div',
		{ class: 'notice' },
		el('p', {}, el('b', {}, `${severity}: `), message),
		detail && el('p', {}, el('b', {}, 'Detail: '), detail),
		hint && el('p', {}, el('b', {}, 'Hint: '), hint),
	);

/** All that a statement returned, in one element. */
export function outcome(result, sql) {
	const parts = result.notices.map(notice);
	if (result.error) parts.push(problem(result.error, sql));
	else if (result.fields && result.fields.length > 0) {
		// A function that returns nothing has said nothing.
		if (result.rows.some((row) => row.some((value) => value !== null && value !== '')) || result.rows.length !== 1)
			parts.push(table(result));
		else parts.push(el('p', { class: 'tag', 'data-fields': JSON.stringify(result.fields.map(({ name }) => name)) }, 'Done'));
	} else parts.push(el('p', { class: 'tag' }, result.tag ?? 'Done'));
	return el('div', { class: 'outcome' }, parts);
}
