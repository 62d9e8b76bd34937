// As much of Markdown as the pages in docs/ use, as HTML.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escape = (text) => text.replace(/[&<>"]/g, (c) => escapes[c]);

/** The name by which a heading is linked to. */
export const anchor = (heading) =>
	heading
		.toLowerCase()
		.replace(/`/g, '')
		.replace(/[^\p{L}\p{N}_ -]/gu, '')
		.replace(/ /g, '-');

/** Text within a line.  link(target) says where a link leads to, null for nowhere. */
export function inline(text, link) {
	const kept = [];
	const keep = (html) => `\u0000${kept.push(html) - 1}\u0000`;
	return escape(text.replace(/(`+)(.+?)\1(?!`)/g, (all, ticks, code) => keep(`<code>${escape(code.trim())}</code>`)))
		.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (all, alt, target) => `<img src="${link(target)}" alt="${alt}" loading="lazy">`)
		.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (all, label, target) =>
			link(target) === null ? label : `<a href="${link(target)}">${label}</a>`,
		)
		.replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
		.replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>')
		.replace(/\u0000(\d+)\u0000/g, (all, i) => kept[i]);
}

function table(lines, link) {
	const cells = (line) =>
		line
			.trim()
			.replace(/^\||\|$/g, '')
			.replace(/\\\|/g, '\u0001')
			.split('|')
			.map((cell) => inline(cell.trim().replace(/\u0001/g, '|'), link));
	const [head, , ...rows] = lines.map(cells);
	const row = (list, tag) => `<tr>${list.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
	return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cell) => row(cell, 'td')).join('')}</tbody></table></div>`;
}

const ITEM = /^( *)(-|\d+\.) +/;

function list(lines, link) {
	const [, , mark] = ITEM.exec(lines[0]);
	const tag = mark === '-' ? 'ul' : 'ol';
	const items = [];
	for (const line of lines) {
		const item = ITEM.exec(line);
		if (item && item[1] === '') items.push([line.slice(item[0].length)]);
		else items.at(-1).push(line.replace(/^ {1,3}/, ''));
	}
	return `<${tag}>${items
		.map(
			(item) =>
				`<li>${blocks(item, link)
					.map(({ html }) => html)
					.join('')
					.replace(/^<p>([\s\S]*?)<\/p>/, '$1')}</li>`,
		)
		.join('')}</${tag}>`;
}

/**
 * The blocks of a page, given its lines: { heading, level }, { code } or { html }.
 */
export function blocks(lines, link) {
	const found = [];
	let i = 0;
	const take = (condition) => {
		const begin = i;
		while (i < lines.length && condition(lines[i], i)) i++;
		return lines.slice(begin, i);
	};
	while (i < lines.length) {
		const line = lines[i];
		const heading = /^(#+) +(.*)/.exec(line);
		if (!line.trim()) i++;
		else if (heading) {
			found.push({
				heading: heading[2],
				level: heading[1].length,
				html: `<h${heading[1].length} id="${anchor(heading[2])}">${inline(heading[2], link)}</h${heading[1].length}>`,
			});
			i++;
		} else if (line.startsWith('    ')) {
			// A blank line ends an example, as it does for the scripts that run them.
			const code = take((next) => next.startsWith('    '))
				.map((next) => next.slice(4))
				.join('\n');
			found.push({ code, html: `<pre class="scroll" tabindex="0"><code>${escape(code)}</code></pre>` });
		} else if (line.startsWith('```')) {
			i++;
			const code = take((next) => !next.startsWith('```')).join('\n');
			i++;
			found.push({
				fenced: code,
				html: `<pre class="scroll" tabindex="0"><code>${escape(code)}</code></pre>`,
			});
		} else if (line.startsWith('|'))
			found.push({
				html: table(
					take((next) => next.startsWith('|')),
					link,
				),
			});
		else if (ITEM.test(line))
			found.push({
				html: list(
					take(
						(next, at) =>
							next.startsWith(' ') ||
							ITEM.test(next) ||
							(!next.trim() &&
								/^ |^- |^\d+\. /.test(lines[at + 1] ?? '') &&
								!(lines[at + 1] ?? '').startsWith('    ')),
					),
					link,
				),
			});
		else
			found.push({
				html: `<p>${inline(take((next) => next.trim() && !next.startsWith('|') && !next.startsWith('#') && !next.startsWith('```') && !/^- /.test(next)).join(' '), link)}</p>`,
			});
	}
	return found;
}
