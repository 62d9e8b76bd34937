// Elements of the page in one call.

/** An element with attributes (functions are listeners, true is an empty attribute) and children. */
export function el(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (typeof value === 'function') element.addEventListener(name, value);
		else if (name === 'html') element.innerHTML = value;
		else if (name === 'value' || name === 'checked') element[name] = value;
		else element.setAttribute(name, value === true ? '' : value);
	}
	element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

/** A label with its control in it. */
export const field = (label, control) => el('label', { class: 'field' }, el('span', {}, label), control);

export const options = (list, chosen) =>
	list.map(([value, label]) => el('option', { value, selected: String(value) === String(chosen) }, label));

export const percent = (probability) => `${(100 * probability).toFixed(1)} %`;
