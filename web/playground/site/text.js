// Results as psql prints them.

// Types whose values psql puts to the right.
const NUMERIC = new Set([20, 21, 23, 26, 28, 29, 700, 701, 790, 1700, 5069]);
export const isNumeric = (type) => NUMERIC.has(type);

// The columns that a text takes on a screen.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const width = (text) => [...text].reduce((sum, c) => sum + (/\p{M}/u.test(c) ? 0 : WIDE.test(c) ? 2 : 1), 0);

/** The table of a result, { fields: [{ name, type }], rows: [[text or null]] }, as psql aligns it. */
export function aligned({ fields, rows }) {
	const cells = rows.map((row) => row.map((value) => (value ?? '').split('\n')));
	const widths = fields.map(({ name }, i) => Math.max(width(name), ...cells.map((row) => Math.max(...row[i].map(width)))));
	const pad = (text, i, side) => {
		const room = widths[i] - width(text);
		const left = side === 'center' ? Math.floor(room / 2) : side === 'right' ? room : 0;
		return ' '.repeat(left) + text + ' '.repeat(room - left);
	};
	const lines = [
		fields.map(({ name }, i) => ` ${pad(name, i, 'center')} `).join('|'),
		fields.map((_, i) => '-'.repeat(widths[i] + 2)).join('+'),
	];
	for (const row of cells) {
		const height = Math.max(...row.map((value) => value.length), 1);
		for (let line = 0; line < height; line++)
			lines.push(
				row
					.map((value, i) => {
						const more = line + 1 < value.length;
						return ` ${pad(value[line] ?? '', i, isNumeric(fields[i].type) ? 'right' : 'left')}${more ? '+' : ' '}`;
					})
					.join('|'),
			);
	}
	return lines.map((line) => line.trimEnd()).join('\n');
}
