/**
 * Replays an attack on a bridge: `pnpm lab replay [--lies 100000] [--reads 2000] [--seed 1]`.
 *
 * Two of three nodes tell the same forged event, and the third is flooded. The program prints how many lies each way to
 * read the nodes heard and accepted, and what it cost. The exit code is 1 if a way that proves accepted a lie, or left a
 * read unanswered that the honest node could answer.
 */
import { parseArgs } from "node:util"

import { Effect } from "effect"

import * as Replay from "./replay.ts"
import * as Report from "./report.ts"
import * as Scene from "./scene.ts"
import * as Stage from "./stage.ts"

const { values } = parseArgs({
  options: {
    lies: { type: "string", default: "100000" },
    reads: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" }
  }
})

const scenes = [Scene.ethereum, Scene.rollup]
/** The ways that prove, in all scenes, share the lies. */
const lies = Math.ceil(Number(values.lies) / (2 * scenes.length))
const begun = process.cpuUsage()

const program = Effect.forEach(scenes, (open) =>
  Effect.scoped(
    Effect.flatMap(open, (scene) => {
      let shown = 0
      const onProgress = (told: number): void => {
        if (told < shown + 1000) return
        shown = told
        console.error(`${scene.name}: ${told} of ${2 * lies} lies`)
      }
      return Replay.run(scene, { lies, reads: Number(values.reads), seed: Number(values.seed), onProgress })
    })
  )
)

const replayed = await Effect.runPromise(Stage.quiet(program))
console.log(Report.write(replayed))
console.log(`\n${Math.round(process.cpuUsage(begun).user / 1e6)} s of processor time`)
process.exit(replayed.every(({ passed, unanswered }) => passed.length + unanswered.length === 0) ? 0 : 1)
