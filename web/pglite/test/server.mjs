// Serves PGlite with the extension on a Unix socket, so that psql and pg_regress can use it.
//
//   node web/pglite/test/server.mjs DIRECTORY
//
// The socket is that of port 5432 in DIRECTORY; a line "ready" says that it is there.  PGlite is one
// session for all: whoever connects gets it as DISCARD ALL leaves it, as the role and with
// the settings that the connection asks for, and who had it before has it no more.  If
// WebAssembly itself fails, the next connection gets a new database.

import { createServer } from "node:net";
import { PGlite } from "./pglite.mjs";
import { skillrating } from "../package/index.js";

const directory = process.argv[2];

// The database that pg_regress makes on a server.
const NAME = "contrib_regression";

// As a server has it by default, where PGlite has something else, and with the settings of
// pg_regress, so that RESET goes back to these.
const startParams = [
	"--single", "-F", "-j",
	"-c", "exit_on_error=false", "-c", "log_checkpoints=false", "-c", "io_method=sync",
	"-c", "max_worker_processes=0", "-c", "max_parallel_workers=0",
	"-c", "max_parallel_workers_per_gather=0", "-c", "max_parallel_maintenance_workers=0",
	"-c", "timezone=America/Los_Angeles", "-c", "datestyle=Postgres, MDY", "-c", "intervalstyle=postgres_verbose",
];

const encoder = new TextEncoder(), decoder = new TextDecoder();
const zero = new Uint8Array(1);

// A message of the protocol: its type, and fields that are strings, bytes or numbers of 32 bits.
function message(type, ...fields) {
	const parts = fields.map((field) => {
		if (typeof field === "number") {
			const bytes = Buffer.alloc(4);
			bytes.writeInt32BE(field);
			return bytes;
		}
		return typeof field === "string" ? Buffer.concat([encoder.encode(field), zero]) : Buffer.from(field);
	});
	const body = Buffer.concat(parts), head = Buffer.alloc(5);
	head.write(type, 0, "latin1");
	head.writeInt32BE(body.length + 4, 1);
	return Buffer.concat([head, body]);
}

// The messages in bytes that the server sent.
function* messages(bytes) {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	for (let at = 0; at < buffer.length;) {
		const length = buffer.readInt32BE(at + 1) + 1;
		yield buffer.subarray(at, at + length);
		at += length;
	}
}

let database = null, image = null, owner = null, trap = null;

async function open() {
	const options = { extensions: { skillrating }, startParams };
	if (!image) {
		const first = await PGlite.create(options);
		await first.exec(`CREATE DATABASE ${NAME}`);
		image = await first.dumpDataDir("none");
		await first.close();
		const second = await PGlite.create({ ...options, database: NAME, loadDataDir: image });
		await second.exec("CREATE EXTENSION skillrating");
		image = await second.dumpDataDir("none");
		await second.close();
	}
	return watched(await PGlite.create({ ...options, database: NAME, loadDataDir: image }));
}

// PGlite takes whatever ends a statement for an error of SQL, also a trap of WebAssembly, after
// which there is no answer.
function watched(database) {
	const module = database.Module, once = module._PostgresMainLoopOnce;
	module._PostgresMainLoopOnce = () => {
		try {
			return once();
		} catch (error) {
			if (error instanceof WebAssembly.RuntimeError) trap = error;
			throw error;
		}
	};
	return database;
}

// Run one or more messages of a client, and return what the server answers.
async function run(bytes) {
	try {
		const { data } = await database.execProtocol(bytes, { syncToFs: false, throwOnError: false });
		if (trap) throw trap;
		return data;
	} catch (error) {
		trap = null;
		console.error(`PGlite failed: ${error.stack}`);
		database = null;
		throw error;
	}
}

