import type { PGliteInterface } from "@electric-sql/pglite";

/** What PGlite asks of an extension; a subset of its own type `Extension`. */
export interface SkillratingExtension {
	/** The name of the extension, as in `CREATE EXTENSION skillrating`. */
	name: "skillrating";

	/**
	 * PGlite calls this when a database is opened. The result says where the bundle is: the
	 * compiled library, its control file and its install script, for `CREATE EXTENSION`. The bundle lies
	 * beside this module, so that bundlers which follow `new URL(..., import.meta.url)` find it.
	 */
	setup(pg: PGliteInterface, emscriptenOptions: unknown): Promise<{ bundlePath: URL }>;
}

/**
 * The extension skillrating for PGlite. Pass it to each database that uses it, also to one whose
 * data directory has it already, because the library is not part of a data directory:
 *
 *     const db = await PGlite.create({ extensions: { skillrating } });
 *     await db.exec("CREATE EXTENSION IF NOT EXISTS skillrating");
 */
export declare const skillrating: SkillratingExtension;
export default skillrating;
