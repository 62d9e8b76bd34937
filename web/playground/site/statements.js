// A script of psql taken apart: statements of SQL, and commands that begin with a backslash.

// The end of what begins at i and has no statement's end in it: a literal, a name in quotes, a
// body between dollars or a comment; or i where none begins.
function skip(sql, i) {
	const rest = sql.slice(i);
	const dollar = /^\$([A-Za-z_][A-Za-z_0-9]*)?\$/.exec(rest);
	if (dollar && !/[A-Za-z_0-9]/.test(sql[i - 1] ?? '')) {
		const end = sql.indexOf(dollar[0], i + dollar[0].length);
		return end < 0 ? sql.length : end + dollar[0].length;
	}
	if (rest.startsWith('--')) {
		const end = sql.indexOf('\n', i);
		return end < 0 ? sql.length : end;
	}
	if (rest.startsWith('/*')) {
		const end = sql.indexOf('*/', i + 2);
		return end < 0 ? sql.length : end + 2;
	}
	if (sql[i] === "'" || sql[i] === '"') {
		const escapes = sql[i] === "'" && /(^|[^A-Za-z_0-9])[eE]$/.test(sql.slice(Math.max(0, i - 2), i));
		let end = i + 1;
		while (end < sql.length && sql[end] !== sql[i]) end += escapes && sql[end] === '\\' ? 2 : 1;
		return Math.min(end + 1, sql.length);
	}
	return i;
}

/** The statements of a script, in order, each as { sql } or { command }. */
export function statements(script) {
	const found = [];
	let begin = 0,
		i = 0,
		depth = 0;
	const take = (end) => {
		const sql = script.slice(begin, end).trim();
		if (sql.replace(/--.*|\/\*[\s\S]*?\*\//g, '').trim()) found.push({ sql });
		begin = end;
	};
	while (i < script.length) {
		const blank = /^\s*$/.test(script.slice(begin, i));
		if (script[i] === '\\' && blank) {
			const end = script.indexOf('\n', i) < 0 ? script.length : script.indexOf('\n', i);
			found.push({ command: script.slice(i, end).trim() });
			begin = i = end;
			continue;
		}
		const end = skip(script, i);
		if (end > i) {
			i = end;
			continue;
		}
		if (script[i] === '(') depth++;
		if (script[i] === ')') depth = Math.max(0, depth - 1);
		i++;
		if (script[i - 1] === ';' && depth === 0) take(i);
	}
	take(script.length);
	return found;
}
