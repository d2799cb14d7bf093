/**
 * Runs clients against an IPFS server that lies: `pnpm lab ipfs-lies`.
 *
 * Everything in the table is measured in the run. A cell with a cross is a wrong outcome. The rules are the same for
 * all clients.
 */
import * as Ours from "./clients/ourIpfsClients.ts"
import * as Theirs from "./clients/theirIpfsClients.ts"
import type { Contender } from "./ipfsContender.ts"
import * as Case from "./lieCase.ts"
import { families } from "./lies/index.ts"
import * as Table from "./lieTable.ts"

/** Number of concurrent cases. Most of the time, a case only waits. */
const CONCURRENCY = 8

const lies = families.flatMap((family) => family.lies)

const column = async (contender: Contender): Promise<Table.Column> => {
  const results = new Map<(typeof lies)[number], Case.Result>()
  const waiting = [...lies]
  const work = async (): Promise<void> => {
    for (let lie = waiting.shift(); lie !== undefined; lie = waiting.shift()) {
      results.set(lie, await Case.run(lie, contender))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { title: contender.title, results }
}

// an answer may fail after its client has left; such a failure must not end this program
process.on("unhandledRejection", () => {})

const began = performance.now()
const columns: Array<Table.Column> = []
for (const contender of [Ours.verified, Ours.verifiedOverFetch, Ours.plain, Theirs.kubo, Theirs.old]) {
  columns.push(await column(contender))
}
console.log(`Node ${process.version}\n`)
console.log(`${Table.chapters(families, columns)}\n\n${Table.summary(columns)}`)
console.log(`\n${lies.length} cases, in ${((performance.now() - began) / 1000).toFixed(0)} s`)
process.exit()