const query = async (sql) => [...messages(await run(message("Q", sql)))];
const literal = (text) => `'${text.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;

// The settings that a client asks for, among them those of "options", -c NAME=VALUE.
function settings(parameters) {
	const found = new Map();
	for (const [, name, value] of (parameters.get("options") ?? "").matchAll(/-c\s*([a-z_.]+)=((?:\\.|\S)*)/gi))
		found.set(name, value.replace(/\\(.)/g, "$1"));
	for (const [name, value] of parameters)
		if (!["user", "database", "options", "replication"].includes(name)) found.set(name, value);
	return found;
}

// Begin a session: the answer to a client's first message.
async function begin(parameters) {
	database ??= await open();
	if (database.isInTransaction()) await query("ROLLBACK");
	await query("DISCARD ALL");
	for (const [name, value] of settings(parameters)) await query(`SET ${name} = E${literal(value)}`);
	const user = parameters.get("user");
	if (user !== "postgres") {
		const failure = (await query(`SET SESSION AUTHORIZATION "${user.replaceAll('"', '""')}"`)).find((m) => m[0] === 69);
		if (failure) return failure;
	}
	const answer = [message("R", 0)];
	for (const [name, value] of [["server_version", "18.0"], ["server_encoding", "UTF8"], ["client_encoding", "UTF8"],
		["integer_datetimes", "on"], ["standard_conforming_strings", "on"], ["is_superuser", user === "postgres" ? "on" : "off"],
		["session_authorization", user]])
		answer.push(message("S", name, value));
	return Buffer.concat([...answer, message("K", process.pid, 0), message("Z", encoder.encode("I"))]);
}

// A client.  What it sends is taken apart into messages, and handed over up to a query or a Sync.
class Client {
	constructor(socket) {
		this.socket = socket;
		this.input = Buffer.alloc(0);
		this.batch = [];
		this.copying = false;
		this.started = false;
		this.work = Promise.resolve();
		socket.on("data", (data) => { this.work = this.work.then(() => this.read(data)).catch(() => socket.destroy()); });
		socket.on("error", () => {});
	}

	async read(data) {
		this.input = Buffer.concat([this.input, data]);
		for (;;) {
			const head = this.started ? 1 : 0;
			if (this.input.length < head + 4) return;
			const length = this.input.readInt32BE(head) + head;
			if (this.input.length < length) return;
			const bytes = this.input.subarray(0, length);
			this.input = this.input.subarray(length);
			if (this.started) await this.take(bytes);
			else await this.start(bytes);
		}
	}

	async start(bytes) {
		const code = bytes.readInt32BE(4);
		// Neither SSL nor GSSAPI; and nothing can be cancelled, because nothing else runs meanwhile.
		if (code === 80877103 || code === 80877104) return void this.socket.write("N");
		if (code === 80877102) return void this.socket.end();
		const words = decoder.decode(bytes.subarray(8)).split("\0"), parameters = new Map();
		for (let i = 0; i + 1 < words.length && words[i] !== ""; i += 2) parameters.set(words[i], words[i + 1]);
		const answer = await begin(parameters);
		this.started = true;
		owner = this;
		this.socket.write(answer);
		if (answer[0] === 69) this.socket.end();
	}

	async take(bytes) {
		const type = String.fromCharCode(bytes[0]);
		if (type === "X") return void this.socket.end();
		if (owner !== this) throw new Error("another client has the session");
		this.batch.push(bytes);
		// The data of COPY must be there before it begins, as nobody can wait for them.
		if (type === "Q" && /^\s*copy\b[^;]*\bfrom\s+stdin\b/i.test(decoder.decode(bytes.subarray(5, -1)))) {
			this.copying = true;
			return void this.socket.write(message("G", new Uint8Array(3)));
		}
		if (!(this.copying ? "cf" : "QS").includes(type)) return;
		const all = Buffer.concat(this.batch);
		this.batch = [];
		const answer = [...messages(await run(all))];
		this.socket.write(Buffer.concat(this.copying ? answer.filter((m) => m[0] !== 71) : answer));
		this.copying = false;
	}
}

database = await open();
const server = createServer((socket) => new Client(socket));
server.listen(`${directory}/.s.PGSQL.5432`, () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));
