/** skillrating for PGlite: see README.md. */

const setup = async () => ({ bundlePath: new URL("./skillrating.tar.gz", import.meta.url) });

export const skillrating = { name: "skillrating", setup };
export default skillrating;
