/**
 * Prints how often each operation does an expensive step, as JSON: `pnpm bench:counts`. The same code gives the same
 * counts on every machine, so a test can limit the counts where it cannot limit time.
 */
import { Schema } from "effect"

import * as Wasm from "./wasmCrossings.ts"
// `wasmCrossings.ts` must be loaded before any module that starts WebAssembly.
const Sql = await import("./sql.ts")
const Calls = await import("./calls.ts")
const { operations } = await import("./verifying.ts")
const Reading = await import("./clientReads.ts")
const Serving = await import("./serviceRequests.ts")
const { trips } = await import("./trips.ts")

/** Returns the counts of one run, after earlier runs have filled the caches. */
const counted = async (run: () => unknown): Promise<Readonly<Record<string, number>>> => {
  for (let i = 0; i < 3; i++) await run()
  Calls.take()
  const before = Wasm.count()
  await run()
  return { wasm: Wasm.count() - before, ...Calls.take() }
}

const statements = await Serving.perRequest(Serving.known, 50, Sql.take)
const onTheWire = await trips()
Calls.start()
const counts: Record<string, Readonly<Record<string, number>>> = {}
for (const [name, run] of Object.entries(operations)) counts[name] = await counted(run)
// This control makes a parser, so its count must not be zero. That shows that the making of parsers is counted.
counts["control"] = await counted(() => Schema.decodeUnknownSync(Schema.Array(Schema.Finite))([1]))
counts["slot through the client"] = await counted(Reading.slot)
counts["proven block, its calls"] = { calls: await Reading.callsOf(Reading.provenBlock) }
const { effect, ours } = await Serving.perRequest(Serving.known, 50, Calls.take)
counts["request with limits and usage"] = { ...statements, ours, effect }
const passedOn = await Serving.perRequest(Serving.node, 50, Calls.take)
counts["request to a node over HTTP"] = { ours: passedOn.ours, effect: passedOn.effect }
Object.assign(counts, onTheWire)

console.log(JSON.stringify(counts, undefined, 2))
process.exit()
