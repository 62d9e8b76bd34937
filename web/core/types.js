// Print parameters.d.ts: the parameters of every model in the registry, as types.
//
//   node types.js DIRECTORY      with index.js and core.wasm
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('index.js', pathToFileURL(`${process.argv[2]}/`)));
const { models } = await load();
const camel = (name) => name.replace(/(^|_)(.)/g, (all, before, letter) => letter.toUpperCase());

function typeOf({ type, choices, min }) {
	switch (type) {
		case 'number':
			return min === null ? 'number | null' : 'number';
		case 'flag':
			return 'boolean';
		case 'table':
			return 'Array<[bound: number, value: number]>';
		default:
			return choices.map((choice) => `'${choice}'`).join(' | ');
	}
}

function commentOf({ description, unit, min, max, aboveMin, type, default: value }) {
	const range = min === null ? '' : `, ${aboveMin ? 'above' : 'at least'} ${min}${max === null ? '' : ` and at most ${max}`}`;
	return `${description}${unit === null ? '' : ` (${unit})`}; ${JSON.stringify(value)} by default${type === 'number' ? range : ''}.`.replaceAll(
		'*/',
		'* /',
	);
}

console.log('// Made by web/core/types.js of the registry of models.\n');
for (const { name, summary, parameters } of models) {
	console.log(`/** ${summary} */\nexport interface ${camel(name)}Parameters {`);
	for (const parameter of parameters)
		console.log(`\t/** ${commentOf(parameter)} */\n\t${parameter.name}?: ${typeOf(parameter)};`);
	console.log('}\n');
}
console.log('/** The parameters of each model, by its name. */\nexport interface ModelParameters {');
for (const { name } of models) console.log(`\t${name}: ${camel(name)}Parameters;`);
console.log('}');
