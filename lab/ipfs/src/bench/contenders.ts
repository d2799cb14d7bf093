/**
 * The contenders: our service, js-ipfs if it is installed, and the importer alone. Each runs in a separate process.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"

import * as Daemon from "../jsIpfs/jsIpfsDaemon.ts"
import * as Workspace from "../jsIpfs/jsIpfsInstallation.ts"
import type { Endpoint } from "../suite/npmClients.ts"
import type { File } from "./benchContent.ts"
import * as Http from "./http.ts"

export interface Contender {
  readonly name: string
  readonly pid: number
  /**
   * Makes several uploads at the same time. Each upload sends its files in one request. Returns the CID of the last
   * file of each upload.
   */
  readonly add: (uploads: ReadonlyArray<ReadonlyArray<File>>) => Promise<ReadonlyArray<string>>
  /** Reads a file back, and compares it. A contender that keeps nothing has no `cat`. */
  readonly cat?: (cid: string, file: File) => Promise<void>
  readonly close: () => Promise<void>
}

const start = async (script: URL): Promise<readonly [child: ChildProcess, first: unknown]> => {
  const child = fork(script, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const [first] = await once(child, "message")
  return [child, first]
}

const end = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, "exit")
  child.disconnect()
  await exited
}

const overHttp = (endpoint: Endpoint): Pick<Contender, "add" | "cat"> => ({
  add: (uploads) => Promise.all(uploads.map((files) => Http.add(endpoint, files))),
  cat: (cid, file) => Http.cat(endpoint, cid, file)
})

export const ours = async (): Promise<Contender> => {
  const [child, endpoint] = await start(new URL("./measuredService.ts", import.meta.url))
  return { name: "ours", pid: child.pid!, ...overHttp(endpoint as Endpoint), close: () => end(child) }
}

/** Starts js-ipfs. Returns undefined if it is not installed; `pnpm lab js-ipfs` installs it. */
export const jsIpfs = async (): Promise<Contender | undefined> => {
  if (!(await Workspace.isInstalled())) return undefined
  const daemon = await Daemon.start()
  return {
    name: `js-ipfs ${daemon.version}`,
    pid: daemon.pid,
    ...overHttp({ url: daemon.url, headers: {} }),
    close: daemon.stop
  }
}

export const importer = async (): Promise<Contender> => {
  const [child] = await start(new URL("./importer.ts", import.meta.url))
  return {
    name: "importer, nothing kept",
    pid: child.pid!,
    add: async (uploads) => {
      child.send(uploads)
      const [cids] = await once(child, "message")
      return cids as ReadonlyArray<string>
    },
    close: () => end(child)
  }
}
