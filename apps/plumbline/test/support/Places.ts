/** Folders and files that tests read, independent of the test's own location. */
import * as path from "node:path"

/** The folder of the app. */
export const APP = path.join(import.meta.dirname, "../..")

/** The package with the contracts and the layouts of the embedded chains. */
export const DEVNET = path.join(APP, "../../packages/devnet")

/** The folder of the programs that tests start. */
export const FIXTURES = path.join(APP, "test/fixtures")
