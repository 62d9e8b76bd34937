// Reads the import and export sections of a WebAssembly module, as the binary format has them
// (https://webassembly.github.io/spec/core/binary/modules.html), without compiling it.

const IMPORT_SECTION = 2, EXPORT_SECTION = 7;
const KINDS = ["func", "table", "memory", "global", "tag"];

/** A cursor over bytes with the few encodings that the two sections need. */
class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}

	byte() {
		if (this.at >= this.bytes.length) throw new Error("the module ends in the middle of a section");
		return this.bytes[this.at++];
	}

	/** An unsigned integer in LEB128, of up to 64 bits. */
	number() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.byte();
			value += (byte & 0x7f) * scale;
			scale *= 128;
		} while (byte & 0x80);
		return value;
	}

	name() {
		const length = this.number(), begin = this.at;
		this.at += length;
		return new TextDecoder().decode(this.bytes.subarray(begin, this.at));
	}

	limits() {
		const flags = this.byte();
		this.number();
		if (flags & 1) this.number();
	}

	/** The description of an import, of which only the kind is returned. */
	description() {
		const kind = this.byte();
		if (kind === 0) this.number();
		else if (kind === 1) { this.byte(); this.limits(); }
		else if (kind === 2) this.limits();
		else if (kind === 3) { this.byte(); this.byte(); }
		else if (kind === 4) { this.byte(); this.number(); }
		else throw new Error(`unknown kind ${kind} of an import`);
		return KINDS[kind];
	}
}

/**
 * The imports and exports of a module: arrays of { module, name, kind } and { name, kind }.
 * Bytes that are no module of version 1 are an error.
 */
export function readModule(bytes) {
	const reader = new Reader(bytes, 8), imports = [], exports = [];
	if (bytes.length < 8 || String.fromCharCode(...bytes.subarray(0, 4)) !== "\0asm" || bytes[4] !== 1)
		throw new Error("this is no WebAssembly module of version 1");
	while (reader.at < bytes.length) {
		const id = reader.byte(), size = reader.number(), end = reader.at + size;
		if (id === IMPORT_SECTION)
			for (let n = reader.number(); n > 0; n--)
				imports.push({ module: reader.name(), name: reader.name(), kind: reader.description() });
		else if (id === EXPORT_SECTION)
			for (let n = reader.number(); n > 0; n--) {
				exports.push({ name: reader.name(), kind: KINDS[reader.byte()] });
				reader.number();
			}
		reader.at = end;
	}
	return { imports, exports };
}
