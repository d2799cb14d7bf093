/**
 * If the service breaks off an answer, nginx must break off the client's answer too. Checks that no client can treat
 * the answer as complete.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { Effect } from "effect"

import * as Ask from "../ask.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"

/** Bytes of a chunk, as in Kubo. A file of three chunks has a middle. */
const CHUNK = 256 * 1024

/** Adds a file, damages its last chunk in the node's folder, and reads the file. */
export const cut = ({ blocks, target }: Cluster) =>
  Effect.promise(async (): Promise<Finding> => {
    const content = Buffer.concat(["first", "second", "third"].map((word) => Buffer.alloc(CHUNK, `${word} of a file `)))
    const added = Ask.lines(await Ask.ipfs(target, "add", Ask.multipart(content)))
    const read = () => Ask.ipfs(target, `cat?arg=${added[0].Hash}`)
    const whole = await read()
    const last = globSync("**/*", { cwd: blocks, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => path.join(parentPath, name))
      .find((file) => readFileSync(file).includes("third of a file "))
    if (last === undefined) throw new Error("the node keeps its blocks elsewhere")
    const damaged = readFileSync(last)
    damaged[1000]! ^= 1
    writeFileSync(last, damaged)
    const outcome = await read().then(
      ({ body, status }) => (body.equals(content) ? "whole" : `status ${status} and ${body.length} bytes, as if whole`),
      (error: NodeJS.ErrnoException) => `cut off: ${error.code ?? error.message}`
    )
    return {
      claim: "a download that breaks off is cut off behind nginx too",
      measured: `undamaged ${whole.body.equals(content) ? "whole" : "not whole"}, damaged ${outcome}`,
      holds: whole.body.equals(content) && outcome.startsWith("cut off")
    }
  })
