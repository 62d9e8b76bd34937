// Errors, and the checks of arguments that raise them.

/** An error of an argument: code is the SQLSTATE that the extension gives it. */
export class SkillratingError extends Error {
	constructor(code, message, { detail, hint, value, reason } = {}) {
		super(message);
		this.name = 'SkillratingError';
		this.code = code;
		this.detail = detail;
		this.hint = hint;
		this.value = value;
		this.reason = reason;
	}
}

export const INVALID = '22023',
	OUT_OF_RANGE = '22003',
	NO_NULL = '22004',
	WRONG_SIZE = '2202E',
	TOO_MUCH = '54000';
export const fail = (code, message, more) => {
	throw new SkillratingError(code, message, more);
};
export const isNumber = (value) => typeof value === 'number' && !Number.isNaN(value);
export const isAbsent = (value) => value === undefined || value === null;
export const quoted = (names) => names.map((name) => `"${name}"`).join(', ');

// A value as an error shows it.
export const shown = (value) => {
	const text = typeof value === 'string' ? `"${value}"` : typeof value === 'object' ? JSON.stringify(value) : String(value);
	return text === undefined || text.length <= 60 ? text : `${text.slice(0, 57)}...`;
};

// As printf() has it with %g.
export function formatG(number) {
	if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf';
	if (number === 0) return Object.is(number, -0) ? '-0' : '0';
	const [digits, exponent] = number.toExponential(5).split('e');
	if (exponent >= -4 && exponent < 6) return String(Number(number.toPrecision(6)));
	return `${Number(digits)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

// Errors for keys that an object must not have, which are mostly misspelled.
export function checkKeys(object, allowed, what) {
	if (typeof object !== 'object' || object === null || Array.isArray(object))
		fail(INVALID, `${what} must be an object, not ${shown(object)}`, { value: object });
	for (const key of Object.keys(object))
		if (!allowed.includes(key))
			fail(INVALID, `unknown key "${key}" in ${what}`, {
				hint: `Keys are ${quoted(allowed)}.`,
				value: key,
			});
}

export function finite(name, value) {
	if (!isNumber(value) || !Number.isFinite(value)) fail(OUT_OF_RANGE, `${name} must be finite, not ${shown(value)}`, { value });
	return value;
}

export function positive(name, value) {
	if (!(isNumber(value) && value > 0 && Number.isFinite(value)))
		fail(OUT_OF_RANGE, `${name} must be positive and finite, not ${shown(value)}`, { value });
	return value;
}

export function notNegative(name, value) {
	if (!(isNumber(value) && value >= 0 && Number.isFinite(value)))
		fail(OUT_OF_RANGE, `${name} must be finite and not negative, not ${shown(value)}`, { value });
	return value;
}

export function integer(name, value, least, most) {
	if (!Number.isInteger(value) || value < least || value > most)
		fail(INVALID, `${name} must be an integer from ${least} to ${most}, not ${shown(value)}`, { value });
	return value;
}

export function oneOf(name, value, names) {
	const index = names.indexOf(value);
	if (index < 0)
		fail(INVALID, `unknown ${name} ${shown(value)}`, {
			hint: `It must be one of ${quoted(names)}.`,
			value,
		});
	return index;
}

// Absent numbers come last, as in the server's order of the rows of a match.
export const byNumber = (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : (a > b) - (a < b));
export function byText(a, b) {
	if (isAbsent(a) || isAbsent(b)) return isAbsent(a) - isAbsent(b);
	const x = [...String(a)],
		y = [...String(b)];
	for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
	return x.length - y.length;
}
