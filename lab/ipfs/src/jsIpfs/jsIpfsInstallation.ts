/** The installation of js-ipfs: 1,100 packages, 290 MB, which takes minutes. */
import * as path from "node:path"

import * as NpmFolder from "@plumbline/seeded/NpmFolder"

const NAME = "js-ipfs"

/** The program of js-ipfs. */
export const program = path.join(NpmFolder.folderOf(NAME), "node_modules/ipfs/src/cli.js")

/** True if the program is installed as the lockfile says. */
export const isInstalled = (): Promise<boolean> => NpmFolder.isInstalled(NAME)

/** Installs js-ipfs unless it is installed. */
export const install = (): Promise<void> => NpmFolder.install(NAME)
